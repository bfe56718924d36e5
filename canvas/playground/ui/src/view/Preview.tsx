// What is shown of a file that is not text: media as they are, anything else by its first bytes.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Doc } from "../store/docs";
import { kindOf, size } from "../store/kinds";
import { dragging } from "../store/layout";
import { messageOf } from "../store/state";

export function Preview({ doc }: { doc: Doc }) {
  const name = doc.name.value;
  const media = doc.kind !== "binary" && doc.kind !== "text";
  const [url, setUrl] = useState("");
  const [trouble, setTrouble] = useState("");
  const [facts, setFacts] = useState("");

  useEffect(() => {
    if (!media) return;
    let made = "";
    let gone = false;
    api.raw(doc.project, name).then(
      (b) => {
        if (gone) return;
        made = URL.createObjectURL(new Blob([b], { type: kindOf(name).type }));
        setUrl(made);
      },
      (e) => !gone && setTrouble(messageOf(e)),
    );
    return () => {
      gone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, []);

  if (!media || trouble) {
    return (
      <div class="hex" tabIndex={0} role="region" aria-label={`First bytes of ${name}`}>
        <p class="muted">{trouble || `${size(doc.size)}. These are its first bytes.`}</p>
        <pre>{dump(doc.head)}</pre>
      </div>
    );
  }
  return (
    <figure class="preview">
      {url && doc.kind === "image" && (
        <img src={url} alt={name} onError={() => setTrouble("This is not an image that the browser can show.")}
          onLoad={(e) => setFacts(`${e.currentTarget.naturalWidth} × ${e.currentTarget.naturalHeight}`)} />
      )}
      {url && doc.kind === "audio" && <audio src={url} controls />}
      {url && doc.kind === "video" && <video src={url} controls />}
      {url && doc.kind === "font" && <Specimen url={url} fail={() => setTrouble("This is not a font that the browser can show.")} />}
      {url && doc.kind === "pdf" && <Document url={url} name={name} />}
      {facts && <figcaption class="tag">{facts} · {size(doc.size)}</figcaption>}
    </figure>
  );
}

/** A PDF, in the browser's own viewer where it has one. */
function Document({ url, name }: { url: string; name: string }) {
  if (navigator.pdfViewerEnabled) return <iframe src={url + "#navpanes=0&view=FitH"} title={name} style={{ pointerEvents: dragging.value ? "none" : "auto" }} />;
  return (
    <div class="empty">
      <h2>{name.slice(name.lastIndexOf("/") + 1)}</h2>
      <p>This browser shows documents in another program.</p>
      <a class="btn primary" href={url} target="_blank" rel="noopener">Open the PDF</a>
    </div>
  );
}

const sizes = [14, 18, 24, 36, 56];

/** A font as it looks. */
function Specimen({ url, fail }: { url: string; fail: () => void }) {
  const [family, setFamily] = useState("");
  useEffect(() => {
    const face = new FontFace(`specimen-${Date.now()}`, `url(${url})`);
    let gone = false;
    face.load().then(
      () => {
        if (gone) return;
        document.fonts.add(face);
        setFamily(face.family);
      },
      () => !gone && fail(),
    );
    return () => {
      gone = true;
      document.fonts.delete(face);
    };
  }, [url]);
  return <div class="specimen" tabIndex={0} role="region" aria-label="Specimen" style={{ fontFamily: family }}>{family && sizes.map((s) => <p key={s} style={{ fontSize: s + "px" }}>Sphinx of black quartz, judge my vow 0123456789</p>)}</div>;
}

function dump(head: string): string {
  const bytes = atob(head).slice(0, 1024);
  const lines = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const part = [...bytes.slice(at, at + 16)];
    const hex = part.map((c) => c.charCodeAt(0).toString(16).padStart(2, "0"));
    const left = hex.slice(0, 8).join(" ").padEnd(23);
    const right = hex.slice(8).join(" ").padEnd(23);
    const text = part.map((c) => (c >= " " && c <= "~" ? c : ".")).join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${left}  ${right}  ${text}`);
  }
  return lines.join("\n");
}
