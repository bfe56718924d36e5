// Package task runs an agent's work in typed stages under a policy, and keeps the
// result only if every stage holds.
//
//	policy := task.Policy{
//		Writable: []string{"package.json", "src/**"},
//		Deny:     []string{".env", "**/*.key"},
//		Commands: [][]string{{"npm", "test"}, {"npm", "install", "*"}},
//	}
//	upgrade := task.NewStage("upgrade", func(ctx context.Context, w *task.Work, in Package) (Upgraded, error) { … },
//		&task.StageOptions{Writes: []string{"package.json"}})
//	verify := task.NewStage("verify", func(ctx context.Context, w *task.Work, in Upgraded) (Report, error) { … },
//		&task.StageOptions{Artifacts: []string{"report"}})
//	t, err := task.Define("upgrade-dependency", policy, task.Then(upgrade, verify))
//
// A model decides what to try; a task decides what it may do, looks at the result, and
// either writes all of it back or nothing. Stages joined by [Then] have types that meet, or
// the program does not compile; [Define] refuses a stage that wants to write
// what the policy does not permit, before anything runs.
//
// # Policies
//
// Paths are patterns as package tool has them. A file is written if a pattern of Writable
// matches its name and none of Deny does, which is compared without regard to case. What
// Deny matches is not read either: a task does not see it. Three kinds of file are written only if a pattern
// names them, "**" or "*" is not enough: what lies in a folder .git, and definitions of tasks ([DefinitionLang]).
//
// A command is the list of its arguments, never a line for a shell. "*" in a policy stands for
// one argument, "**" at the end for the rest, `\*` and `\**` for the stars themselves. It says which commands a
// task means to run, and is no boundary: npm, git and make run what the files they find
// say. What a command can reach is bounded by the [Backend].
//
// [Policy.Narrow] permits what both policies do. Nothing widens one but writing another. [Policy.Check] tells what is
// suspicious in one.
//
// # Runs
//
// A run works on the files as they were when it began, those of a project ([Project]) or a directory ([Dir]), and each
// stage sees what those before it did. A failed stage, a missing artifact, a conflict or the end of the context leave the
// ground as it was. Otherwise what was changed is written in one step: files that others changed meanwhile are
// merged where the changes are at different places of a text, and else nothing is written. A directory is changed through a
// journal, see [Dir] and [Recover].
//
// [Run] tells what happened: commands with their outputs, changes as patches, artifacts, and all that was refused.
// [Run.JSON] and [Run.HTML] are the same for programs and people. [Kept] keeps what failed runs leave;
// [Task.Resume] goes on with one from the stage that failed, on files that a person has mended, or from an earlier one.
//
// # An agent's single operations
//
// [Execute] is for an agent that decides for itself what comes next: it begins a run without stages of its own, in which each operation is checked and answered at once, and
// at the end all that was done is written, or nothing.
//
// # Commands
//
// Stages run commands by [Work.Exec]; a [Backend] says what a command can reach. [Virtual] has those of package wasi and
// reaches nothing but the files. [Light] runs the machine's own commands, held back from mistakes, and [Strong] those that nobody
// trusts, on Linux; switching is one field of [RunOptions]. Without a backend commands are refused.
//
// # Errors
//
// What a policy refuses matches [ErrRefused] and fs.ErrPermission, and is a [*RefusedError]; a stage may go on after it.
// Values that break a contract are a [*ContractError]. Runs end with [ErrIncomplete], [ErrConflict], a [*TimeoutError], or what
// their stage returned.
//
// # Concurrency
//
// Tasks, policies, grounds and backends are safe for concurrent use. Runs on one ground may overlap; the second to
// promote merges or is a conflict.
package task
