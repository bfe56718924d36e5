// fast-xml-parser
// A feed with attributes, CDATA, namespaces and entities parsed, ordered, validated and built again.
import { XMLBuilder, XMLParser, XMLValidator } from "fast-xml-parser";

const xml = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE feed [<!ENTITY co "ACME &amp; Co">]>
<feed xmlns:m="urn:m" version="2.0">
  <!-- a comment -->
  <title lang="de">Grüße &lt;b&gt; &#x1F600; &co;</title>
  <entry id="1" m:rank="007"><m:score>1.50</m:score><body><![CDATA[<p>raw & html</p>]]></body><empty/></entry>
  <entry id="2"><flag>true</flag><num>0x1F</num><big>12345678901234567890</big><mixed>a<b>c</b>d</mixed></entry>
</feed>`;

export default {
  fetch() {
    const options = { ignoreAttributes: false, attributeNamePrefix: "@", cdataPropName: "#cdata", isArray: (name: string) => name === "entry", parseAttributeValue: true, htmlEntities: true, trimValues: true };
    const parsed = new XMLParser(options).parse(xml);
    const ordered = new XMLParser({ preserveOrder: true, ignoreAttributes: false, commentPropName: "#comment", removeNSPrefix: true, processEntities: true }).parse(xml);
    const build = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: "@", cdataPropName: "#cdata", format: true, indentBy: " ", suppressEmptyNode: true });
    return Response.json({
      parsed, ordered, built: build.build(parsed), again: new XMLBuilder({ preserveOrder: true, ignoreAttributes: false, commentPropName: "#comment" }).build(ordered),
      strings: new XMLParser({ parseTagValue: false, tagValueProcessor: (name, v) => `${name}:${v}`, stopNodes: ["*.mixed"] }).parse(xml).feed.entry[1],
      valid: [xml, "<a><b></a>", "<a b=1/>", "<a/><b/>", "text"].map((s) => XMLValidator.validate(s, { allowBooleanAttributes: true })),
    });
  },
};
