package jscheck_test

import (
	"fmt"

	"samkit.dev/internal/jscheck"
)

func ExampleCheck() {
	_, problems := jscheck.Check([]byte(`
const page: string = await fetch(params.url);
const make = [].constructor;
while (true) await rtcAgent.system.delay(10);
`), nil)
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// 2:28: fetch is blocked (network): call a granted function with rtcAgent.callFunction(name, args)
	// 3:17: .constructor is blocked (internals): no replacement needed
	// 4:1: while is blocked (loops): use for…of, a for with a bound, or the methods of arrays
}
