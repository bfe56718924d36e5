// Says that a file was changed here and elsewhere, and opens what settles it. Nothing is lost whatever the answer.
import { useSignal } from "@preact/signals";
import { takeMine, takeTheirs, type Doc } from "../store/docs";
import { Icon } from "./Icon";
import { MergeDialog } from "./MergeDialog";

export function ConflictBar({ doc }: { doc: Doc }) {
  const asked = useSignal(false);
  const { hash, parts } = doc.conflict.value!;
  const gone = hash === "";
  return (
    <div class="conflict" role="alert">
      <Icon name="warn" class="warn" />
      <p class="grow">{gone ? <><b>{doc.name.value}</b> was removed elsewhere while you changed it.</> : <><b>{doc.name.value}</b> was changed elsewhere while you changed it. {summary(parts)}</>}</p>
      <button class="btn small" onClick={() => takeTheirs(doc)}>{gone ? "Close it" : "Take theirs"}</button>
      <button class="btn small" onClick={() => takeMine(doc)}>Keep mine</button>
      {parts.length > 0 && <button class="btn small primary" onClick={() => (asked.value = true)}>Merge</button>}
      {asked.value && <MergeDialog doc={doc} close={() => (asked.value = false)} />}
    </div>
  );
}

/** How much of two versions fits together, as a sentence. */
export function summary(parts: readonly { kind: string }[]): string {
  const clashes = parts.filter((p) => p.kind === "clash").length;
  if (!clashes) return "";
  const all = parts.filter((p) => p.kind !== "same").length;
  if (all === clashes) return clashes === 1 ? "Both changed the same lines." : `Both changed the same lines in ${clashes} places.`;
  return `${all - clashes} of ${all} changes fit together. ${clashes === 1 ? "One needs" : `${clashes} need`} you.`;
}
