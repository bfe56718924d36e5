// How a guest is kept from keeping everybody waiting. Go cannot stop a goroutine that
// runs machine code which is not its own: a guest in a loop would see neither the end
// of its context nor let the garbage collector begin, and then all of the program
// waits for it. So every edge of the control flow graph counts down, and now and then,
// several times a millisecond, the guest calls its host, which may end it there.

__attribute__((import_module("samkit"), import_name("yield"))) void samkit_yield(void);

static int left;

__attribute__((no_sanitize("coverage"), noinline)) static void yield(void)
{
	left = 50000;
	samkit_yield();
}

__attribute__((no_sanitize("coverage"))) void __sanitizer_cov_trace_pc(void)
{
	if (__builtin_expect(--left < 0, 0))
		yield();
}
