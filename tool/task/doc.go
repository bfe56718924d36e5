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
// names them, "**" or "*" is not enough: what lies in a folder .git, and definitions of tasks (*.task.json).
//
// A command is the list of its arguments, never a line for a shell. "*" in a policy stands for
// one argument, "**" at the end for the rest, `\*` and `\**` for the stars themselves. It says which commands a
// task means to run, and is no boundary: npm, git and make run what the files they find
// say. What a command can reach is bounded by the [Backend].
//
// [Policy.Narrow] permits what both policies do. Nothing widens one but writing another.
package task
