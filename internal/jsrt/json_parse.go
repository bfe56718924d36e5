package jsrt

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A jsonParser makes values of JSON text. It runs no code: an object has no
// prototype while it is filled, so no setter is in reach. It throws what it finds wrong.
type jsonParser struct {
	rt    *Runtime
	vm    *goja.Runtime
	s     string // UTF-8; WTF-8 if wtf is set
	at    int
	wtf   bool
	lone  bool // the last string has surrogates without a partner
	depth int
	room  int64 // how many more values there may be
	list  []any // elements of the arrays that are open
	plain *plainView
	names []unistring.String // of the properties of the objects that are open
	vals  []goja.Value       // and their values
	buf   []byte             // for strings with escapes
	words *[jsonWords]jsonWord
	ints  *[jsonInts]goja.Value
	chunk strings.Builder // what strings are copied to, see keep
}

// Texts repeat short strings and small numbers. Those seen last are kept while a
// text is read, so that they are one value.
const (
	jsonWords    = 512
	jsonWordLen  = 24
	jsonInts     = 256
	jsonSmall    = 4 << 10 // texts up to here are taken as they are: no cache, strings as parts of the text
	jsonChunkLen = 4 << 10
)

// What values take in bytes, roughly. Where the length of texts is limited, all of a text may
// take jsonRoom times that.
const (
	jsonValueSize  = 24
	jsonArraySize  = 150
	jsonObjectSize = 300 // even if it is empty
	jsonMemberSize = 75

	jsonRoom = 4
)

type jsonWord struct {
	s string
	v goja.Value // nil until it is needed
}

func (rt *Runtime) parseJSON(text string, wtf bool) goja.Value {
	if rt.json.objectProto == nil {
		rt.json.objectProto = rt.VM.NewObject().Prototype()
	}
	p := jsonParser{rt: rt, vm: rt.VM, s: text, wtf: wtf, depth: rt.json.depth, room: math.MaxInt64}
	if rt.MaxText > 0 {
		p.room = jsonRoom * rt.MaxText
	}
	if len(text) > jsonSmall {
		p.plain = knownPlain()
		p.words, p.ints = new([jsonWords]jsonWord), new([jsonInts]goja.Value)
	}
	v := p.value()
	p.space()
	if p.at < len(p.s) {
		p.fail("Unexpected non-whitespace character after JSON")
	}
	return v
}

func (p *jsonParser) space() {
	for p.at < len(p.s) {
		switch p.s[p.at] {
		case ' ', '\n', '\t', '\r':
			p.at++
		default:
			return
		}
	}
}

// next returns the next byte that is no space, or 0 at the end.
func (p *jsonParser) next() byte {
	p.space()
	if p.at == len(p.s) {
		return 0
	}
	return p.s[p.at]
}

func (p *jsonParser) value() goja.Value {
	p.take(jsonValueSize)
	switch c := p.next(); c {
	case '"':
		return p.text()
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return p.number()
	case 't':
		p.literal("true")
		return p.vm.ToValue(true)
	case 'f':
		p.literal("false")
		return p.vm.ToValue(false)
	case 'n':
		p.literal("null")
		return goja.Null()
	}
	p.unexpected()
	return nil
}

// take takes n bytes of what there is room for.
func (p *jsonParser) take(n int64) {
	p.rt.Yield()
	if p.room -= n; p.room < 0 {
		p.rt.RangeError("JSON has too many values")
	}
}

func (p *jsonParser) literal(word string) {
	for i := range len(word) {
		if p.at == len(p.s) || p.s[p.at] != word[i] {
			p.unexpected()
		}
		p.at++
	}
}

func (p *jsonParser) enter() {
	p.at++
	if p.depth++; p.depth > maxJSONDepth {
		p.rt.RangeError("JSON is nested too deeply")
	}
}

func (p *jsonParser) object() goja.Value {
	p.enter()
	p.take(jsonObjectSize)
	c := p.next()
	if c == '}' {
		p.at++
		p.depth--
		return p.vm.NewObject()
	}
	if c != '"' {
		p.fail("Expected property name or '}' in JSON")
	}
	if p.plain != nil {
		return p.plainObject()
	}
	o := p.vm.CreateObject(nil)
	for first := true; first || p.more(); first = false {
		key := p.key()
		lone := p.lone
		v := p.member(first)
		if lone {
			p.rt.Call(p.rt.jsonOdd().set, goja.Undefined(), o, goja.StringFromUTF16(utf16OfWTF8(key)), v)
		} else {
			o.Set(key, v) // cannot fail on an ordinary object without a prototype
		}
	}
	p.depth--
	o.SetPrototype(p.rt.json.objectProto)
	return o
}

