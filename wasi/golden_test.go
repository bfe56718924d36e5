package wasi_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

var golden = flag.Bool("golden", false, "write what yq, xan and html-to-markdown print into testdata/golden")

// goldenFiles is what the scripts of testdata/golden find.
var goldenFiles = sam.Files{
	"compose.yaml": "# two services\nversion: 1.0\nx-base: &base {restart: always, ports: [\"80:80\"]}\nservices:\n  web:\n    <<: *base\n    image: nginx\n    ports:\n      - \"8080:80\"\n  db: {<<: *base, image: postgres, env: {A: yes, B: \"1\"}}\nempty: []\nnone: ~\ntext: |\n  two\n  lines\n",
	"docs.yaml":    "---\nname: first\nn: 1\n---\nname: second\nn: 2\n", "a.json": `{"b":{"c":[1,2.50,"x"]},"a":null,"big":12345678901234567890}` + "\n",
	"a.toml": "title = \"x\"\n\n[owner]\nname = \"Tom\"\ndob = 1979-05-27\n\n[[items]]\nid = 1\nprice = 2.0\n\n[[items]]\nid = 2\n",
	"a.xml":  "<?xml version=\"1.0\"?>\n<root id=\"7\"><item n=\"1\">a &amp; b</item><item>c</item><empty/><one><two>deep</two></one></root>\n",
	"a.ini":  "; settings\nname = x\n[db]\nhost=localhost\nport=5432\nssl = true\n[db.pool]\nsize = 3 ; more\nlist[] = a\nlist[] = b\n",
	"a.tsv":  "name\tn\nada\t1\nbob\t2\n", "post.md": "---\ntitle: Hello\ntags: [a, b]\n---\n# Text\n---\nmore\n",
	"people.csv": "name,age,city\nada,36,london\ngrace,85,new york\nalan,41,london\nlinus,,helsinki\n", "cities.csv": "city,country\nlondon,uk\nhelsinki,fi\noslo,no\n",
	"sales.csv": "year,region,product,amount\n2023,north,a,10\n2023,south,a,5\n2024,north,b,7.5\n2024,north,a,2.5\n", "tags.csv": "id,tags\n1,a|b\n2,\n3,c\n",
	"odd.csv": "a,b,c\n1,2\n\"x, y\",\"say \"\"hi\"\"\",\"two\nlines\"\n", "semi.csv": "a;b\n1;2\n", "numbers.csv": "n\n10\n9\n-1\n2.5\n", "vec.csv": "id,vec_1,vec_2,x\n1,2,3,4\n",
	"page.html": "<html><head><title>T</title><style>p{}</style><script>x()</script></head><body><h1>Title</h1><p>Some <b>bold</b>, <i>it</i> and <code>x*y</code>, <a href=\"/a?b=1\">a link</a>.</p><ul><li>one<ul><li>deep</li></ul></li><li>two</li></ul><ol><li>x</li></ol><pre><code class=\"language-js\">let x = 1;\n</code></pre><blockquote>said</blockquote><hr><img src=\"i.png\" alt=\"pic\"><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2|3</td></tr></table><del>gone</del></body></html>",
}

// The scripts of testdata/golden print what stands below them, as one has read it and found it right; -golden writes what
// is printed now.
func TestGolden(t *testing.T) {
	for _, name := range []string{"yq", "xan", "html-to-markdown"} {
		file := "testdata/golden/" + name + ".txt"
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, c := range parseTranscripts(string(data)) {
			got := script(t.Context(), shared(), "{ "+c.script+"\n} 2>&1", wasi.Cmd{Files: project(t, goldenFiles)})
			if !*golden && (got.out != c.out || got.code != c.code) {
				t.Errorf("%s\n-- exit code %d\n%s\n-- expected, exit code %d\n%s", c.script, got.code, got.out, c.code, c.out)
			}
			c.out, c.code = got.out, got.code
			text.WriteString(c.String())
		}
		if *golden {
			if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What takes html-to-markdown long ends when it is told to.
func TestMarkdownStops(t *testing.T) {
	for _, text := range []string{strings.Repeat("*_`[", 1<<17), strings.Repeat("<i>x</i>", 1<<16)} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		got := script(ctx, shared(), "html-to-markdown", wasi.Cmd{Files: project(t, nil), Stdin: strings.NewReader(text)})
		cancel()
		if got.code != 130 && got.code != 124 && got.code != 0 {
			t.Errorf("%.10q: %+v", text, got.code)
		}
	}
	got := script(t.Context(), shared(), "html-to-markdown", wasi.Cmd{Files: project(t, nil), Stdin: strings.NewReader(strings.Repeat("x", 1<<21))})
	if got.code != 1 || got.out != "" {
		t.Errorf("two megabytes: %d, %.20q", got.code, got.out)
	}
}
