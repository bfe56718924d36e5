package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

func (r *reader) yaml(data []byte) (docs []any, err error) {
	if len(data) > r.left/16 { // the package makes a node of each few bytes
		return nil, ErrRoom
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); err == io.EOF {
			return docs, nil
		} else if err != nil {
			return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
		}
		v, err := r.node(&n, 0)
		if err != nil {
			return nil, err
		}
		docs = append(docs, v)
	}
}

// node is a node as a value. An alias is what it stands for, and << takes the members of another map over.
func (r *reader) node(n *yaml.Node, depth int) (any, error) {
	if err := r.take(depth, len(n.Value)); err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil, nil
		}
		return r.node(n.Content[0], depth)
	case yaml.AliasNode:
		return r.node(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			v, err := r.node(c, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		return r.mapping(n, depth)
	case yaml.ScalarNode:
		return yamlScalar(n)
	}
	return nil, nil
}

func (r *reader) mapping(n *yaml.Node, depth int) (any, error) {
	m := Map{}
	own, places := map[string]bool{}, map[string]int{}
	set := func(key string, v any, mine bool) {
		i, there := places[key]
		switch {
		case !there:
			places[key] = len(m)
			m = append(m, Member{key, v})
		case mine || !own[key]:
			m[i].Value = v
		}
		own[key] = own[key] || mine
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		v, err := r.node(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if k.ShortTag() == "!!merge" {
			others, ok := v.([]any)
			if !ok {
				others = []any{v}
			}
			for j := len(others) - 1; j >= 0; j-- { // the first wins
				other, ok := others[j].(Map)
				if !ok {
					return nil, fmt.Errorf("line %d: << needs a map", k.Line)
				}
				for _, e := range other {
					set(e.Key, e.Value, false)
				}
			}
			continue
		}
		key, err := r.node(k, depth+1)
		if err != nil {
			return nil, err
		}
		name := text(key)
		if k.Kind == yaml.ScalarNode {
			name = k.Value
		}
		set(name, v, true)
	}
	return m, nil
}

func yamlScalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err == nil {
			return b, nil
		}
	case "!!int":
		plain := strings.ReplaceAll(n.Value, "_", "")
		if isNumber(plain) {
			return json.Number(plain), nil
		}
		if i, ok := new(big.Int).SetString(strings.TrimPrefix(plain, "+"), 0); ok {
			return json.Number(i.String()), nil
		}
	case "!!float":
		plain := strings.ReplaceAll(n.Value, "_", "")
		if isNumber(plain) {
			return json.Number(plain), nil
		}
		var f float64
		if err := n.Decode(&f); err == nil {
			switch {
			case math.IsNaN(f):
				return nil, nil // as jq has it
			case math.IsInf(f, 1):
				f = math.MaxFloat64
			case math.IsInf(f, -1):
				f = -math.MaxFloat64
			}
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64)), nil
		}
	case "!!timestamp":
		return Date(n.Value), nil
	}
	return n.Value, nil
}

// wordsOfOld are strings that readers of YAML 1.1 take for true and false.
var wordsOfOld = []string{"y", "n", "yes", "no", "on", "off"}

func writeYAML(v any, o *Options) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(min(max(o.Indent, 1), 9))
	if err := enc.Encode(yamlNode(v)); err != nil {
		return nil, err
	}
	err := enc.Close()
	return b.Bytes(), err
}

func yamlNode(v any) *yaml.Node {
	switch v := v.(type) {
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	case json.Number:
		tag := "!!int"
		if strings.ContainsAny(v.String(), ".eE") {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.String()}
	case string:
		n := &yaml.Node{}
		n.SetString(v)
		if slices.Contains(wordsOfOld, strings.ToLower(v)) {
			n.Style = yaml.DoubleQuotedStyle
		}
		return n
	case Date:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!timestamp", Value: string(v)}
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if len(v) == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, e := range v {
			n.Content = append(n.Content, yamlNode(e))
		}
		return n
	case Map:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if len(v) == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, e := range v {
			n.Content = append(n.Content, yamlNode(e.Key), yamlNode(e.Value))
		}
		return n
	}
	panic(fmt.Sprintf("documents: a value is a %T", v))
}
