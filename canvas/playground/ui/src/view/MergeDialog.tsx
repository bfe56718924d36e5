// Three columns: yours, what becomes of it, theirs. What fits together is merged; each clash is chosen by a press.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { keyName } from "../keys";
import { compare, editorNow } from "../load";
import { chosen, sideOf, textOf, type Choice, type Part } from "../merge";
import { takeBoth, takeMine, takeTheirs, type Doc } from "../store/docs";
import { attempt } from "../store/toasts";
import { summary } from "./ConflictBar";
import { Icon } from "./Icon";

const around = 3; // lines shown beside a change

export function MergeDialog({ doc, close }: { doc: Doc; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const side = useRef<Awaited<ReturnType<typeof compare>> | null>(null);
  const two = useSignal(false);
  const seen = useSignal(doc.conflict.value!).value; // as it was when the dialog opened
  const choices = useSignal<readonly (Choice | null)[]>(seen.parts.filter((p) => p.kind === "clash").map(() => null));
  useEffect(() => {
    dialog.current!.showModal();
    dialog.current!.querySelector<HTMLElement>(".chips button")?.focus(); // where 1, 2 and 3 choose
  }, []);
  const open = choices.value.filter((c) => !c).length;
  const finish = (f: () => unknown) => {
    dialog.current?.close();
    void attempt(async () => void (await f()));
  };
  const save = () => finish(() => takeMine(doc, two.value ? side.current?.text() : textOf(seen.parts, choices.value.map((c) => c ?? "mine"))));
  return (
    <dialog class="dialog" ref={dialog} onClose={close} aria-labelledby="merge-title" onKeyDown={(e) => {
      if (e.key.toLowerCase() === "s" && (e.metaKey || e.ctrlKey)) {
        e.preventDefault();
        e.stopPropagation();
        save();
      }
    }}>
      <div class="dhead">
        <div class="grow">
          <h2 id="merge-title">{doc.name.value} was also changed elsewhere</h2>
          <p>{two.value ? "Left is theirs, right is yours. An arrow takes a part over; the right side can be edited." : `${summary(seen.parts)} Yours is in until you choose.`}</p>
        </div>
        <div class="seg wide" role="group" aria-label="View">
          <button aria-pressed={!two.value} onClick={() => (two.value = false)}>Three-way</button>
          <button aria-pressed={two.value} onClick={() => (two.value = true)}>Two-way</button>
        </div>
      </div>
      {two.value ? <TwoWay doc={doc} theirs={seen.text} side={side} /> : <ThreeWay parts={seen.parts} choices={choices.value} open={open} choose={(i, c) => (choices.value = choices.value.map((x, j) => (j === i ? c : x)))} />}
      <div class="dfoot">
        <button class="btn primary" onClick={save}>{two.value ? "Save the right side" : "Save the result"} <span class="k">{keyName("mod+s")}</span></button>
        <button class="btn" onClick={() => finish(() => takeMine(doc))}>Keep mine</button>
        <button class="btn" onClick={() => finish(() => takeTheirs(doc))}>Take theirs</button>
        <button class="btn ghost" title="Theirs takes the name, yours gets one beside it" onClick={() => finish(() => takeBoth(doc))}>Keep mine in a file beside it</button>
        <span class="push" />
        <button class="btn ghost" onClick={() => dialog.current!.close()}>Later <span class="k">Esc</span></button>
      </div>
    </dialog>
  );
}

function TwoWay({ doc, theirs, side }: { doc: Doc; theirs: string; side: { current: Awaited<ReturnType<typeof compare>> | null } }) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let gone = false;
    void attempt(async () => {
      const c = await compare(body.current!, doc.name.value, theirs, editorNow()!.text(doc.name.value));
      if (gone) c.close();
      else side.current = c;
    });
    return () => {
      gone = true;
      side.current?.close();
      side.current = null;
    };
  }, []);
  return <div class="merge" ref={body} />;
}

type Choose = (clash: number, c: Choice) => void;

