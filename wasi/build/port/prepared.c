// The start of a program that has much to do before it looks at its arguments, which is its function prepare. A host
// may call the export prepare once, where there are no arguments, variables and files, keep the memory, and call _start
// with a copy of it for each run. So prepare must leave no file open, and nothing behind that is made of chance or time.
#include <stdlib.h>
#include <unistd.h>
#include <wasi/libc-environ.h>

void prepare(void);
void __wasm_call_ctors(void);
int __main_void(void);

static int prepared;

__attribute__((export_name("prepare"))) void get_ready(void)
{
	__wasm_call_ctors();
	prepare();
	prepared = 1;
}

__attribute__((export_name("_start"))) void _start(void)
{
	if (!prepared)
		__wasm_call_ctors(); // the program prepares itself, if that serves what it is to do
	__wasilibc_initialize_environ();
	// As cwd.c does, which would be too early.
	const char *dir = getenv("PWD");
	if (dir && *dir)
		chdir(dir);
	exit(__main_void());
}
