import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as api from "../api";
import { createFile } from "../store/files";
import { dragging } from "../store/layout";
import { files, open } from "../store/state";
import { failing, turnPage } from "../store/console";
import { attempt } from "../store/toasts";
import { Icon, type IconName } from "./Icon";

type Device = "phone" | "tablet" | "wide";
const widths: Record<Device, number> = { phone: 390, tablet: 820, wide: 0 };
const devices: [Device, IconName, string][] = [["phone", "phone", "Phone, 390 px"], ["tablet", "tablet", "Tablet, 820 px"], ["wide", "wide", "Full width"]];

const device = signal<Device>("wide");
const path = signal("/"); // below the canvas
const turn = signal(0); // counts loads asked for here

/** The URL of the canvas at a path. */
function canvasURL(base: string, at: string): string {
  return new URL(base + at.replace(/^\/+/, ""), document.baseURI).href;
}

export function CanvasPane() {
  const project = open.value!;
  const url = canvasURL(project.canvas, path.value);
  useEffect(() => {
    path.value = "/";
  }, [project.id]);
  return (
    <section class="area canvas desk" aria-label="Canvas">
      <div class="strip">
        <button class="btn ghost icon" aria-label="Reload the canvas" title="Reload" onClick={() => {
          turn.value++;
          turnPage();
          void attempt(() => api.reload(project.id));
        }}><Icon name="reload" /></button>
        <Address />
        <div class="seg" role="group" aria-label="Size">
          {devices.map(([d, icon, label]) => (
            <button key={d} class="icon" aria-label={label} title={label} aria-pressed={device.value === d} onClick={() => (device.value = d)}><Icon name={icon} small /></button>
          ))}
        </div>
        <a class="btn ghost icon" href={url} target="_blank" rel="noopener noreferrer" aria-label="Open in a new tab" title="Open in a new tab"><Icon name="external" /></a>
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
      path.value = "/" + (draft.value ?? path.value).trim().replace(/^\/+/, "");
      draft.value = null;
      turn.value++;
    }}>
      <label class="field soft addr">
        <span class={`live${failing.value ? " bad" : ""}`} role="img" aria-label={failing.value ? "has errors" : "no errors"} />
        <input class="mono" aria-label="Address on the canvas" spellcheck={false} autocomplete="off" value={draft.value ?? path.value}
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

  const want = widths[device.value];
  const scale = want ? Math.min(1, room.value.width / want) : 1;
  const style = want
    ? { flex: "none", width: want + "px", height: room.value.height / scale + "px", transform: `scale(${scale})`, marginLeft: Math.max(0, (room.value.width - want * scale) / 2) + "px" }
    : { flex: "1", width: "100%", height: "auto", transform: "none", marginLeft: "0" };
  return (
    <div class={`well${want ? " device" : ""}`} ref={box}>
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
