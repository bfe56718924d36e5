// Asks what to do when a file was changed here and elsewhere. Nothing is lost whatever the answer.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { compare, editorNow } from "../load";
import { takeMine, takeTheirs, type Doc } from "../store/docs";
import { attempt } from "../store/toasts";
import { Icon } from "./Icon";

export function ConflictBar({ doc }: { doc: Doc }) {
  const both = useSignal(false);
  const gone = doc.conflict.value!.hash === "";
  return (
    <div class="conflict" role="alert">
      <Icon name="warn" class="warn" />
      <p class="grow">{gone ? <><b>{doc.name.value}</b> was removed elsewhere while you changed it.</> : <><b>{doc.name.value}</b> was changed elsewhere while you changed it.</>}</p>
      <button class="btn small" onClick={() => takeTheirs(doc)}>{gone ? "Close it" : "Reload theirs"}</button>
      <button class="btn small" onClick={() => takeMine(doc)}>Keep mine</button>
      {!gone && <button class="btn small primary" onClick={() => (both.value = true)}>Show both</button>}
      {both.value && <Both doc={doc} close={() => (both.value = false)} />}
    </div>
  );
}

function Both({ doc, close }: { doc: Doc; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const view = useRef<Awaited<ReturnType<typeof compare>> | null>(null);
  useEffect(() => {
    let gone = false;
    dialog.current!.showModal();
    void attempt(async () => {
      const name = doc.name.value;
      const c = await compare(body.current!, name, doc.conflict.value!.text, editorNow()!.text(name));
      if (gone) c.close();
      else view.current = c;
    });
    return () => {
      gone = true;
      view.current?.close();
    };
  }, []);
  return (
    <dialog class="dialog" ref={dialog} onClose={close} aria-labelledby="both-title">
      <div class="dhead">
        <div>
          <h2 id="both-title">Two versions of {doc.name.value}</h2>
          <p>Left is what was written elsewhere, right is yours. An arrow takes a part over; the right side can be edited.</p>
        </div>
      </div>
      <div class="merge" ref={body} />
      <div class="dfoot">
        <span class="push" />
        <button class="btn" onClick={() => dialog.current!.close()}>Cancel</button>
        <button class="btn primary" onClick={() => {
          takeMine(doc, view.current?.text());
          dialog.current?.close();
        }}>Save the right side</button>
      </div>
    </dialog>
  );
}
