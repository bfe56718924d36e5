package sam

import (
	"encoding/hex"
	"strings"
)

// maxDirName is the longest folder name that spells a space's name out.
const maxDirName = 180

// dirName returns the name of the folder of a space. People should recognise
// it: letters, digits, "-" and "_" stand for themselves, "/" becomes "+",
// everything else %xx. No two names differ only by case, none begins with a
// dot. A name that would be too long becomes "~" and its hash.
func dirName(space string) string {
	var b strings.Builder
	for i := range len(space) {
		c := space[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		case c == '/':
			b.WriteByte('+')
		default:
			b.WriteByte('%')
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
		if b.Len() > maxDirName {
			return "~" + Hash([]byte(space))
		}
	}
	name := b.String()
	switch {
	case name == "":
		return "%"
	case isDevice(name):
		return "%" + hex.EncodeToString([]byte{name[0]}) + name[1:]
	}
	return name
}
