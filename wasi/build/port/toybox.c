// In the place of toybox's lib/portability.c.
#include "toys.h"
#include <sys/random.h>

pid_t xfork(void) { error_exit("there are no processes here"); }

void xgetrandom(void *buf, unsigned size)
{
	for (char *at = buf; size;) {
		unsigned n = size < 256 ? size : 256;
		getentropy(at, n);
		at += n;
		size -= n;
	}
}

struct mtab_list *xgetmountlist(char *path) { return 0; }
int mountlist_istype(struct mtab_list *list, char *types) { return 0; }
struct xnotify *xnotify_init(int max) { error_exit("files cannot be watched here"); }
int xnotify_add(struct xnotify *not, int fd, char *path) { return -1; }
int xnotify_wait(struct xnotify *not, char **path) { return -1; }
void xsignal_all_killers(void *handler) {}
int sig_to_num(char *name) { return atoi(name); }
char *num_to_sig(int sig) { return 0; }
int dev_minor(int dev) { return dev & 255; }
int dev_major(int dev) { return dev >> 8; }
int dev_makedev(int major, int minor) { return major << 8 | minor; }
char *fs_type_name(struct statfs *st) { return "project"; }
int get_block_device_size(int fd, unsigned long long *size) { return 0; }

long long sendfile_len(int in, int out, long long bytes, long long *consumed)
{
	long long total = 0;

	if (consumed)
		*consumed = 0;
	if (in < 0)
		return 0;
	while (total != bytes) {
		long long len = sizeof libbuf;

		if (bytes >= 0 && len > bytes - total)
			len = bytes - total;
		len = read(in, libbuf, len);
		if (len < 0)
			return -1;
		if (!len)
			break;
		if (consumed)
			*consumed += len;
		if (writeall(out, libbuf, len) != len)
			return -1;
		total += len;
	}
	return total;
}
