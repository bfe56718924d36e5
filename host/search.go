package host

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
)

// An Index finds functions by the words that people use for what they do. It is made
// once and safe for concurrent use.
type Index struct {
	funcs   []indexed
	docs    []map[string]float64 // how much each function says of a term
	lengths []float64
	mean    float64
	rarity  map[string]float64 // of a term, among all functions
}

type indexed struct {
	Match
	f    Func
	path string // as code has it
}

// A Match is a function that was found.
type Match struct {
	Name string `json:"name"` // "crm.lookup"; "crm@2.lookup" of a version that is not the oldest
	Doc  string `json:"doc"`
}

// How much a term says where it stands.
const (
	inName       = 3.0
	inCapability = 2.0
	inDoc        = 2.0
	inArgument   = 0.7
	asSynonym    = 0.6 // of a term that was not said, but means the same
)

// NewIndex returns an index of the functions that c has now.
func NewIndex(c Caller) *Index {
	x := &Index{rarity: map[string]float64{}}
	for _, g := range group(c) {
		for _, f := range g.funcs {
			name := f.Name
			switch {
			case g.name == "":
			case g.oldest:
				name = g.name + "." + f.Name
			default:
				name = fmt.Sprintf("%s@%d.%s", g.name, g.version, f.Name)
			}
			x.add(indexed{Match{name, f.Doc}, f, g.path()})
		}
	}
	seen := map[string]int{}
	total := 0.0
	for i, d := range x.docs {
		for t := range d {
			seen[t]++
		}
		total += x.lengths[i]
	}
	n := float64(len(x.docs))
	x.mean = total / max(n, 1)
	for t, k := range seen {
		x.rarity[t] = math.Log(1 + (n-float64(k)+0.5)/(float64(k)+0.5))
	}
	return x
}

func (x *Index) add(e indexed) {
	f := e.f
	d := map[string]float64{}
	length := 0.0
	put := func(text string, weight float64) {
		for _, t := range terms(text) {
			d[t] += weight
			length += weight
		}
	}
	put(f.Name, inName)
	put(f.Capability, inCapability)
	put(f.Doc, inDoc)
	var in jsonschema.Schema
	if in.UnmarshalJSON(f.Input) == nil {
		for name, p := range in.Properties {
			put(name, inArgument)
			put(p.Description, inArgument)
		}
	}
	x.funcs, x.docs, x.lengths = append(x.funcs, e), append(x.docs, d), append(x.lengths, length)
}

// Search returns at most n functions that have something to do with words, the best
// first. Other forms of a word count as it does, words that mean the same a little less, and those
// that few functions have count most. A function of which the words are the name comes first. For English.
func (x *Index) Search(words string, n int) []Match {
	type hit struct {
		at    int
		score float64
	}
	asked := x.expand(words)
	var hits []hit
	for i := range x.funcs {
		s := x.score(i, asked)
		if strings.EqualFold(strings.TrimSpace(words), x.funcs[i].Name) {
			s = math.Inf(1)
		}
		if s > 0 {
			hits = append(hits, hit{i, s})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := []Match{}
	for _, h := range hits[:min(max(n, 0), len(hits))] {
		found = append(found, x.funcs[h.at].Match)
	}
	return found
}

// Describe returns the page of one function in the manual, as [Markdown] writes it. The name is that of a
// [Match], or has its version: "crm@1.lookup". It is "" if there is no such function.
func (x *Index) Describe(name string) string {
	for _, e := range x.funcs {
		full := e.f.Name
		if e.f.Capability != "" {
			full = fmt.Sprintf("%s@%d.%s", e.f.Capability, e.f.Version, e.f.Name)
		}
		if name == e.Name || name == full {
			var b strings.Builder
			describe(&b, e.path, e.f)
			return strings.TrimSpace(b.String())
		}
	}
	return ""
}

// An idea is a word that was asked for, and those that mean the same: what is found of it counts once.
type idea map[string]float64

// maxIdeas bounds the words of a search.
const maxIdeas = 50

func (x *Index) expand(text string) []idea {
	var asked []idea
	all := words(text)
	for i, w := range all[:min(len(all), maxIdeas)] {
		d := idea{}
		if !ignored()[w] {
			t := stem(w)
			d[t] = 1
			for _, s := range synonyms()[t] {
				d[s] = max(d[s], asSynonym)
			}
			if x.rarity[t] == 0 {
				x.guess(d, t)
			}
		}
		if i+1 < len(all) { // "time zone" is "timezone", and "on call" is "oncall"
			if joined := stem(w + all[i+1]); x.rarity[joined] > 0 {
				d[joined] = 1
			}
		}
		if len(d) > 0 {
			asked = append(asked, d)
		}
	}
	return asked
}

// guess adds to a word that no function has what it may be made of: restock is stock, autoreply is reply.
func (x *Index) guess(d idea, t string) {
	for i := 2; i <= min(len(t)-4, 6); i++ {
		if x.rarity[t[i:]] > 0 {
			d[t[i:]] = asSynonym
		}
	}
}

// score is BM25 over weighted fields.
func (x *Index) score(i int, asked []idea) float64 {
	const k, b = 3.0, 0.4
	room := k * (1 - b + b*x.lengths[i]/x.mean)
	sum, met := 0.0, 0
	for _, d := range asked {
		best := 0.0
		for t, weight := range d {
			if tf := x.docs[i][t]; tf > 0 {
				best = max(best, weight*x.rarity[t]*tf*(k+1)/(tf+room))
			}
		}
		if best > 0 {
			sum += best
			met++
		}
	}
	// Two words that are met are worth more than one that is met very well.
	return sum * float64(met) / float64(max(len(asked), 1))
}

// terms are the stems of a text's words: names such as resetPassword are several.
func terms(text string) []string {
	var all []string
	for _, w := range words(text) {
		if len(w) > 64 || ignored()[w] {
			continue
		}
		all = append(all, stem(w))
	}
	return all
}

// words splits a text, in lower case, where letters end and where a capital begins a word.
func words(text string) []string {
	var all []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			all = append(all, string(word))
			word = word[:0]
		}
	}
	var before rune
	for _, r := range strings.ReplaceAll(text, "’", "'") {
		switch {
		case r == '\'':
			continue // "hasn't" is a word
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		default:
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				flush()
			}
			word = append(word, unicode.ToLower(r))
		}
		before = r
	}
	flush()
	return all
}

