package task_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"samkit.dev/tool/task"
)

// What a box holds is data as well.
func ExampleBox_LevelJSON() {
	b, err := task.Light(nil)
	if err != nil {
		panic(err)
	}
	defer b.Close()
	data, err := b.LevelJSON()
	if err != nil {
		panic(err)
	}
	var level struct {
		Kind   string
		Things []struct{ Name, About, Held string }
	}
	if err := json.Unmarshal(data, &level); err != nil {
		panic(err)
	}
	fmt.Println(level.Kind, level.Things[0].Name, "-", level.Things[0].About)
	// Output: light read - files outside the workspace can't be read
}

func TestLevelJSON(t *testing.T) {
	b, err := task.Light(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	data, err := b.LevelJSON()
	if err != nil {
		t.Fatal(err)
	}
	var level struct {
		Things []struct{ Name, Held, Detail string }
	}
	if err := json.Unmarshal(data, &level); err != nil || len(level.Things) < 13 {
		t.Fatalf("%v: %s", err, data)
	}
	for _, thing := range level.Things {
		if thing.Name == "" || thing.Detail == "" || thing.Held != "held" && thing.Held != "undone" && thing.Held != "open" {
			t.Errorf("%+v", thing)
		}
	}
}
