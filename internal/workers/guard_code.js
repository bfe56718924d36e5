// What stands in place of the constructors of functions and of eval, and a function of each kind.
[
	function Function() { throw new EvalError("Code generation from strings disallowed for this context") }, () => {},
	function AsyncFunction() { throw new EvalError("Code generation from strings disallowed for this context") }, async () => {},
	function GeneratorFunction() { throw new EvalError("Code generation from strings disallowed for this context") }, function* () {},
	(code) => { if (typeof code === "string") throw new EvalError("Code generation from strings disallowed for this context"); return code },
]
