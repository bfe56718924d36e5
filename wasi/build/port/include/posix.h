// What POSIX declares and preview1 has nothing for. It is included before
// everything else; posix.c has the functions. There is one user, number 1000,
// no process, no signal from outside, and no permission bits.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifndef ENODATA
#define ENODATA ENOENT
#endif

// Signals.
#define SA_RESTART 1
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
struct sigaction {
	void (*sa_handler)(int);
	void (*sa_sigaction)(int, void *, void *);
	unsigned long sa_flags, sa_mask[2];
};
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigprocmask(int, const void *, void *), sigfillset(void *), sigemptyset(void *);
int kill(pid_t, int);

// Locks: nobody else is there.
#define F_GETLK 5
#define F_SETLK 6
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2

// Terminals.
#define TIOCGWINSZ 0x5413
#define TIOCNOTTY 0x5422
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
struct termios;
void cfmakeraw(struct termios *);
char *ttyname(int);

// Users.
struct passwd;
struct group;
uid_t getuid(void), geteuid(void);
gid_t getgid(void), getegid(void);
int setuid(uid_t), setgid(gid_t), initgroups(const char *, gid_t), getgroups(int, gid_t *);
int getpwnam_r(const char *, struct passwd *, char *, size_t, struct passwd **);
int getgrnam_r(const char *, struct group *, char *, size_t, struct group **);
char *getlogin(void);

// Processes.
pid_t fork(void), vfork(void), getppid(void), setsid(void);
int execv(const char *, char *const *), execve(const char *, char *const *, char *const *), execvp(const char *, char *const *);

// Files.
int pipe(int *), dup(int), dup2(int, int), chroot(const char *), fchdir(int);
mode_t umask(mode_t);
int chmod(const char *, mode_t), fchmod(int, mode_t), fchmodat(int, const char *, mode_t, int);
int chown(const char *, uid_t, gid_t), lchown(const char *, uid_t, gid_t), fchown(int, uid_t, gid_t);
int fchownat(int, const char *, uid_t, gid_t, int);
int mknod(const char *, mode_t, dev_t), mknodat(int, const char *, mode_t, dev_t);
int mkstemp(char *);
char *mkdtemp(char *);
void sync(void);
ssize_t xattr_get(const char *, const char *, void *, size_t), xattr_lget(const char *, const char *, void *, size_t), xattr_fget(int, const char *, void *, size_t);
ssize_t xattr_list(const char *, char *, size_t), xattr_llist(const char *, char *, size_t), xattr_flist(int, char *, size_t);
ssize_t xattr_set(const char *, const char *, const void *, size_t, int), xattr_lset(const char *, const char *, const void *, size_t, int), xattr_fset(int, const char *, const void *, size_t, int);

// Time.
struct timeval;
void tzset(void);
int settimeofday(const struct timeval *, const void *), clock_settime(clockid_t, const struct timespec *);

#define LOG_AUTH 32
#define vsyslog(priority, format, args) ((void)0)

// O_RDONLY is a bit of its own in wasi-libc; programs for Unix pass 0.
static inline int posix_openat(int dir, const char *path, int flags, int mode)
{
	if (!(flags & O_ACCMODE))
		flags |= O_RDONLY;
	return openat(dir, path, flags, mode);
}
#define POSIX_OPEN(dir, path, flags, mode, ...) posix_openat(dir, path, flags, mode)
#define openat(dir, ...) POSIX_OPEN(dir, __VA_ARGS__, 0, 0)
#define open(...) POSIX_OPEN(AT_FDCWD, __VA_ARGS__, 0, 0)

// A filestat has no permission bits: folders show as 0755, files as 0644.
static inline int posix_stat(int failed, struct stat *st)
{
	if (!failed) {
		st->st_mode |= S_ISDIR(st->st_mode) ? 0755 : 0644;
		st->st_uid = st->st_gid = 1000;
		st->st_blksize = 4096;
		st->st_blocks = (st->st_size + 511) / 512;
	}
	return failed;
}
#define fstatat(dir, path, st, flags) posix_stat(fstatat(dir, path, st, flags), st)
#define fstat(fd, st) posix_stat(fstat(fd, st), st)
#define lstat(path, st) posix_stat(lstat(path, st), st)

// There are no links, and the host would open what must not be followed, which a
// folder cannot be for writing.
#define utimensat(dir, path, times, flags) utimensat(dir, path, times, (flags) & ~AT_SYMLINK_NOFOLLOW)
