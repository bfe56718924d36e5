import re
log = "2024-02-29 12:00:01 GET /a/b?x=1 200\n2024-03-01 00:00:59 POST /c 404\n"
line = re.compile(r"(?P<day>\d{4}-\d\d-\d\d) (\S+) (?P<verb>GET|POST) (?P<path>\S+) (\d+)", re.M)
for m in line.finditer(log):
    print(m.groupdict(), m.span("path"), m.group(5))
print(re.sub(r"(\w+)@(\w+)", r"\2 at \1", "ada@lovelace, x@y"))
print(re.split(r"[,;]\s*", "a, b;c;;d"), re.findall(r"(?i)\bthe\b", "The other the"))
print(re.sub(r"\d+", lambda m: str(int(m[0]) * 2), "a1b22"), re.fullmatch(r"(?:ab)+", "ababa"), re.escape("a.b*c"))
print(re.search(r"(?<=€)\d+(?!\d|%)", "€10% €25")[0], re.findall(r"[^\W\d_]+", "naïve Ærø 12 x_y"))
try:
    re.compile("(a")
except re.error as e:
    print(e)