// stem takes endings off an English word, so that its forms are one: not always a word, but the same for all.
func stem(w string) string {
	if is, ok := irregular()[w]; ok {
		w = is
	}
	if len(w) < 4 {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "xes"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	for _, ending := range []string{"ation", "ition", "ement", "ness", "ment", "ing", "ion", "ied", "ed", "er", "or", "ly", "al", "e", "y"} {
		if root, ok := strings.CutSuffix(w, ending); ok && len(root) >= 3 && strings.ContainsAny(root, "aeiouy") {
			if n := len(root); n > 3 && root[n-1] == root[n-2] && root[n-1] != 'l' && root[n-1] != 's' {
				root = root[:n-1] // stopped, stop
			}
			return strings.TrimSuffix(root, "e")
		}
	}
	return w
}

// irregular has the forms of verbs, and of some nouns, that no ending tells.
var irregular = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for group := range strings.SplitSeq("pay paid,send sent,write wrote written,buy bought,sell sold,give gave given,go went gone,find found,keep kept,make made,hold held,"+
		"break broke broken,lose lost,tell told,say said,do did done,see saw seen,take took taken,choose chose chosen,bring brought,get got gotten,know knew known,"+
		"mean meant,run ran,begin began begun,draw drew drawn,drive drove driven,speak spoke spoken,steal stole stolen,think thought,build built,"+
		"spend spent,come came,forget forgot forgotten,freeze froze frozen,hide hid hidden,rise rose risen,show shown,person people,child children,index indices,status statuses", ",") {
		first, rest, _ := strings.Cut(group, " ")
		for w := range strings.FieldsSeq(rest) {
			m[w] = first
		}
	}
	return m
})

// ignored are words that say nothing of what a function does.
var ignored = sync.OnceValue(func() map[string]bool {
	return set("a an and are as at be by can did do does for from has have hasnt hers his how i if in into is isnt it its itself me my of on one or our " +
		"out so some somebody someone something than that the their them then there this those to up us was we were what when where which who whom why will with yet you your " +
		"please want need all any already about everything these many much")
})

func set(text string) map[string]bool {
	s := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		s[w] = true
	}
	return s
}

// synonyms lists for a stem those of words that are used for the same.
var synonyms = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(sameMeaning) {
		var stems []string
		for w := range strings.FieldsSeq(line) {
			stems = append(stems, stem(w))
		}
		for _, a := range stems {
			for _, b := range stems {
				if a != b && !slices.Contains(m[a], b) {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
})

// sameMeaning has a line for each group of words. They are those of offices and computers, and no more
// than help: a word in a wrong group finds what nobody meant.
const sameMeaning = `delete cancel remove erase drop destroy trash discard forget clear
create make new add build generate open
get read fetch show view retrieve load return see
list enumerate show
find search lookup query locate
update edit change modify alter set adjust correct
send post deliver dispatch submit
merge combine join unite
split divide separate
copy clone duplicate
move transfer relocate
file document
folder directory
picture image photo
email mail message
sms text
client customer
bill invoice
buy purchase order
money payment amount
pay payment charge
account user
company firm business organisation organization
employee staff worker colleague
salary wage pay earn
payslip slip
leave vacation holiday absence off
sick ill
event appointment meeting
schedule plan arrange
reschedule move
ticket issue problem bug
error failure fault exception fail
log output print console
stop cancel abort end terminate kill halt
start begin run launch execute
save store keep persist
undo revert rollback restore back
older earlier previous before
backup snapshot checkpoint
download export
upload import
convert transform turn
password credential
secret password
phone telephone number
call phone
place location spot
way route direction path
price cost fee
discount voucher coupon
parcel package shipment box
stock inventory
refund reimburse repay return back
currency dollar euro exchange
unpaid overdue due
undelete untrash recover restore
autoreply automatic responder
transcribe transcript
remaining left available balance stock
post write publish
system record database
car vehicle taxi
train railway
flight plane airplane
delay late
rain weather snow
applicant candidate
vacancy position opening
cv resume
contract agreement
sign signature
approve accept confirm
reject refuse decline deny
reminder notify alarm alert
server machine vm host
restart reboot
deploy release ship publish
deployment release version
test check verify validate
folder bin
bin trash
space storage size disk quota
smaller compress shrink reduce
bigger enlarge
text word
speech voice aloud
recording audio sound
video clip movie film
caption subtitle
website site page web
visit visitor view
todo task
done finish complete
job task
row line
spreadsheet sheet excel
typo spelling grammar mistake
light lamp
switch turn
ci build pipeline
commit revision
branch merge
certificate ssl tls
domain dns
bank iban
gdpr personal privacy
vat tax
income profit revenue
expense cost spend
urgent priority
answer reply respond response
quick fast slow latency
people person user
today now current
tonight duty shift
code source
author who blame
free available
boss manager supervisor report
raise salary increase
recurring repeat periodic regular
pr pull
mr pull
expire end
soon upcoming coming expire
pollution air
long length
decline down
used free left quota
cron periodic every night daily
`
