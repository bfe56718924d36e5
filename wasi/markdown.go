package wasi

import (
	"context"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// maxHTML is how many bytes html-to-markdown reads: nodes take some 200 times as many.
const maxHTML = 1 << 20

// html-to-markdown [-b CHAR] [-c FENCE] [-r RULE] [--heading-style=STYLE] [--domain=URL] [FILE]...
func htmlToMarkdown(ctx context.Context, p *proc) error {
	opts, names, err := p.getopt("b: bullet: c: code: r: hr: heading-style: domain:")
	if err != nil {
		return err
	}
	bullet, fence, rule, domain, heading := "-", "```", "---", "", commonmark.HeadingStyleATX
	for _, o := range opts {
		switch o.name {
		case "b", "bullet":
			bullet = o.value
			if bullet != "-" && bullet != "+" && bullet != "*" {
				return p.fail(1, "a bullet is -, + or *, not '%s'", bullet)
			}
		case "c", "code":
			fence = o.value
			if fence != "```" && fence != "~~~" {
				return p.fail(1, "a fence is ``` or ~~~, not '%s'", fence)
			}
		case "r", "hr":
			rule = o.value
		case "heading-style":
			switch o.value {
			case "atx":
			case "setext":
				heading = commonmark.HeadingStyleSetext
			default:
				return p.fail(1, "a heading style is atx or setext, not '%s'", o.value)
			}
		case "domain":
			domain = o.value
		}
	}
	data, err := p.inputs(names)
	if err != nil {
		return err
	}
	if len(data) > maxHTML {
		return p.fail(1, "the input has more than %d bytes", maxHTML)
	}
	conv := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), table.NewTablePlugin(), strikethrough.NewStrikethroughPlugin(),
		commonmark.NewCommonmarkPlugin(
			commonmark.WithBulletListMarker(bullet), commonmark.WithCodeBlockFence(fence), commonmark.WithHorizontalRule(rule),
			commonmark.WithHeadingStyle(heading), commonmark.WithEmDelimiter("_"), commonmark.WithListEndComment(false),
		),
	))
	text, err := convert(ctx, conv, string(data), domain)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return p.fail(1, "%v", err)
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	_, err = p.stdout.Write([]byte(text + "\n"))
	return written(err)
}

// convert runs a converter, which does not look whether it was told to stop: that is asked at each node, and at each
// character that might need a backslash, since some texts take a time that grows with their square.
func convert(ctx context.Context, conv *converter.Converter, text, domain string) (out string, err error) {
	type stopped struct{}
	look := func() {
		if ctx.Err() != nil {
			panic(stopped{})
		}
	}
	defer func() {
		fault := recover()
		if _, ok := fault.(stopped); ok {
			err = ctx.Err()
		} else if fault != nil {
			panic(fault)
		}
	}()
	first := converter.PriorityEarly - 1000
	conv.Register.Renderer(func(converter.Context, converter.Writer, *html.Node) converter.RenderStatus {
		look()
		return converter.RenderTryNext
	}, first)
	conv.Register.TextTransformer(func(_ converter.Context, s string) string { look(); return s }, first)
	conv.Register.UnEscaper(func([]byte, int) int { look(); return -1 }, first)
	return conv.ConvertString(text, converter.WithContext(ctx), converter.WithDomain(domain))
}
