// What is shown of a file that is not text: media as they are, anything else by its first bytes.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Doc } from "../store/docs";
import { kindOf, size } from "../store/kinds";
import { messageOf } from "../store/state";

export function Preview({ doc }: { doc: Doc }) {
  const name = doc.name.value;
  const media = doc.kind === "image" || doc.kind === "audio" || doc.kind === "video";
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
      <figcaption class="tag">{[facts, size(doc.size)].filter(Boolean).join(" · ")}</figcaption>
    </figure>
  );
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
