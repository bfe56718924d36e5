package wasi_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"samkit.dev/sam"
	"samkit.dev/wasi"
)

// Scripts print here what they print on Debian, with its bash and its tools, and exit with
// the same code. The words of messages may differ; ROUGH_EDGES.md has what else does. Tools that a machine lacks are
// left out; what CI runs on has all.
func TestLikeDebian(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if version, _ := os.ReadFile("/etc/debian_version"); (err != nil || len(version) == 0) && os.Getenv("CI") == "" {
		t.Skip("this is no Debian with bash")
	}
	files := sam.Files{
		"people.csv": "name,age,city\nada,36,london\ngrace,85,new york\nalan,41,london\nlinus,,helsinki\n",
		"words.txt":  "the quick brown fox\njumps over the lazy dog\n\nThe end\n\ttab and  spaces\n",
		"nums.txt":   "10\n9\n100\n1\n-3\n2.5\n",
		"left.txt":   "1 a\n2 b\n3 c\n5 e\n", "right.txt": "1 x\n3 y\n4 z\n",
		"data.json":   `{"users":[{"name":"ada","n":1},{"name":"bob","n":2}],"ok":true}` + "\n",
		"src/main.js": "import x from './lib.js'\nconsole.log(x) // TODO\n", "src/lib.js": "export default 1\n", "src/deep/er/a.txt": "deep\n", "empty.txt": "",
	}
	for _, script := range []string{
		`sort nums.txt; sort -n nums.txt; sort -rn nums.txt | head -n 2; sort -u -k1,1 left.txt right.txt`,
		`sort -t, -k2,2n people.csv; sort -t, -k3,3 -k1,1r people.csv`,
		`cut -d, -f1,3 people.csv; cut -c2-4 words.txt; cut -d' ' -f2- left.txt`,
		`tr a-z A-Z <words.txt; tr -d aeiou <words.txt; tr -s ' ' <words.txt; echo aabbcc | tr -cs a-b '\n'`,
		`grep -n the words.txt; grep -i THE words.txt; grep -v e words.txt; grep -c o words.txt; grep -o 'o.' words.txt; grep -w the words.txt`,
		`grep -E '^(t|j)' words.txt; grep -F . nums.txt; grep -A1 quick words.txt; grep -B1 lazy words.txt; grep -l TODO src/*.js; grep -L TODO src/*.js; grep -q nothing words.txt; echo $?`,
		`grep -rn TODO src; grep -rc e src/deep; grep -e quick -e lazy words.txt; grep -m 1 e words.txt; grep -x 'The end' words.txt`,
		`sed 's/the/THE/' words.txt; sed -n '2p' words.txt; sed '1d;$d' words.txt; sed -E 's/(q)(u)/\2\1/' words.txt; sed '/lazy/,$d' words.txt; sed 's/o/0/2' words.txt`,
		`sed -n '/quick/,/lazy/p' words.txt; sed 'y/abc/xyz/' words.txt; sed '2a added' nums.txt; sed '2i before' nums.txt; sed '$!N;s/\n/-/' nums.txt; sed = nums.txt | sed 'N;s/\n/ /'`,
		`head -n 2 words.txt; tail -n 2 words.txt; head -c 5 words.txt; echo; tail -c 4 nums.txt; tail -n +5 nums.txt`,
		`wc -l <words.txt; wc -w <words.txt; wc -c <words.txt; cat empty.txt | wc -c`,
		`uniq -c <<<$'a\na\nb\na'; uniq -d <<<$'a\na\nb'; uniq -u <<<$'a\na\nb'; sort words.txt | uniq | wc -l`,
		`paste left.txt right.txt; paste -d, left.txt right.txt; paste -s -d+ nums.txt; seq 6 | paste - - -`,
		`join left.txt right.txt; join -a 1 left.txt right.txt; join -v 2 left.txt right.txt; join -a1 -a2 -e - -o 0,1.2,2.2 left.txt right.txt`,
		`comm left.txt right.txt; comm -12 left.txt right.txt; comm -3 <(seq 3) <(seq 2 4)`,
		`diff left.txt right.txt >/dev/null; echo $?; diff left.txt left.txt; echo $?; diff -q left.txt right.txt >/dev/null; echo $?; cmp left.txt left.txt && echo same`,
		`nl nums.txt; tac nums.txt; rev nums.txt; expand words.txt; expand -t 4 words.txt | unexpand -t 4`,
		`seq 3; seq 2 2 8; seq 5 -2 1; seq -s, 3; seq -w 8 10`,
		`basename a/b/c.txt .txt; dirname a/b/c.txt; basename /; dirname x`,
		`echo -n abc | base64; echo YWJj | base64 -d; echo; echo abc | md5sum; echo abc | sha256sum; echo abc | sha1sum; echo abc | cksum`,
		`printf '%5d|%-5s|%x|%c|%%\n' 42 ab 255 xyz; printf '%s\n' a b c; printf '%b' 'a\tb\n'`,
		`find . -name '*.js' | sort; find src -type d | sort; find . -empty | sort; find . -path './src/*' -name 'a*' | sort; find . -maxdepth 1 -type f -size +100c | sort`,
		`find src -name '*.js' -exec cat {} + | sort; find src -type f -print0 | sort -z | xargs -0 -n1 echo; find . -name '*.txt' ! -name 'n*' | sort; find src -name deep -prune -o -type f -print | sort`,
		`find src -printf '%f %d %y\n' | sort; find . -type f -newer nothing 2>/dev/null; echo $?; find src -regex '.*/[lm].*\.js' | sort`,
		`seq 5 | xargs; seq 5 | xargs -n 2; echo 'a b' | xargs -I{} echo '<{}>'; printf 'a\nb\n' | xargs -d '\n' -n1 echo x; echo 1 2 | xargs sh -c 'echo $0 $1'; false | xargs -r echo no`,
		`column -t left.txt; printf 'a:b\nccc:d\n' | column -t -s:; printf 'a:b\nccc:d\n' | column -t -s: -o '|'`,
		`expr 1 + 2; expr 7 / 2; expr abc : 'a\(.*\)'; test 1 -lt 2 && echo y; [ -d src ] && echo d; [ -f src ] || echo n; [ -s empty.txt ] || echo empty`,
		`mkdir -p a/b && touch a/b/c && ls a/b && mv a/b/c a/d && ls a && cp -r a z && ls -R z && rm -r a z && ls`,
		`cp left.txt new.txt; cat left.txt >>new.txt; wc -l <new.txt; rm new.txt; rm nothing 2>/dev/null; echo $?; rm -f nothing; echo $?; mkdir src 2>/dev/null; echo $?`,
		`tar cf x.tar src && tar tf x.tar | sort && rm -r src && tar xf x.tar && cat src/lib.js; gzip -c nums.txt | gzip -dc | head -n 1; gzip nums.txt; ls; gunzip nums.txt.gz; wc -l <nums.txt`,
		`split -l 2 nums.txt part_; ls part_*; cat part_ab; tee one two <left.txt >/dev/null; cmp one two; echo $?`,
		`date -u -d @86400 +%Y-%m-%dT%H:%M:%S; date -u -d '2024-02-29 12:00' +%j`,
		`awk -F, 'NR > 1 { s += $2 } END { print s }' people.csv; awk '{ print NF, $1 }' words.txt; awk 'length > 10' words.txt; awk -v x=3 'BEGIN { print x * 2, substr("hello", 2, 3), toupper("a"), index("abc", "c") }'`,
		`awk -F, '{ c[$3]++ } END { for (k in c) print k, c[k] }' people.csv | sort; awk 'BEGIN { printf "%d %s %.2f\n", 3.9, "x", 2 / 3; exit 2 }'; echo $?; awk '{ gsub(/o/, "0"); print }' words.txt; awk 'NR == 2, NR == 4' words.txt`,
		`jq -r '.users[].name' data.json; jq '.users | length' data.json; jq -c '.users | map(.n) | add' data.json; jq -e .missing data.json; echo $?; jq -n '1 + 1'; echo '[3,1,2]' | jq -c sort; jq -r '.users[] | [.name, .n] | @csv' data.json`,
		`jq -r '.users[] | "\(.name)=\(.n)"' data.json; jq -s length nums.txt; jq -R . nums.txt | head -n 1; jq --arg x y -n '$x'; echo '{"a":1}' | jq 'keys, has("a"), (.a |= . + 1)'`,
		`sqlite3 x.db 'create table t(a, b); insert into t values (1, "x"), (2, "y")'; sqlite3 x.db 'select * from t'; sqlite3 -header -csv x.db 'select * from t'; sqlite3 x.db 'select sum(a), group_concat(b) from t'; sqlite3 :memory: '.mode json' 'select 1 as a'`,
		`x=hello; echo ${x:1:2} ${x#he} ${x%lo} ${x/l/L} ${x//l/L} ${x^} ${x^^} ${#x} ${y:-d} ${x:+s}; a=(1 2 3); echo ${a[@]} ${#a[@]} ${a[-1]} ${a[@]:1}; declare -A m=([k]=v); echo ${m[k]} ${!m[@]}`,
		`for i in {1..3} {a..c}; do echo -n $i; done; echo; for ((i = 0; i < 3; i++)); do echo -n $i; done; echo; i=3; until [ $i = 0 ]; do i=$((i - 1)); [ $i = 1 ] && continue; echo $i; done`,
		`case foo.txt in *.md) echo md;; *.txt | *.text) echo txt;; esac; if [[ abc == a* && 5 -gt 3 ]]; then echo yes; fi; [[ foo123 =~ ([a-z]+)([0-9]+) ]] && echo ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}`,
		`f() { local a=$1; echo "$# $a $*"; return 7; }; f x y; echo $?; g() { echo in; } >out; g; cat out; set -- a 'b c'; for x in "$@"; do echo "<$x>"; done; shift; echo $1`,
		`echo $((1 + 2 * 3)) $((2 ** 10)) $((7 % 3)) $((1 << 4)) $((5 > 3 ? 1 : 0)) $((0x1f)) $((010)); ((i = 5, i++)); echo $i; let j=i*2; echo $j`,
		"cat <<EOF\n$((1 + 1)) `echo x` \\$y\nEOF\ncat <<'EOF'\n$x\nEOF\ncat <<-EOF\n\ttab\n\tEOF\n",
		`false || echo a; true && echo b; ! true; echo $?; (exit 3); echo $?; { echo x; } | cat; set -o pipefail; false | true; echo $?; nothing-like-this 2>/dev/null; echo $?`,
		`echo out; echo err >&2; { echo a; echo b >&2; } 2>/dev/null; { echo a; echo b >&2; } 2>&1 | sort; ls nothing >/dev/null 2>&1 || echo failed; echo x >/dev/null; cat <left.txt >copy; cat copy`,
		`while IFS=, read -r n a c; do echo "$c:$n"; done < <(grep -v ,, people.csv); IFS=:; x=a:b:c; set -- $x; echo $2; read -r a b <<<"1 2 3"; echo $b; mapfile -t l <nums.txt; echo ${#l[@]} ${l[1]}`,
		`echo *.txt; echo src/*/; echo no*such; echo "*.txt"; shopt -s nullglob; echo no*such; echo [ln]*.txt; echo src/**/*.js`,
		`eval 'x=5; echo $x'; echo 'echo $1 sourced; v=7' >s.sh; . ./s.sh arg; echo $v; sh s.sh y; bash -c 'echo $0 $1' a b; trap 'echo bye' EXIT; echo last`,
		`yes | head -n 2; seq 100000 | tail -n 1; seq 1000 | sort -rn | head -n 1; timeout 0.1 sleep 5; echo $?; echo a | timeout 5 cat`,
		`env -i A=1 B=2 env | sort; A=5 sh -c 'echo $A'; export C=6; sh -c 'echo $C'; unset C; echo "[$C]"; readonly R=1; printenv A; echo $?`,
		`od -An -tx1 left.txt; head -c 4 left.txt | xxd; strings left.txt | head -n 1; stat -c '%s %F' left.txt; stat -c %n src; du -b left.txt | cut -f1; truncate -s 3 left.txt; wc -c <left.txt; factor 84`,
	} {
		t.Run(script[:min(len(script), 40)], func(t *testing.T) {
			for _, tool := range []string{"jq", "sqlite3", "column", "xxd", "bc"} {
				if _, err := exec.LookPath(tool); err != nil && strings.Contains(script, tool+" ") && os.Getenv("CI") == "" {
					t.Skip("the machine has no", tool)
				}
			}
			dir := t.TempDir()
			for name, data := range files {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), bash, "-c", script)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "LC_ALL=C.UTF-8", "TZ=UTC"}
			var out bytes.Buffer
			cmd.Stdout = &out
			err := cmd.Run()
			code := 0
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				code = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			got := script2(t, script, files)
			if got.out != out.String() || got.code != code {
				t.Errorf("%s\n-- here, exit code %d\n%s\n-- on Debian, exit code %d\n%s\n-- messages\n%s", script, got.code, got.out, code, out.String(), got.err)
			}
		})
	}
}

func script2(t *testing.T, text string, files sam.Files) result {
	return script(t.Context(), shared(), text, wasi.Cmd{Files: project(t, files)})
}
