// postal-mime
// A raw e-mail read: encoded headers, quoted-printable and base64 parts, attachments, nested messages and address groups.
import PostalMime, { addressParser, decodeWords } from "postal-mime";

const mail = ["From: =?UTF-8?B?QWRhIEzDtnZlbGFjZQ==?= <ada@example.com>", "To: Team: bob@example.com, \"C, D\" <cd@example.com>;", "Subject: =?ISO-8859-1?Q?Gr=FC=DFe?= =?UTF-8?Q?_=F0=9F=8E=89?=", "Message-ID: <1@example.com>", "Date: Thu, 29 Feb 2024 12:00:00 +0100", 'Content-Type: multipart/mixed; boundary="b1"', "", "--b1", 'Content-Type: multipart/alternative; boundary="b2"', "", "--b2", "Content-Type: text/plain; charset=iso-8859-1", "Content-Transfer-Encoding: quoted-printable", "", "caf=E9 soft=", " line", "--b2", "Content-Type: text/html; charset=utf-8", "Content-Transfer-Encoding: base64", "", btoa("<p>Hello</p>"), "--b2--", "--b1", "Content-Type: text/plain; name*=UTF-8''%C3%BC.txt", "Content-Disposition: attachment", "Content-Transfer-Encoding: base64", "", "aGk=", "--b1", "Content-Type: message/rfc822", "", "Subject: inner", "", "inner text", "--b1--", ""].join("\r\n");
export default {
  async fetch() {
    const { attachments, ...email } = await PostalMime.parse(mail);
    const stream = new Response(mail).body!;
    return Response.json({ email, attachments: attachments.map((a) => ({ ...a, content: [...new Uint8Array(a.content as ArrayBuffer)] })), stream: (await PostalMime.parse(stream)).subject, addresses: addressParser('A <a@b.c>, "x y" <z@z>, plain@e.com, Group: m@n;'), words: decodeWords("=?utf-8?Q?=C3=A5?= b"), text: (await PostalMime.parse(mail, { attachmentEncoding: "base64" })).attachments[0].content });
  },
};
