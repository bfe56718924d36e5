import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { createFile } from "../store/files";
import { dragging } from "../store/layout";
import { files, open } from "../store/state";
import { asked, device, devices, go, overlaid, reloadCanvas, shown, turn, turned, unanswered, type Device } from "../store/canvas";
import { failing } from "../store/console";
import { attempt } from "../store/toasts";
import { ErrorNote, NoFunctions } from "./CanvasNotes";
import { Icon, type IconName } from "./Icon";

const sizes: [Device, IconName, string][] = [["phone", "phone", "Phone, 390 px"], ["tablet", "tablet", "Tablet, 820 px"], ["wide", "wide", "Full width"]];

/** The URL of the canvas at a path. */
function canvasURL(base: string, at: string): string {
  return new URL(base + at.replace(/^\/+/, ""), document.baseURI).href;
}

export function CanvasPane() {
  const project = open.value!;
  const url = canvasURL(project.canvas, asked.value);
  useEffect(() => {
    asked.value = shown.value = "/";
  }, [project.id]);
  return (
    <section class="area canvas desk" aria-label="Canvas">
      <div class="strip">
        <button class="btn ghost icon" aria-label="Reload the canvas" title="Reload" onClick={() => void reloadCanvas()}><Icon name="reload" /></button>
        <Address />
        <div class="seg" role="group" aria-label="Size">
          {sizes.map(([d, icon, label]) => (
            <button key={d} class="icon" aria-label={label} title={label} aria-pressed={device.value === d} onClick={() => (device.value = d)}><Icon name={icon} small /></button>
          ))}
        </div>
        {device.value !== "wide" && (
          <button class="btn ghost icon" aria-label="Rotate" title="Rotate" aria-pressed={turned.value} onClick={() => (turned.value = !turned.value)}><Icon name="rotate" /></button>
        )}
        <a class="btn ghost icon" href={canvasURL(project.canvas, shown.value)} target="_blank" rel="noopener noreferrer" aria-label="Open in a new tab" title="Open in a new tab"><Icon name="external" /></a>
      </div>
      {files.value.has("index.html") ? <Frame key={project.id} url={url} /> : <NoIndex />}
    </section>
  );
}

function Address() {
  const draft = useSignal<string | null>(null);
  return (
    <form class="grow" onSubmit={(e) => {
      e.preventDefault();
      go(draft.value ?? shown.value);
      draft.value = null;
    }}>
      <label class="field soft addr">
        <span class={`live${failing.value ? " bad" : ""}`} role="img" aria-label={failing.value ? "has errors" : "no errors"} />
        <input class="mono" aria-label="Address on the canvas" spellcheck={false} autocomplete="off" value={draft.value ?? shown.value}
          onInput={(e) => (draft.value = e.currentTarget.value)} onBlur={() => (draft.value = null)} />
      </label>
    </form>
  );
}

/** The frame with the project. Narrow devices keep their width and are scaled to fit. */
function Frame({ url }: { url: string }) {
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const room = useSignal({ width: 0, height: 0 });
  useEffect(() => {
    const seen = new ResizeObserver(([e]) => (room.value = { width: e.contentRect.width, height: e.contentRect.height }));
    seen.observe(box.current!);
    return () => seen.disconnect();
  }, []);
  useEffect(() => {
    if (turn.value > 0 && frame.current) frame.current.src = url;
  }, [turn.value]);

  // The app says where it is. It says so of itself, so it is shown as an address and used for nothing else.
  useEffect(() => {
    const hear = (e: MessageEvent) => {
      if (e.source !== frame.current?.contentWindow || e.data?.samkit !== "path" || typeof e.data.path !== "string") return;
      shown.value = "/" + e.data.path.slice(0, 2000).replace(/^\/+/, "");
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, []);

  const [w, h] = devices[device.value];
  const [want, high] = turned.value ? [h, w] : [w, h];
  const scale = want ? Math.min(1, room.value.width / want) : 1;
  const style = want
    ? { flex: "none", width: want + "px", height: Math.min(high, room.value.height / scale) + "px", transform: `scale(${scale})`, marginLeft: Math.max(0, (room.value.width - want * scale) / 2) + "px" }
    : { flex: "1", width: "100%", height: "auto", transform: "none", marginLeft: "0" };
  const error = overlaid.value;
  return (
    <div class={`well${want ? " device" : ""}`} ref={box}>
      {error ? <ErrorNote key={error.seq} entry={error} /> : unanswered.value && <NoFunctions />}
      <iframe ref={frame} src={url} title="Canvas" referrerpolicy="no-referrer" style={{ ...style, pointerEvents: dragging.value ? "none" : "auto" }} />
    </div>
  );
}

function NoIndex() {
  return (
    <div class="well">
      <div class="empty">
        <Icon name="wide" class="big" />
        <h2>No page yet</h2>
        <p>The canvas shows <code>index.html</code> at the root of the project.</p>
        <button class="btn primary" onClick={() => void attempt(() => createFile("index.html"))}>Create index.html</button>
      </div>
    </div>
  );
}
