package task

import "encoding/json"

// LevelJSON is what [Box.Level] says as data, for programs and pages: kind ("light" or "strong"), means (such as "landlock 7"), and
// things, of each its name, what it is about, whether it was "held", is "undone" after a command or was "open", and what the system
// answered to the attempt. Attempts are made once, when the box is opened.
func (b *Box) LevelJSON() ([]byte, error) { return json.Marshal(b.box.Level()) }
