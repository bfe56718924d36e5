// Where a project comes from that exists already: a package, or a repository.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { importFile, importRepo } from "../store/packages";
import { repos } from "../store/state";
import { attempt } from "../store/toasts";
import { Icon } from "./Icon";

export function Bring({ name }: { name: string }) {
  return (
    <>
      <h2 id="bring">Bring one with you</h2>
      <div class="bring">
        <Package name={name} />
        {repos.value && <Repo name={name} />}
      </div>
    </>
  );
}

function Package({ name }: { name: string }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div class="drop">
      <Icon name="in" />
      <div class="grow">
        <p>Drop a .sam file here</p>
        <p class="muted">Checked whole before anything is written</p>
      </div>
      <button class="btn" onClick={() => picker.current!.click()}>Choose a file</button>
      <input ref={picker} type="file" accept=".sam" hidden aria-label="Package to import" onChange={(e) => {
        const file = e.currentTarget.files?.[0];
        e.currentTarget.value = "";
        if (file) void attempt(() => importFile(file, name));
      }} />
    </div>
  );
}

function Repo({ name }: { name: string }) {
  const source = useSignal("");
  const busy = useSignal(false);
  return (
    <form class="drop solid" onSubmit={(e) => {
      e.preventDefault();
      if (busy.value || !source.value.trim()) return;
      busy.value = true;
      void attempt(() => importRepo(source.value, name)).finally(() => (busy.value = false));
    }}>
      <label class="field grow">
        <input class="mono" placeholder="owner/repo, optionally @ref and :folder" aria-label="Repository on GitHub" spellcheck={false} autocomplete="off"
          value={source.value} onInput={(e) => (source.value = e.currentTarget.value)} />
      </label>
      <button class="btn" disabled={busy.value}>Import</button>
    </form>
  );
}
