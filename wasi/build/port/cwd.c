// preview1 has no working directory. wasi-libc keeps one of its own, which
// starts at the root; the host says in PWD where it is.
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void enter(void)
{
	const char *dir = getenv("PWD");
	if (dir && *dir)
		chdir(dir);
}
