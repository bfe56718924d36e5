// A tool in the editor slot: above its well the grant in force, below it what it did last.
import type { DenialInfo, SessionInfo } from "../wire";
import { again, closeTool, dismissDenial, grantDenied, narrow, now, roles, type Ended } from "../store/roles";
import { clock, when } from "../store/time";
import { plain } from "../store/plain";
import { attempt } from "../store/toasts";
import { useArmed } from "./armed";
import { Icon } from "./Icon";
import { SamFrame } from "./SamFrame";
import { Waiting } from "./Waiting";
import { Who } from "./Who";
import { May, Words } from "./Words";

const soon = 5 * 60_000; // ms: the end is near

export function ToolPane({ session: s, shown }: { session: SessionInfo; shown: boolean }) {
  const left = Date.parse(s.grant.expires ?? "") - now.value;
  return (
    <div class="col grow tool" hidden={!shown} role="tabpanel" aria-label={`Tool ${s.project}`} data-session={s.id}>
      <div class={`grant${left < soon ? " soon" : ""}`} role="group" aria-label="Grant">
        <p class="grow">
          <Words who={s.project} grant={s.grant} />
          {s.added.map((g, i) => <span key={i}> It may <May grant={g} /> as well.</span>)}
          {s.byAgent && <span class="muted"> The agent opened it.</span>}
          {" "}<span class="muted num left-over">{remaining(left)} left, {s.calls.toLocaleString("en")} of {s.grant.maxCalls.toLocaleString("en")} calls used</span>
        </p>
        <button class="btn small" onClick={() => narrow(s)}>Narrow</button>
        <button class="btn small" onClick={() => void attempt(() => closeTool(s.id))}>Revoke and close</button>
      </div>
      <Denials session={s} />
      <div class="col grow desk"><SamFrame url={s.canvas} title={`Tool ${s.project}`} /></div>
      <Waiting approvals={roles.value.approvals.filter((a) => a.session === s.id)} />
      <div class="foot">
        {s.last ? <><span class="wide">Last call</span><span class={`mono clip${s.last.code ? " warn" : ""}`}>{s.last.func} {plain(s.last.on)}</span><span class="num">{clock(s.last.time).slice(0, 8)}</span></> : <span>No call yet</span>}
        <span class="push">Closing the tab revokes it</span>
      </div>
    </div>
  );
}

function remaining(ms: number): string {
  if (!(ms > 0)) return "no time";
  const min = Math.ceil(ms / 60_000);
  return min < 120 ? `${min} min` : `${Math.round(min / 60)} h`;
}

/** What a session was refused, and the grant that would do: one press gives exactly that. */
function Denials({ session }: { session: SessionInfo }) {
  const all = roles.value.denials.filter((d) => d.session === session.id);
  if (!all.length) return null;
  return (
    <ul class="denials" aria-label="Refused" aria-live="polite">
      {all.slice(0, 3).map((d) => <Denial key={d.id} of={d} session={session} />)}
      {all.length > 3 && <li class="faint">and {all.length - 3} more</li>}
    </ul>
  );
}

function Denial({ of: d, session }: { of: DenialInfo; session: SessionInfo }) {
  const armed = useArmed();
  return (
    <li>
      <Icon name="shield" class="warn" />
      <p class="grow">
        {plain(d.message)}{d.count > 1 && <span class="faint num"> {d.count} times.</span>} It holds: <May grant={session.grant} />.
        {d.can ? <> The narrowest grant that would do: <May grant={d.want} />.</> : <> No grant for this session can allow it.</>}
      </p>
      {d.can && <button class="btn small" disabled={!armed} onClick={() => void attempt(() => grantDenied(d))}>Grant this</button>}
      <button class="btn ghost small icon" aria-label="Dismiss" onClick={() => void attempt(() => dismissDenial(d))}><Icon name="x" small /></button>
    </li>
  );
}

/** A session that has ended while its tab was open: dark, until it is opened again. */
export function EndedPane({ ended: e, shown }: { ended: Ended; shown: boolean }) {
  const s = e.session;
  return (
    <div class="col grow tool" hidden={!shown} role="tabpanel" aria-label={`Tool ${s.project}`}>
      <div class="grant over" role="group" aria-label="Grant">
        <p class="grow"><Words who={s.project} grant={s.grant} verb="could" end={false} /> <b>{e.why}</b></p>
        <button class="btn small" onClick={() => again(e)}>Open again</button>
        <button class="btn small" onClick={() => void attempt(() => closeTool(s.id))}>Close</button>
      </div>
      <div class="col grow desk"><div class="well dark"><div class="empty"><span class="big-who"><Who kind="tool" /></span><h2>The session has ended</h2><p>{s.project} has no rights any more. Since {when(s.since)} it made {s.calls === 1 ? "1 call" : `${s.calls} calls`}.</p></div></div></div>
    </div>
  );
}
