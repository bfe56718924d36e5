// Package workbench is what one person works in: the projects of a workspace,
// the one on the canvas, what their apps print, and news of all that changes.
//
//	bench, err := workbench.New(ctx, sam.NewWorkspace(store, "ada", nil), eng, nil)
//	apps, err := canvas.NewSite(bench.App, &canvas.Options{Engine: eng})
//
// [Bench.App] serves every project of the bench as an app that reaches its own
// KV, DB and secrets. A program that publishes sets canvas.App.Snapshot of what it returns to the checkpoint that is to be seen. A program for many people keeps their benches in a [Group].
//
// # Roles
//
// A project plays a role on the bench, and may play another tomorrow:
//
//   - The work project is the one that is edited. It has no rights beyond those of any app.
//   - The current agent ([Bench.SetAgent]) has env.HOST: the built-in functions, on all
//     projects of the bench but for changes of its own files, and the program's ([Options.Capabilities]).
//   - A tool ([Bench.OpenTool]) has env.TOOL: what a [tool.Grant] says, for as long as its session is open.
//   - Any project may be given single functions of the program by [Bench.Allow]: env.CRM.lookup.
//
// env.HOST and env.TOOL come with a [Session]. Its ID, sealed into a path by the handler, is
// what makes a page the agent's or the tool's:
//
//	apps.Path(canvas.Visitor{Principal: "ada", Session: bench.Agent().ID}, bench.Agent().Project)
//
// Every call is checked in the program's process, and is a record of the audit. Rights end at once,
// in the middle of a request, when a session is closed, its grant expires or the agent changes. A tool that shows files follows
// them by files.changes:
//
//	for (let at = ""; ; ) {
//		const { after, missed, files } = await env.TOOL.files.changes({ after: at })
//		at = after // missed: read all files again
//	}
//
// # Trust
//
// A person decides on a page, which reads these after an event of the kind [Trust], or when it begins:
//
//   - [Bench.Approvals] are calls that wait, since their grant asks; [Bench.Decide] answers.
//   - [Bench.Denials] are calls that were refused, with the narrowest grant that would do. [Bench.Widen] adds exactly that to an open session.
//   - [Bench.Turn] is what the agent has done since the checkpoint that it made when it began; [Bench.UndoTurn] takes that back.
//
// # HOST
//
// The built-in functions take one object and return a promise of one. Where it names no
// project they are about the work project. A write with expectedHash fails with the code conflict, and what
// the file is now, if somebody else was faster.
//
//	files        list stat read write edit apply search rename remove changes
//	canvas       reload errors url screenshot
//	console      read wait clear
//	checkpoints  create list diff restore
//	projects     list create clone open delete export import
//	tools        open close list
//	secrets      names
//	roles        setActiveAgent
//	ui           open message ask connect focus
//	cmd          run queue
//	python       run
//	script       eval run save list read delete
//	tasks        list get run runs status cancel report kept open resume discard
//
// Beside them HOST has apiVersion; capabilities, the versions and functions of each group; search("words") and
// describe("crm.lookup"), by which code finds one of hundreds of functions without reading about all; openTool and
// closeTool, which are those of tools, and runCmd and runPython, which are cmd.run and python.run. A program can't take these names.
//
// canvas.url, canvas.screenshot, roles.setActiveAgent, cmd, python, script and tasks are there if [Options] says so. An agent deletes projects that agents made, and
// no others. Those of ui reach the pages that follow [Bench.Events]; [Bench.Answer] answers ui.ask.
//
// # Scripts
//
// With [Options.Scripts] the agent runs scripts (package script) on a project's files. What they call by rtcAgent they call with the
// agent's rights, and it stands in the audit as its calls do; they start no scripts. [Bench.SetScriptMode] says when a person is asked.
//
// # Commands
//
// A person has a JavaScript session in each project and, with [Options.Commands], a command line and Python ([Bench.Terminal]). The agent has cmd.run: one command by
// its arguments, such as {argv: ["grep", "-rn", "TODO", "src"]}, never the shell. One command of a bench runs at a time, in the order in which they came; [Bench.Jobs] lists what
// runs and waits, and [Bench.Interrupt] ends it.
//
// A project has one interpreter of Python, which the person and the agent's python.run share, variables included: code of the agent may replace
// what the person calls there. So it lasts no longer than the agent's session, and an agent has another one where it may not write.
//
// # Tasks
//
// With [Options.Tasks] a person runs tasks (package tool/task) on a project: definitions that are files of it ([Bench.TaskFiles], [Bench.ReadTask])
// or text. [Bench.RunTask] starts one, [Bench.TaskRuns] has those at work and the last that have ended, [Bench.TaskReport] what happened in one. What a run
// leaves that does not succeed is opened as a project by [Bench.OpenKept], and goes on by [Bench.ResumeTask]. An agent has the same as HOST.tasks, on all projects but its own, without sh, after a
// person has seen the policy ([TaskOptions]); its runs end with its role, and write nothing after that. After an event of the kind [Tasks] a page reads these again.
//
// # Lifetimes
//
// Whoever opens closes: store, engine, bench or group, handler, closed in reverse
// order. Closing a bench ends its streams of events; its projects stay in the store.
//
// # Errors
//
// Errors of package sam come through as they are. What a person may not have is a
// denied [*host.Error].
package workbench
