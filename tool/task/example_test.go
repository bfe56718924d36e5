package task_test

import (
	"context"
	"fmt"

	"samkit.dev/tool/task"
)

type Package struct{ Name string }
type Upgraded struct{ From, To string }

// A stage that wants to write outside the policy is refused before anything runs.
func ExampleDefine() {
	upgrade := task.NewStage("upgrade", func(ctx context.Context, w *task.Work, in Package) (Upgraded, error) {
		return Upgraded{"1.2.0", "1.3.0"}, nil
	}, &task.StageOptions{Writes: []string{"config/**"}})
	_, err := task.Define("upgrade-dependency", task.Policy{Writable: []string{"src/**"}}, upgrade)
	fmt.Println(err)
	// Output: task: upgrade-dependency: stage upgrade writes "config/**", which the policy does not permit
}

func ExamplePolicy_Check() {
	p := task.Policy{Writable: []string{"package.json"}, Commands: [][]string{{"npm", "install", "*"}}}
	for _, w := range p.Check() {
		fmt.Println(w)
	}
	// Output:
	// commands: "npm install *" usually writes "package-lock.json", which is not writable.
	// commands: "npm install *" usually writes "node_modules/**", which is not writable.
	// commands: "npm install *" usually needs the network, and no host is allowed.
}

func ExamplePolicy_Narrow() {
	team := task.Policy{Writable: []string{"src/**", "docs/**"}, Deny: []string{".env"}, Commands: [][]string{{"npm", "**"}}}
	tests := task.Policy{Writable: []string{"**/*_test.js"}, Commands: [][]string{{"npm", "test"}, {"make"}}}
	p := team.Narrow(tests)
	fmt.Println(p.Writable, p.Deny, p.Commands)
	// Output: [src/**/*_test.js docs/**/*_test.js] [.env] [[npm test]]
}
