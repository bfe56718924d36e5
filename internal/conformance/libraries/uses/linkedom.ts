// linkedom
// A document of our own: parsing, selecting, building, events, custom elements, templates, ranges and XML.
import { DOMParser, parseHTML } from "linkedom";

export default {
  fetch() {
    const { document, customElements, HTMLElement, CustomEvent, Event } = parseHTML(`<!doctype html><html><head><title>T</title></head><body><main id="m" class="a b" data-user-id="7"><p>One <b>two</b></p><p hidden>&lt;three&gt;</p><my-tag name="x"></my-tag></main></body></html>`) as any;
    const log: unknown[] = [];
    customElements.define("my-tag", class extends HTMLElement {
      static observedAttributes = ["name"];
      connectedCallback() { log.push("connected " + this.getAttribute("name")); this.innerHTML = `<i>${this.getAttribute("name")}</i>`; }
      attributeChangedCallback(n: string, a: string, b: string) { log.push([n, a, b]); }
    });
    const main = document.getElementById("m"), button = document.createElement("button");
    main.append(button, "text & more");
    main.addEventListener("click", (e: any) => log.push(["bubbled", e.target.localName, e.detail]));
    button.addEventListener("click", (e: any) => { log.push("own"); e.preventDefault(); }, { once: true });
    log.push(button.dispatchEvent(new CustomEvent("click", { bubbles: true, cancelable: true, detail: 5 })), button.dispatchEvent(new Event("click")));
    document.querySelector("my-tag").setAttribute("name", "y");
    main.classList.toggle("b"); main.dataset.more = "1"; main.style.color = "red";
    main.querySelector("p").insertAdjacentHTML("afterend", "<hr><!--c-->");
    const fragment = document.createDocumentFragment();
    for (const n of [1, 2]) fragment.appendChild(document.createElement("li")).textContent = `${n} <`;
    main.replaceChild(fragment, main.querySelector("b").parentNode);
    const xml = new DOMParser().parseFromString('<a xmlns:x="u"><x:b k="1"/>t</a>', "text/xml");
    return Response.json({ html: document.toString(), log, all: [...main.querySelectorAll(":scope > li:nth-child(odd), [hidden]")].map((e: any) => e.outerHTML), text: main.textContent, data: { ...main.dataset }, closest: button.closest("main.a")?.id, matches: button.matches("main > button"), walk: main.children.length, xml: xml.toString(), clone: main.cloneNode(true).isEqualNode(main) });
  },
};
