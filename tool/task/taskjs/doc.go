// Package taskjs reads tasks that are written in JavaScript or TypeScript: modules that export one.
//
//	t, err := taskjs.Parse(ctx, eng, os.DirFS("."), "tasks/upgrade.ts")
//	out, run, err := t.Run(ctx, task.Dir(root), json.RawMessage(`{"name": "left-pad"}`), opts)
//
// Such a module says the same as a program in Go or a definition in JSON, and its runs have the same reports:
//
//	export default defineTask({
//		name: "upgrade",
//		policy: definePolicy({ writablePaths: ["package*.json"], allowedCommands: ["npm install *", "npm test"], network: { allow: ["registry.example.com"] } }),
//		input: { type: "object", required: ["name"] },
//		stages: [
//			defineStage("install", async (ctx) => {
//				const { code, stderr } = await ctx.exec(["npm", "install", ctx.input.name]);
//				if (code !== 0) throw new Error(stderr);
//				return { installed: ctx.input.name };
//			}),
//			defineStage("test", async (ctx) => ({ ...ctx.prev, code: (await ctx.exec("npm test")).code }), { writes: [] }),
//		],
//	});
//
// [Types] declares all that there is, for editors. Types in a module are stripped and not checked.
//
// # What runs where
//
// A module is bundled and runs in a worker process of the engine, which has no files, no network and no commands. Reading a definition evaluates it once. Each stage evaluates it
// again, in an isolate of its own: from one stage to the next passes what the stage returns, and no variable.
// What a stage does goes through its context, and is checked here, as [task.Work] checks it. A stage ends with its time, with
// 30 seconds of computing, with 128 MiB of memory or with 10,000 calls of its context.
//
// A module may import others that lie in the folder tasks, or are definitions: what a definition says must not depend on files that tasks write.
// Outside of functions it awaits nothing.
//
// # Errors
//
// What a stage throws is the error of the stage, with its place in the module: a [*ThrownError]. If it is what the context threw, it matches
// what that was: [task.ErrRefused].
package taskjs
