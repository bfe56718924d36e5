// The functions that posix.h declares.
#include "posix.h"
#undef lstat
#undef fstat
#undef fstatat
#include <grp.h>
#include <mntent.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>

// refuse is how a call fails that needs what is not here.
static int refuse(int why)
{
	errno = why;
	return -1;
}

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	if (old)
		memset(old, 0, sizeof *old);
	return 0;
}
int sigprocmask(int how, const void *set, void *old) { return 0; }
int sigfillset(void *set) { return 0; }
int sigemptyset(void *set) { return 0; }
int kill(pid_t pid, int sig)
{
	if (pid == getpid())
		_Exit(128 + sig);
	return refuse(ESRCH);
}

pid_t fork(void) { return refuse(ENOSYS); }
pid_t vfork(void) { return refuse(ENOSYS); }
pid_t getppid(void) { return 1; }
pid_t setsid(void) { return refuse(EPERM); }
pid_t wait(int *status) { return refuse(ECHILD); }
pid_t waitpid(pid_t pid, int *status, int options) { return refuse(ECHILD); }
int execv(const char *path, char *const *argv) { return refuse(ENOSYS); }
int execve(const char *path, char *const *argv, char *const *env) { return refuse(ENOSYS); }
int execvp(const char *path, char *const *argv) { return refuse(ENOSYS); }

static struct passwd user = {"user", "x", 1000, 1000, "user", "/project", "/bin/sh"};
static char *nobody[] = {0};
static struct group users = {"user", "x", 1000, nobody};

uid_t getuid(void) { return 1000; }
uid_t geteuid(void) { return 1000; }
gid_t getgid(void) { return 1000; }
gid_t getegid(void) { return 1000; }
int setuid(uid_t id) { return refuse(EPERM); }
int setgid(gid_t id) { return refuse(EPERM); }
int initgroups(const char *name, gid_t id) { return refuse(EPERM); }
int getgroups(int n, gid_t *ids) { return 0; }
char *getlogin(void) { return user.pw_name; }
struct passwd *getpwuid(uid_t id) { return id == 1000 ? &user : 0; }
struct passwd *getpwnam(const char *name) { return strcmp(name, user.pw_name) ? 0 : &user; }
struct group *getgrgid(gid_t id) { return id == 1000 ? &users : 0; }
struct group *getgrnam(const char *name) { return strcmp(name, users.gr_name) ? 0 : &users; }

#define REENTRANT(function, arg, type, look) \
	int function(arg key, struct type *at, char *buf, size_t size, struct type **found) \
	{ \
		struct type *one = look(key); \
		*found = 0; \
		if (one) { \
			*at = *one; \
			*found = at; \
		} \
		return 0; \
	}
REENTRANT(getpwuid_r, uid_t, passwd, getpwuid)
REENTRANT(getpwnam_r, const char *, passwd, getpwnam)
REENTRANT(getgrgid_r, gid_t, group, getgrgid)
REENTRANT(getgrnam_r, const char *, group, getgrnam)

int pipe(int *fds) { return refuse(ENOSYS); }
int dup2(int from, int to) { return refuse(ENOSYS); }
int chroot(const char *path) { return refuse(EPERM); }
int fchdir(int fd) { return refuse(ENOSYS); }
mode_t umask(mode_t mask) { return 022; }

// dup works for folders, which is what walks of trees need.
int dup(int fd) { return openat(fd, ".", O_RDONLY | O_DIRECTORY); }

// There are no permission bits and no owners to change; tar and cp try, and go on.
int chmod(const char *path, mode_t mode) { return 0; }
int fchmod(int fd, mode_t mode) { return 0; }
int fchmodat(int dir, const char *path, mode_t mode, int flags) { return 0; }
int chown(const char *path, uid_t owner, gid_t group) { return 0; }
int lchown(const char *path, uid_t owner, gid_t group) { return 0; }
int fchown(int fd, uid_t owner, gid_t group) { return 0; }
int fchownat(int dir, const char *path, uid_t owner, gid_t group, int flags) { return 0; }
int mknod(const char *path, mode_t mode, dev_t dev) { return refuse(EPERM); }
int mknodat(int dir, const char *path, mode_t mode, dev_t dev) { return refuse(EPERM); }
void sync(void) {}

// draw replaces the six letters at the end of a template.
static void draw(char *template)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char random[6];
	char *at = template + strlen(template) - sizeof random;
	getentropy(random, sizeof random);
	for (int i = 0; i < sizeof random; i++)
		at[i] = letters[random[i] % (sizeof letters - 1)];
}
int mkstemp(char *template)
{
	if (strlen(template) < 6)
		return refuse(EINVAL);
	for (int i = 0; i < 100; i++) {
		draw(template);
		int fd = open(template, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}
char *mkdtemp(char *template)
{
	if (strlen(template) < 6) {
		errno = EINVAL;
		return 0;
	}
	for (int i = 0; i < 100; i++) {
		draw(template);
		if (!mkdir(template, 0700))
			return template;
		if (errno != EEXIST)
			break;
	}
	return 0;
}

int statfs(const char *path, struct statfs *st) { return refuse(ENOSYS); }
int statvfs(const char *path, struct statvfs *st) { return refuse(ENOSYS); }
int fstatvfs(int fd, struct statvfs *st) { return refuse(ENOSYS); }
FILE *setmntent(const char *path, const char *mode) { return 0; }
struct mntent *getmntent(FILE *f) { return 0; }
int endmntent(FILE *f) { return 1; }
ssize_t xattr_get(const char *path, const char *name, void *value, size_t size) { return refuse(ENOSYS); }
ssize_t xattr_lget(const char *path, const char *name, void *value, size_t size) { return refuse(ENOSYS); }
ssize_t xattr_fget(int fd, const char *name, void *value, size_t size) { return refuse(ENOSYS); }
ssize_t xattr_list(const char *path, char *list, size_t size) { return 0; }
ssize_t xattr_llist(const char *path, char *list, size_t size) { return 0; }
ssize_t xattr_flist(int fd, char *list, size_t size) { return 0; }
ssize_t xattr_set(const char *path, const char *name, const void *value, size_t size, int flags) { return refuse(ENOSYS); }
ssize_t xattr_lset(const char *path, const char *name, const void *value, size_t size, int flags) { return refuse(ENOSYS); }
ssize_t xattr_fset(int fd, const char *name, const void *value, size_t size, int flags) { return refuse(ENOSYS); }

int tcgetattr(int fd, struct termios *t) { return refuse(ENOTTY); }
int tcsetattr(int fd, int when, const struct termios *t) { return refuse(ENOTTY); }
int tcflush(int fd, int queue) { return 0; }
int cfsetspeed(struct termios *t, speed_t speed) { return 0; }
void cfmakeraw(struct termios *t) {}
char *ttyname(int fd) { return 0; }

void tzset(void) {}
int settimeofday(const struct timeval *time, const void *zone) { return refuse(EPERM); }
int clock_settime(clockid_t clock, const struct timespec *time) { return refuse(EPERM); }
