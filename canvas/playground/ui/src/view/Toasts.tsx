import { keyName } from "../keys";
import { act, dismiss, toasts } from "../store/toasts";
import { Icon } from "./Icon";
import { Jobs } from "./Jobs";

export function Toasts() {
  const next = toasts.value.findLast((t) => t.action)?.id; // what the key would undo
  return (
    <div class="stack" role="log" aria-label="Messages">
      <Jobs />
      {toasts.value.map((t) => (
        <div key={t.id} class={`pop toast${t.danger ? " bad" : ""}`} role={t.danger ? "alert" : "status"} style={{ "--ms": t.ms + "ms" }}>
          {t.danger && <Icon name="error" class="danger" />}
          <span class="grow">{t.text}</span>
          {t.action && (
            <button class="btn small" onClick={() => act(t)}>
              <Icon name="undo" small />
              {t.action.label} {t.id === next && <span class="k">{keyName("mod+z")}</span>}
            </button>
          )}
          <button class="btn ghost small icon" aria-label="Dismiss" onClick={() => dismiss(t.id)}><Icon name="x" small /></button>
        </div>
      ))}
    </div>
  );
}
