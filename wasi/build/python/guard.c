// As port/interrupt.c, but the host may also answer that somebody pressed Ctrl-C. Then
// Python raises KeyboardInterrupt at its next instruction, as after a signal.
#include <errno.h>
#include <time.h>
#include <unistd.h>

__attribute__((import_module("samkit"), import_name("interrupted"))) int samkit_interrupted(void);

void PyErr_SetInterrupt(void);

static int left;

__attribute__((no_sanitize("coverage"), noinline)) static int interrupted(void)
{
	left = 50000;
	if (!samkit_interrupted())
		return 0;
	PyErr_SetInterrupt();
	return 1;
}

__attribute__((no_sanitize("coverage"))) void __sanitizer_cov_trace_pc(void)
{
	if (__builtin_expect(--left < 0, 0))
		interrupted();
}

// The linker has calls of these come here. What waits is woken by Ctrl-C, and must look
// at once why.

int __real_nanosleep(const struct timespec *, struct timespec *);

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
	int failed = __real_nanosleep(time, rest);
	if (interrupted()) {
		errno = EINTR;
		failed = -1;
	}
	return failed;
}

ssize_t __real_read(int, void *, size_t);

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	ssize_t n = __real_read(fd, buf, size);
	if (n < 0 && errno == EINTR) {
		interrupted();
		errno = EINTR;
	}
	return n;
}
