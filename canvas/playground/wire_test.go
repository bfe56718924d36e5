package playground

import (
	"bytes"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"samkit.dev/canvas/workbench"
	"samkit.dev/host/console"
)

var update = flag.Bool("update", false, "write ui/src/wire.ts")

// wireTypes are the types of the API, by their names in TypeScript.
var wireTypes = []struct {
	name string
	typ  any
}{
	{"SessionReply", sessionReply{}}, {"TemplateInfo", templateInfo{}}, {"ProjectsReply", projectsReply{}},
	{"FileInfo", fileInfo{}}, {"ProjectReply", projectReply{}}, {"FileReply", fileReply{}},
	{"EditRequest", editRequest{}}, {"ConflictDetails", conflictDetails{}},
	{"ConnectReply", connectReply{}}, {"ConnectInfo", connectInfo{}},
	{"Entry", console.Entry{}}, {"ConsoleReply", consoleReply{}},
	{"CheckpointInfo", checkpointInfo{}}, {"CheckpointsReply", checkpointsReply{}},
	{"ChangeInfo", changeInfo{}}, {"DiffReply", diffReply{}}, {"Hunk", hunk{}}, {"FileDiffReply", fileDiffReply{}},
	{"ImportReply", importReply{}}, {"FailedInfo", failedInfo{}}, {"ProgressEvent", progressEvent{}},
	{"Match", workbench.Match{}}, {"Found", workbench.Found{}},
	{"DataReply", dataReply{}}, {"KVEntry", kvEntry{}}, {"KVReply", kvReply{}}, {"KVValue", kvValue{}}, {"ColumnInfo", columnInfo{}}, {"TableInfo", tableInfo{}},
	{"TablesReply", tablesReply{}}, {"Cell", cell{}}, {"QueryReply", queryReply{}}, {"SQLDetails", sqlDetails{}}, {"SecretsReply", secretsReply{}},
	{"MayInfo", mayInfo{}}, {"AuditEntry", auditEntry{}}, {"AuditReply", auditReply{}},
	{"TerminalPrint", terminalPrint{}}, {"JobInfo", jobInfo{}}, {"ScreenReply", screenReply{}}, {"TypedRequest", typedRequest{}}, {"CompleteReply", completeReply{}},
	{"ReadyEvent", readyEvent{}}, {"FilesEvent", filesEvent{}}, {"ConsoleEvent", consoleEvent{}},
	{"GrantInfo", grantInfo{}}, {"ActInfo", actInfo{}}, {"SessionInfo", sessionInfo{}}, {"Candidate", candidate{}},
	{"ApprovalInfo", approvalInfo{}}, {"PromptInfo", promptInfo{}}, {"PromptsEvent", promptsEvent{}}, {"DenialInfo", denialInfo{}},
	{"TurnInfo", turnInfo{}}, {"RolesReply", rolesReply{}}, {"DecisionRequest", decisionRequest{}},
}

// TestWireTypes keeps the client's types equal to the server's.
func TestWireTypes(t *testing.T) {
	const file = "ui/src/wire.ts"
	want := typescript()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what wire.go says; run go test -run TestWireTypes -update, then go generate", file)
	}
}

func typescript() []byte {
	names := make(map[reflect.Type]string)
	for _, w := range wireTypes {
		names[reflect.TypeOf(w.typ)] = w.name
	}
	var b bytes.Buffer
	b.WriteString("// Made from wire.go by go test -run TestWireTypes -update. Don't edit.\n")
	for _, w := range wireTypes {
		fmt.Fprintf(&b, "\nexport interface %s {\n", w.name)
		typ := reflect.TypeOf(w.typ)
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
			mark := ""
			if opts == "omitempty" {
				mark = "?"
			}
			fmt.Fprintf(&b, "  %s%s: %s;\n", name, mark, tsType(f.Type, names))
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

func tsType(t reflect.Type, names map[reflect.Type]string) string {
	switch {
	case names[t] != "":
		return names[t]
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[slog.Level](), t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Slice:
		return tsType(t.Elem(), names) + "[]"
	case t.Kind() == reflect.Pointer:
		return tsType(t.Elem(), names)
	case t.Kind() == reflect.Bool:
		return "boolean"
	default:
		return "number"
	}
}
