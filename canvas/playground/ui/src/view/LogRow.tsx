import type { ComponentChildren } from "preact";
import { isDebug, isError, isServer, isWarning, placeOf, places, type Place, type Row } from "../store/console";
import { openFile } from "../store/docs";
import { files } from "../store/state";
import { clock } from "../store/time";
import { attempt } from "../store/toasts";
import { Icon } from "./Icon";
import { Printed } from "./Printed";

export function LogRow({ row }: { row: Row }) {
  const e = row.entry;
  const place = placeOf(e.source);
  const cls = isError(e) ? "e" : isWarning(e) ? "w" : isDebug(e) ? "d" : "";
  return (
    <li class={cls} data-origin={e.origin}>
      <time dateTime={e.time}>{clock(e.time)}</time>
      <Icon name={isError(e) ? "error" : isWarning(e) ? "warn" : isServer(e) && e.request && !e.source ? "net" : "log"} />
      <div class="body">
        {row.count > 1 && <span class="rep" title={`${row.count} times`}>{row.count}</span>}
        {e.origin && e.origin !== "page" && <span class="srv">{origins[e.origin] ?? e.origin}</span>}
        {isServer(e) && e.request && <span class="reqline">{e.request}</span>}
        <span class="text"><Printed text={e.text} /></span>
        {e.stack && isError(e) && stackLines(e.stack, e.text).map((l, i) => <span class="at" key={i}>{linked(l)}</span>)}
      </div>
      {place && <PlaceLink place={place} text={short(place)} class="src" />}
    </li>
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
