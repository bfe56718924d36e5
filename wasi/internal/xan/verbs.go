package xan

func verbs() map[string]verb {
	all := map[string]verb{
		"headers":    {"[-j] [FILE]...", "j|just-names", 0, headers},
		"count":      {"[FILE]", "", 0, count},
		"head":       {"[-l N] [FILE]", "l|limit: n:", 0, head},
		"tail":       {"[-l N] [FILE]", "l|limit: n:", 0, tail},
		"slice":      {"[-s START] [-e END] [-l N] [-i INDEX] [FILE]", "s|start: e|end: l|len: i|index:", 0, sliceRows},
		"reverse":    {"[FILE]", "", 0, reverse},
		"behead":     {"[FILE]", "", 0, behead},
		"sample":     {"[--seed N] SIZE [FILE]", "seed:", 1, sample},
		"shuffle":    {"[--seed N] [FILE]", "seed:", 0, shuffle},
		"select":     {"[-e] COLUMNS [FILE]", "e|evaluate", 1, selectColumns},
		"drop":       {"COLUMNS [FILE]", "", 1, drop},
		"rename":     {"[-s COLUMNS] [-p PREFIX] NAMES [FILE]", "s|select: p|prefix:", 0, rename},
		"enum":       {"[-c NAME] [-S START] [FILE]", "c|column-name: S|start:", 0, enum},
		"transpose":  {"[FILE]", "", 0, transpose},
		"fixlengths": {"[-l N] [FILE]", "l|length:", 0, fixLengths},
		"filter":     {"[-v] [-l N] EXPRESSION [FILE]", "v|invert-match invert l|limit:", 1, filter},
		"search":     {"[-s COLUMNS] [-i] [-v] [-e] [-l N] PATTERN [FILE]", "s|select: i|ignore-case v|invert-match invert e|exact r|regex l|limit:", 1, search},
		"sort":       {"[-s COLUMNS] [-N] [-R] [-u] [FILE]", "s|select: N|numeric R|reverse r u|uniq", 0, sortRows},
		"dedup":      {"[-s COLUMNS] [-l] [FILE]", "s|select: l|keep-last", 0, dedup},
		"top":        {"[-l N] [-R] COLUMN [FILE]", "l|limit: n: R|reverse r", 1, top},
		"map":        {"[-O] [--filter] EXPRESSION [FILE]", "O|overwrite F|filter", 1, mapColumns},
		"transform":  {"[-r NAMES] COLUMNS EXPRESSION [FILE]", "r|rename:", 2, transform},
		"flatmap":    {"EXPRESSION [FILE]", "", 1, flatMap},
		"explode":    {"[-s SEPARATOR] [-D] [-r NAMES] COLUMN [FILE]", "s|sep: separator: D|drop-empty r|rename:", 1, explode},
		"implode":    {"[-s SEPARATOR] [-r NAME] COLUMN [FILE]", "s|sep: separator: r|rename:", 1, implode},
		"pivot":      {"[-g COLUMNS] COLUMN AGGREGATION [FILE]", "g|groupby:", 2, pivot},
		"agg":        {"AGGREGATIONS [FILE]", "", 1, aggregate},
		"groupby":    {"[--sorted] COLUMNS AGGREGATIONS [FILE]", "S|sorted", 2, groupBy},
		"frequency":  {"[-s COLUMNS] [-g COLUMN] [-l N] [-A] [-N] [FILE]", "s|select: g|groupby: l|limit: A|all N|no-extra", 0, frequency},
		"stats":      {"[-s COLUMNS] [-A] [FILE]", "s|select: A|all", 0, stats},
		"cat":        {"[-p] [rows|cols] FILE...", "p|pad", 1, cat},
		"join":       {"[--left|--right|--full|--semi|--anti|--cross] [-i] [-D VALUE] COLUMNS1 FILE1 COLUMNS2 FILE2", "left right full semi anti cross i|ignore-case D|default: nulls", 2, join2},
		"merge":      {"[-s COLUMN] FILE1 FILE2...", "s|sort: select: N|numeric R|reverse", 2, merge},
		"split":      {"[-c N|-S N] [-o FOLDER] FILE", "c|chunks: S|size: o|output:", 0, splitFile},
		"partition":  {"[-o FOLDER] COLUMN [FILE]", "o|output:", 1, partition},
		"to":         {"json|jsonl|ndjson|md [FILE]", "", 1, to},
		"from":       {"-f json|jsonl|ndjson [FILE]", "f|format:", 0, from},
		"view":       {"[-l N] [FILE]", "l|limit: n:", 0, view},
		"flatten":    {"[-l N] [-s COLUMNS] [FILE]", "l|limit: s|select:", 0, flatten},
		"fmt":        {"[-t DELIMITER] [--tabs] [FILE]", "t|out-delimiter: tabs quote-always", 0, format},
	}
	for alias, name := range map[string]string{"h": "headers", "freq": "frequency", "f": "flatten", "v": "view"} {
		all[alias] = all[name]
	}
	return all
}
