package documents

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// An element is one that is read: its attributes and elements by their names, and its text.
type element struct {
	name    string
	members Map
	counts  map[string]int
	text    strings.Builder
}

func (e *element) add(name string, v any) {
	if e.counts == nil {
		e.counts = map[string]int{}
	}
	e.counts[name]++
	if e.counts[name] == 1 {
		e.members = append(e.members, Member{name, v})
		return
	}
	for i := range e.members {
		if e.members[i].Key != name {
			continue
		}
		if e.counts[name] == 2 {
			e.members[i].Value = []any{e.members[i].Value}
		}
		e.members[i].Value = append(e.members[i].Value.([]any), v)
	}
}

// value is an element without attributes and elements as its text, any other as a map.
func (e *element) value(o *Options) any {
	text := strings.TrimSpace(e.text.String())
	switch {
	case len(e.members) == 0 && text == "":
		return nil
	case len(e.members) == 0:
		return text
	case text != "":
		return e.members.put(o.Content, text)
	}
	return e.members
}

// instruction is before the names of what <?name …?> says.
const instruction = "+p_"

func (r *reader) xml(data []byte) (any, error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.Entity = xml.HTMLEntity
	stack := []*element{{}}
	fail := func(err error) error {
		line, _ := dec.InputPos()
		return fmt.Errorf("line %d: %w", line, err)
	}
	for {
		t, err := dec.RawToken() // which leaves the prefixes of names
		if err == io.EOF {
			break
		}
		if err != nil {
			var syntax *xml.SyntaxError
			if errors.As(err, &syntax) {
				return nil, fmt.Errorf("line %d: %s", syntax.Line, syntax.Msg)
			}
			return nil, fail(err)
		}
		top := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			if err := r.take(len(stack), len(t.Name.Local)); err != nil {
				return nil, err
			}
			e := &element{name: qualified(t.Name)}
			for _, a := range t.Attr {
				if err := r.take(0, len(a.Name.Local)+len(a.Value)); err != nil {
					return nil, err
				}
				e.add(r.o.Attribute+qualified(a.Name), a.Value)
			}
			stack = append(stack, e)
		case xml.EndElement:
			if len(stack) == 1 || top.name != qualified(t.Name) {
				return nil, fail(fmt.Errorf("</%s> ends nothing", qualified(t.Name)))
			}
			stack = stack[:len(stack)-1]
			stack[len(stack)-1].add(top.name, top.value(r.o))
		case xml.CharData:
			if err := r.take(0, len(t)); err != nil {
				return nil, err
			}
			if len(stack) == 1 && strings.TrimSpace(string(t)) != "" {
				return nil, fail(errors.New("text stands outside of all elements"))
			}
			top.text.Write(t)
		case xml.ProcInst:
			if len(stack) == 1 {
				top.add(instruction+t.Target, string(t.Inst))
			}
		}
	}
	if len(stack) > 1 {
		return nil, fail(fmt.Errorf("<%s> has no end", stack[len(stack)-1].name))
	}
	return stack[0].value(r.o), nil
}

func qualified(n xml.Name) string {
	if n.Space != "" {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

func writeXML(v any, o *Options) ([]byte, error) {
	m, ok := v.(Map)
	if !ok {
		return nil, errors.New("XML is a map of elements, which this is not")
	}
	w := &xmlWriter{o: o}
	for _, e := range m {
		if name, ok := strings.CutPrefix(e.Key, instruction); ok {
			fmt.Fprintf(&w.b, "<?%s %s?>", name, text(e.Value))
			w.line()
			continue
		}
		if err := w.member(e.Key, e.Value, 0); err != nil {
			return nil, err
		}
	}
	if o.Indent == 0 {
		w.b.WriteByte('\n')
	}
	return w.b.Bytes(), nil
}

type xmlWriter struct {
	o *Options
	b bytes.Buffer
}

func (w *xmlWriter) line() {
	if w.o.Indent > 0 {
		w.b.WriteByte('\n')
	}
}

func (w *xmlWriter) escape(s string) { xml.EscapeText(&w.b, []byte(s)) }

// member writes one element, or several if v is an array.
func (w *xmlWriter) member(name string, v any, level int) error {
	if list, ok := v.([]any); ok {
		for _, e := range list {
			if err := w.member(name, e, level); err != nil {
				return err
			}
		}
		return nil
	}
	if name == "" || strings.ContainsAny(name, " \t\r\n<>&\"'/=?!") {
		return fmt.Errorf("%q is no name of an element", name)
	}
	indent := strings.Repeat(" ", w.o.Indent*level)
	w.b.WriteString(indent + "<" + name)
	m, ok := v.(Map)
	if !ok {
		if t := text(v); t == "" {
			w.b.WriteString("/>")
		} else {
			w.b.WriteByte('>')
			w.escape(t)
			w.b.WriteString("</" + name + ">")
		}
		w.line()
		return nil
	}
	content, elements := "", 0
	for _, e := range m {
		if attr, ok := strings.CutPrefix(e.Key, w.o.Attribute); ok && w.o.Attribute != "" {
			if attr == "" || strings.ContainsAny(attr, " \t\r\n<>&\"'/=") {
				return fmt.Errorf("%q is no name of an attribute", attr)
			}
			w.b.WriteString(" " + attr + `="`)
			w.escape(text(e.Value))
			w.b.WriteByte('"')
		} else if e.Key == w.o.Content {
			content = text(e.Value)
		} else {
			elements++
		}
	}
	if content == "" && elements == 0 {
		w.b.WriteString("/>")
		w.line()
		return nil
	}
	w.b.WriteByte('>')
	w.escape(content)
	if elements > 0 {
		w.line()
		for _, e := range m {
			if e.Key == w.o.Content || w.o.Attribute != "" && strings.HasPrefix(e.Key, w.o.Attribute) {
				continue
			}
			if err := w.member(e.Key, e.Value, level+1); err != nil {
				return err
			}
		}
		w.b.WriteString(indent)
	}
	w.b.WriteString("</" + name + ">")
	w.line()
	return nil
}
