package esregexp

// Pictographic reports whether r has the property Extended_Pictographic.
func Pictographic(r rune) bool { return emojiSets["Extended_Pictographic"].has(r) }