// plainObject reads an object and puts all of its properties into it at once.
func (p *jsonParser) plainObject() goja.Value {
	from := len(p.names)
	for first := true; first || p.more(); first = false {
		key := p.key()
		name := unistring.NewFromString(key)
		if p.lone {
			name = unistring.FromUtf16(append([]uint16{unistring.BOM}, utf16OfWTF8(key)...))
		}
		v := p.member(first)
		p.names, p.vals = append(p.names, name), append(p.vals, v)
	}
	p.depth--
	names, vals := p.names[from:], p.vals[from:]
	o := p.vm.NewObject()
	self := p.plain.objectOf(o)
	self.values = make(map[unistring.String]goja.Value, len(names))
	self.propNames = make([]unistring.String, 0, len(names))
	for i, name := range names {
		known := len(self.values)
		if self.values[name] = vals[i]; len(self.values) > known {
			self.propNames = append(self.propNames, name)
		}
	}
	clear(vals)
	p.names, p.vals = p.names[:from], p.vals[:from]
	return o
}

// more goes on to the name of the next property, if there is one.
func (p *jsonParser) more() bool {
	switch p.next() {
	case ',':
		p.at++
		if p.next() != '"' {
			p.fail("Expected double-quoted property name in JSON")
		}
		return true
	case '}':
		p.at++
	default:
		p.fail("Expected ',' or '}' after property value in JSON")
	}
	return false
}

// member reads what stands behind the name of a property.
func (p *jsonParser) member(first bool) goja.Value {
	if p.next() != ':' {
		if !first { // V8 says it of the first property only
			p.unexpected()
		}
		p.fail("Expected ':' after property name in JSON")
	}
	p.at++
	p.take(jsonMemberSize)
	return p.value()
}

func (p *jsonParser) array() goja.Value {
	p.enter()
	p.take(jsonArraySize)
	from := len(p.list)
	if p.next() == ']' {
		p.at++
		p.depth--
		return p.vm.NewArray()
	}
	for {
		p.list = append(p.list, p.value())
		switch p.next() {
		case ',':
			p.at++
			continue
		case ']':
			p.at++
		default:
			p.fail("Expected ',' or ']' after array element in JSON")
		}
		break
	}
	a := p.vm.NewArray(p.list[from:]...)
	clear(p.list[from:])
	p.list = p.list[:from]
	p.depth--
	return a
}

func (p *jsonParser) number() goja.Value {
	s, from := p.s, p.at
	negative := s[p.at] == '-'
	if negative {
		p.at++
	}
	first, n, whole := p.at, int64(0), true
	for p.at < len(s) && s[p.at]-'0' <= 9 {
		n = n*10 + int64(s[p.at]-'0') // overflows only where n is not used
		p.at++
	}
	digits := p.at - first
	if digits == 0 {
		p.fail("No number after minus sign in JSON")
	}
	if digits > 1 && s[first] == '0' {
		p.at = first + 1
		p.fail("Unexpected number in JSON")
	}
	if p.at < len(s) && s[p.at] == '.' {
		whole = false
		p.at++
		p.digits("Unterminated fractional number in JSON")
	}
	if p.at < len(s) && s[p.at]|0x20 == 'e' {
		whole = false
		p.at++
		if p.at < len(s) && (s[p.at] == '+' || s[p.at] == '-') {
			p.at++
		}
		p.digits("Exponent part is missing a number in JSON")
	}
	if !whole || digits > 15 || negative && n == 0 {
		f, _ := strconv.ParseFloat(s[from:p.at], 64) // out of range is an infinity
		return p.vm.ToValue(f)
	}
	if negative {
		n = -n
	}
	if p.ints == nil {
		return p.vm.ToValue(n)
	}
	slot := &p.ints[uint64(n)%jsonInts]
	if *slot == nil || (*slot).ToInteger() != n {
		*slot = p.vm.ToValue(n)
	}
	return *slot
}

func (p *jsonParser) digits(missing string) {
	from := p.at
	for p.at < len(p.s) && p.s[p.at]-'0' <= 9 {
		p.at++
	}
	if p.at == from {
		p.fail(missing)
	}
}

// text reads a string as a value.
func (p *jsonParser) text() goja.Value {
	s, fresh := p.str()
	if p.lone {
		return goja.StringFromUTF16(utf16OfWTF8(s))
	}
	if w := p.word(s); w != nil {
		if w.v == nil {
			w.v = p.vm.ToValue(w.s)
		}
		return w.v
	}
	if !fresh {
		s = p.keep(s)
	}
	return p.vm.ToValue(s)
}

