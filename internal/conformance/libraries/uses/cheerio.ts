// cheerio
// Loading, selecting with :has, :not and attribute selectors, changing and serialising HTML and XML; extract.
import * as cheerio from "cheerio";

const page = `<!doctype html><title>Shop & co</title><ul id=list class="a b"><li data-id=1>One <b>bold</b><li data-id=2 class=sale>Two &eacute;<li>Three</ul>
<form><input name=q value="x y"><select name=s><option value=1><option value=2 selected>two</select><textarea name=t>text</textarea></form><p>para<p>tail<table><tr><td>1<td>2</table>`;

export default {
  async fetch() {
    const $ = cheerio.load(page);
    const found = $("li:has(b), li.sale:not([data-id='9'])").map((i, el) => $(el).text().trim()).get();
    const data = $.extract({ title: "title", ids: [{ selector: "li", value: "data-id" }], first: { selector: "#list", value: { text: "li:first-child" } } });
    $("#list").addClass("c").removeClass("a").append("<li>Four</li>").find("li").eq(2).attr("title", '"q" <').wrap("<div></div>").end().first().remove();
    $("p").each((i, el) => void $(el).text(`${i}: <escaped>`));
    const xml = cheerio.load('<feed xmlns:x="u"><x:item id="1"/><entry><![CDATA[a<b]]></entry></feed>', { xml: true });
    xml("x\\:item").attr("n", "2").after("<made/>");
    return Response.json({
      found, data, form: $("form").serializeArray(), query: $("form").serialize(), html: $.html(), list: $("#list").html(), css: $("ul").css("color", "red").attr("style"),
      parents: $("b").parentsUntil("body").map((_, e) => e.tagName).get(), near: $(".sale").prevAll().length, next: $("[data-id=2]").next().text(), is: $("td").last().is("td:nth-child(2)"),
      xml: xml.xml(), slim: cheerio.load("<a>1</a><br>", null, false).html(), prop: $("select").val(),
    });
  },
};
