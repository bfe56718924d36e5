import type { ComponentChildren } from "preact";
import { isDebug, isError, isRequest, isServer, isWarning, placeOf, places, type Place, type Row } from "../store/console";
import { openFile } from "../store/docs";
import { size } from "../store/kinds";
import { files } from "../store/state";
import { clock } from "../store/time";
import { attempt } from "../store/toasts";
import type { Entry } from "../wire";
import { Icon } from "./Icon";
import { Printed } from "./Printed";
import { Repair } from "./Repair";

export function LogRow({ row }: { row: Row }) {
  const e = row.entry;
  const from = placeOf(e.source);
  const place = from?.name.startsWith("~") ? undefined : from; // a script of the canvas, not of the app
  const cls = isError(e) ? "e" : isWarning(e) ? "w" : isDebug(e) ? "d" : "";
  const blocked = /^Blocked by Content-Security-Policy \(([\w-]+)\): (\S+)/.exec(e.text);
  return (
    <li class={blocked ? "w" : cls} data-origin={e.origin}>
      <time dateTime={e.time}>{clock(e.time)}</time>
      <Icon name={blocked ? "shield" : isRequest(e) ? "net" : isError(e) ? "error" : isWarning(e) ? "warn" : "log"} />
      <div class="body">
        {row.count > 1 && <span class="rep" title={`${row.count} times`}>{row.count}</span>}
        {isRequest(e) ? <Request entry={e} /> : blocked ? <Blocked directive={blocked[1]} url={blocked[2]} /> : <Text entry={e} />}
      </div>
      {place && <PlaceLink place={place} text={short(place)} class="src" />}
    </li>
  );
}

function Text({ entry: e }: { entry: Entry }) {
  return (
    <>
      {e.origin && e.origin !== "page" && <span class="srv">{origins[e.origin] ?? e.origin}</span>}
      {isServer(e) && e.request && <span class="reqline">{e.request}</span>}
      <span class="text"><Printed text={e.text} /></span>
      {isError(e) && <Repair entry={e} class="link repair" />}
      {e.stack && isError(e) && stackLines(e.stack, e.text).map((l, i) => <span class="at" key={i}>{linked(l)}</span>)}
    </>
  );
}

/** A request that functions.js answered: "GET /api/notes", "200 in 6.2 ms, 120 bytes". */
function Request({ entry }: { entry: Entry }) {
  const [method, ...path] = (entry.request ?? "").split(" ");
  const [, status, rest, bytes] = /^(\d+) in ([\d.]+ ms)(?:, (\d+) bytes)?/.exec(entry.text) ?? ["", "", entry.text, ""];
  return (
    <span class="req">
      <b>{method}</b> <span class="path">{path.join(" ")}</span>
      <span class={+status >= 500 ? "danger" : +status >= 400 ? "warn" : "ok"}>{status}</span> <span class="muted num">{rest}{bytes && ` · ${size(+bytes)}`}</span>
    </span>
  );
}

/** What the browser refused, by what the app wanted of whom. */
function Blocked({ directive, url }: { directive: string; url: string }) {
  const verb = { "connect-src": "connect to", "img-src": "show an image of", "script-src-elem": "run a script of", "style-src-elem": "take a style of", "font-src": "take a font of", "frame-src": "frame", "media-src": "play" }[directive] ?? `use (${directive})`;
  return (
    <>
      <span>Blocked: {verb} <b>{URL.canParse(url) ? new URL(url).host || url : url}</b></span>
      <span class="at">An app has no network of its own. The program lists what it may reach (App.Connect).</span>
    </>
  );
}

const origins: Record<string, string> = { functions: "server", build: "build", system: "canvas" };

function short(p: Place): string {
  return `${p.name}:${p.line}`;
}

/** The lines of a stack, without the message that many engines repeat at its top. */
function stackLines(stack: string, text: string): string[] {
  const lines = stack.split("\n").map((l) => l.trim()).filter(Boolean);
  if (lines.length && (text.includes(lines[0]) || lines[0].includes(text))) lines.shift();
  return lines.slice(0, 12);
}

function linked(line: string): ComponentChildren {
  const p = places(line, files.value);
  if (!p) return line;
  return <>{p.before}<PlaceLink place={p.place} text={p.text} />{p.after}</>;
}

function PlaceLink({ place, text, class: cls = "" }: { place: Place; text: string; class?: string }) {
  if (!files.value.has(place.name)) return <span class={`${cls} gone`}>{text}</span>;
  return (
    <button class={`link ${cls}`} title={`Open ${place.name} at line ${place.line}`} onClick={() => void attempt(() => openFile(place.name, place.line, place.column))}>{text}</button>
  );
}
