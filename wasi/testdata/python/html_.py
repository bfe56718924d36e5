import base64
import html
import textwrap
import unicodedata
import urllib.parse
import uuid
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from string import Template

class Links(HTMLParser):
    def handle_starttag(self, tag, attrs):
        if tag == "a":
            print(dict(attrs), self.getpos())
    def handle_data(self, data):
        if data.strip():
            print(repr(data))

Links().feed('<p>One &amp; two\n<a href="/x?a=1&amp;b=2" class=c>link</a><br/><!-- no --><a>')
print(html.escape("<a href='x'>\"&\"</a>"), html.unescape("&eacute; &#8364; &lt &notit; &#x1F600;"))
root = ET.fromstring("<r a='1'><c>t&amp;u</c><c/>tail</r>")
print([(c.tag, c.text, c.tail) for c in root], ET.tostring(root), root.find("c").text)
try:
    ET.fromstring("<a><b></a>")
except ET.ParseError as e:
    print(e)
u = urllib.parse.urlsplit("https://u:p@ex.org:8080/a%20b/;p?q=1&q=%C3%A9#f")
print(u.hostname, u.port, urllib.parse.parse_qs(u.query), urllib.parse.quote("a b/é?"), urllib.parse.urljoin("http://a/b/c", "../d"), urllib.parse.urlencode({"a": [1, 2]}, doseq=True))
print(unicodedata.normalize("NFD", "é").encode(), unicodedata.name("€"), base64.b64encode(b"\xff\xfe"), uuid.uuid5(uuid.NAMESPACE_DNS, "x"))
print(textwrap.fill("the quick brown fox jumps over the lazy dog", 20), Template("$a ${b}c").substitute(a=1, b=2))
