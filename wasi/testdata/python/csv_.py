import csv
import io
text = 'name,note,n\nada,"says ""hi"", twice",1\n"new\nline",,2\n'
for row in csv.DictReader(io.StringIO(text)):
    print(row)
with open("out.csv", "w", newline="") as f:
    w = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
    w.writerow(["a", 1, 2.5, None, 'q"q'])
    csv.DictWriter(f, ["x", "y"], extrasaction="ignore", delimiter=";").writerow({"x": 1, "y": "a;b", "z": 0})
print(repr(open("out.csv", newline="").read()))
print(csv.Sniffer().sniff("a;b;c\n1;2;3\n").delimiter, list(csv.reader(["a\tb"], "excel-tab")))
try:
    list(csv.reader(['"x'], strict=True))
except csv.Error as e:
    print(e)