function ThreeWay({ parts, choices, open, choose }: { parts: readonly Part[]; choices: readonly (Choice | null)[]; open: number; choose: Choose }) {
  const at = { mine: 1, result: 1, theirs: 1 };
  let clash = 0;
  return (
    <div class="merge three" tabIndex={0} role="region" aria-label="Both versions and the result">
      <div class="mhead"><b>Yours</b></div>
      <div class="mhead"><b>Result</b> {open > 0 ? <span class="tag warn">{open} to check</span> : <span class="tag">all chosen</span>}</div>
      <div class="mhead"><b>Theirs</b></div>
      {parts.map((p, i) => {
        const row = { ...at };
        const [mine, theirs] = [sideOf(p, "mine"), sideOf(p, "theirs")];
        at.mine += mine.length;
        at.theirs += theirs.length;
        if (p.kind === "clash") {
          const n = clash++;
          const c = choices[n];
          at.result += chosen(p, c ?? "mine").length;
          return <Clash key={i} part={p} row={row} choice={c} choose={(x) => choose(n, x)} />;
        }
        at.result += p.lines.length;
        return p.kind === "same" ? <Same key={i} lines={p.lines} row={row} first={i === 0} last={i === parts.length - 1} /> : (
          <>
            <Lines lines={mine} from={row.mine} class={p.kind === "mine" ? "m" : ""} />
            <Lines lines={p.lines} from={row.result} class="r" />
            <Lines lines={theirs} from={row.theirs} class={p.kind === "theirs" ? "t" : ""} />
          </>
        );
      })}
    </div>
  );
}

interface Numbers {
  mine: number;
  result: number;
  theirs: number;
}

/** Lines that are alike on all sides; those far from a change are left out. */
function Same({ lines, row, first, last }: { lines: readonly string[]; row: Numbers; first: boolean; last: boolean }) {
  const head = first ? 0 : around;
  const tail = last ? 0 : around;
  const cut = lines.length - head - tail;
  const block = (from: number, until: number) => (["mine", "result", "theirs"] as const).map((c) => <Lines key={c + from} lines={lines.slice(from, until)} from={row[c] + from} class={c === "result" ? "s" : ""} />);
  if (cut < 4) return <>{block(0, lines.length)}</>;
  return (
    <>
      {head > 0 && block(0, head)}
      <p class="mcut">{cut} lines alike</p>
      {tail > 0 && block(lines.length - tail, lines.length)}
    </>
  );
}

const names: [Choice, string][] = [["mine", "Mine"], ["theirs", "Theirs"], ["both", "Both"]];

function Clash({ part, row, choice, choose }: { part: Extract<Part, { kind: "clash" }>; row: Numbers; choice: Choice | null; choose: (c: Choice) => void }) {
  return (
    <>
      <Lines lines={part.mine} from={row.mine} class="m" />
      <div class="mcell r">
        <div class="chips" role="group" aria-label="Which lines to take" onKeyDown={(e) => {
          const c = names[Number(e.key) - 1];
          if (c) choose(c[0]);
        }}>
          {!choice && <Icon name="warn" small class="warn" />}
          {names.map(([c, label], i) => (
            <button key={c} class="btn small" aria-pressed={choice === c} onClick={() => choose(c)}>{label} <span class="k">{i + 1}</span></button>
          ))}
        </div>
        <Lines lines={chosen(part, choice ?? "mine")} from={row.result} />
        {part.base.length > 0 && <p class="mbase">Before: <code>{part.base.join("\n")}</code></p>}
      </div>
      <Lines lines={part.theirs} from={row.theirs} class="t" />
    </>
  );
}

function Lines({ lines, from, class: cls = "" }: { lines: readonly string[]; from: number; class?: string }) {
  return (
    <pre class={`mcell ${cls}`}>{lines.map((l, i) => <span key={i} class="ml"><span class="mn">{from + i}</span><span>{l || " "}</span></span>)}</pre>
  );
}
