import { useEffect, useRef, useState } from "preact/hooks";
import { names, readSecrets, removeSecret, setSecret } from "../store/secrets";
import { attempt } from "../store/toasts";
import { Icon } from "./Icon";

/** Names alone: there is nothing to reveal, to copy or to count. */
export function Secrets() {
  useEffect(() => void attempt(readSecrets), []);
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const save = async () => {
    const given = value;
    setValue(""); // whatever comes of it
    await setSecret(name.trim(), given);
    setName("");
  };
  return (
    <div class="scroll">
      <div class="secrets">
        <p class="muted">A secret is sealed, and only functions.js of this project reads it, as env.NAME. The page can set it and never sees it again.</p>
        <form class="line" autocomplete="off" onSubmit={(e) => { e.preventDefault(); void attempt(save); }}>
          <label class="field small"><input class="mono" placeholder="NAME" aria-label="Name of the secret" value={name} autocomplete="off" spellcheck={false} onInput={(e) => setName(e.currentTarget.value)} /></label>
          <label class="field small grow"><input ref={field} type="password" placeholder="Value" aria-label="Value of the secret" value={value} autocomplete="new-password" onInput={(e) => setValue(e.currentTarget.value)} /></label>
          <button class="btn primary small" disabled={!name.trim() || !value}>Set</button>
        </form>
        <ul aria-label="Secrets">
          {names.value?.map((n) => (
            <li key={n}>
              <Icon name="lock" small />
              <span class="mono clip grow">{n}</span>
              <button class="btn ghost small" aria-label={`Replace ${n}`} onClick={() => { setName(n); field.current?.focus(); }}>Replace</button>
              <button class="btn ghost small icon" aria-label={`Delete ${n}`} title="Delete" onClick={() => removeSecret(n)}><Icon name="trash" small /></button>
            </li>
          ))}
        </ul>
        {names.value?.length === 0 && <p class="faint">No secret yet.</p>}
      </div>
    </div>
  );
}