// key reads a string as the name of a property.
func (p *jsonParser) key() string {
	s, fresh := p.str()
	if w := p.word(s); w != nil && !p.lone {
		return w.s
	}
	if !fresh {
		s = p.keep(s)
	}
	return s
}

// word returns where a short string is cached, if it may be.
func (p *jsonParser) word(s string) *jsonWord {
	if p.words == nil || len(s)-1 >= jsonWordLen || len(s) == 0 || p.lone {
		return nil
	}
	w := &p.words[(uint(len(s))*31+uint(s[0])+uint(s[len(s)-1])*7+uint(s[len(s)/2])*67)%jsonWords]
	if w.s != s {
		w.s, w.v = p.keep(s), nil
	}
	return w
}

// keep returns a copy of a part of the text, so that not all of a large text stays in memory
// as long as a part of it. The copies share some memory.
func (p *jsonParser) keep(s string) string {
	if p.words == nil {
		return s
	}
	if len(s) > jsonChunkLen/4 {
		return strings.Clone(s)
	}
	if p.chunk.Cap()-p.chunk.Len() < len(s) {
		p.chunk = strings.Builder{}
		p.chunk.Grow(jsonChunkLen)
	}
	from := p.chunk.Len()
	p.chunk.WriteString(s)
	return p.chunk.String()[from:]
}

// str reads a string. fresh is whether it shares no memory with the text. It sets p.lone.
func (p *jsonParser) str() (s string, fresh bool) {
	p.at++
	from, high := p.at, byte(0)
	text := p.s
	p.lone = false
	for i := from; i < len(text); i++ {
		c := text[i]
		if jsonPlain[c] {
			high |= c
			continue
		}
		p.at = i
		switch c {
		case '"':
			p.at++
			s = text[from:i]
			p.lone = p.wtf && high >= utf8.RuneSelf && hasSurrogate(s)
			return s, false
		case '\\':
			return p.escaped(from), true
		}
		p.fail("Bad control character in string literal in JSON")
	}
	p.at = len(text)
	p.fail("Unterminated string in JSON")
	return "", false
}

// jsonPlain says which bytes stand for themselves in a string.
var jsonPlain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return t
}()

func hasSurrogate(s string) bool {
	for i := range len(s) {
		if _, ok := surrogateAt(s, i); ok {
			return true
		}
	}
	return false
}

// escaped reads the rest of a string that began at from; at p.at is its first backslash.
func (p *jsonParser) escaped(from int) string {
	b := append(p.buf[:0], p.s[from:p.at]...)
	surrogates := p.wtf
	for {
		start := p.at
		for p.at < len(p.s) && jsonPlain[p.s[p.at]] {
			p.at++
		}
		b = append(b, p.s[start:p.at]...)
		if p.at == len(p.s) {
			p.fail("Unterminated string in JSON")
		}
		switch p.s[p.at] {
		case '"':
			p.at++
			p.buf = b
			s := string(b)
			if surrogates {
				p.lone = hasSurrogate(s)
			}
			return s
		case '\\':
		default:
			p.fail("Bad control character in string literal in JSON")
		}
		if p.at++; p.at == len(p.s) {
			p.unexpected()
		}
		c := p.s[p.at]
		if c == 'u' {
			r := p.unicode()
			if utf16.IsSurrogate(r) {
				surrogates = true
				if strings.HasPrefix(p.s[p.at:], `\u`) {
					if n := len(p.s); p.at+6 <= n {
						if low, err := strconv.ParseUint(p.s[p.at+2:p.at+6], 16, 16); err == nil {
							if pair := utf16.DecodeRune(r, rune(low)); pair != utf8.RuneError {
								p.at += 6
								r = pair
							}
						}
					}
				}
			}
			b = appendWTF8(b, r)
			continue
		}
		plain := jsonEscapes[c]
		if plain == 0 {
			p.fail("Bad escaped character in JSON")
		}
		b = append(b, plain)
		p.at++
	}
}

// jsonEscapes is what a character stands for after a backslash.
var jsonEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicode reads the four digits after \u; at p.at is the u.
func (p *jsonParser) unicode() (r rune) {
	for range 4 {
		p.at++
		c := byte(0)
		if p.at < len(p.s) {
			c = p.s[p.at]
		}
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			p.fail("Bad Unicode escape in JSON")
		}
	}
	p.at++
	return r
}
