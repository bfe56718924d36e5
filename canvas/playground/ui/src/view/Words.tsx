// A grant as a sentence: who may do what, where, until when. What differs from grant to grant is bold.
import type { ComponentChildren } from "preact";
import type { GrantInfo } from "../wire";
import { plain } from "../store/plain";
import { when } from "../store/time";

export function Words({ who, grant, verb = "may", end = true }: { who: string; grant: GrantInfo; verb?: string; end?: boolean }) {
  return (
    <>
      <b>{who}</b> {verb} <May grant={grant} />
      {end && grant.expires && <> until <b class="num">{when(grant.expires)}</b></>}
      {end && grant.confirm && <>, and asks before each change</>}.
    </>
  );
}

/** What a grant permits: "read docs/** in notes". */
export function May({ grant }: { grant: GrantInfo }) {
  const parts: ComponentChildren[] = [];
  if (grant.paths.length) {
    parts.push(<><b>{grant.mode === "readwrite" ? "read and write" : "read"}</b> <Codes of={grant.paths} /> in <b>{grant.project}</b></>);
  }
  if (grant.uses.length) parts.push(<><b>call</b> <Codes of={grant.uses} /></>);
  return <>{parts.length ? joined(parts, " and ") : "do nothing"}</>;
}

function Codes({ of }: { of: readonly string[] }) {
  return <>{joined(of.map((p) => (p === "**" ? <b>every file</b> : <code>{plain(p)}</code>)), ", ")}</>;
}

function joined(parts: readonly ComponentChildren[], by: string): ComponentChildren {
  return parts.map((p, i) => <span key={i}>{i > 0 && by}{p}</span>);
}
