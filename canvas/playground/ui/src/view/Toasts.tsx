import { keyName } from "../keys";
import { act, dismiss, toasts } from "../store/toasts";
import { plain } from "../store/plain";
import { Icon } from "./Icon";
import { Jobs } from "./Jobs";
import { Who } from "./Who";

export function Toasts() {
  const next = toasts.value.findLast((t) => t.action?.label === "Undo")?.id; // what the key would undo
  return (
    <div class="stack" role="log" aria-label="Messages">
      <Jobs />
      {toasts.value.map((t) => (
        <div key={t.id} class={`pop toast${t.danger ? " bad" : ""}`} role={t.danger ? "alert" : "status"} style={{ "--ms": t.ms + "ms" }}>
          {t.who && <Who kind={t.who} />}
          {t.danger && <Icon name="error" class="danger" />}
          {t.warn && <Icon name="warn" class="warn" />}
          <span class="grow">{t.name && <><b>{t.name}</b> </>}{plain(t.text)}</span>
          {t.action && (
            <button class="btn small" onClick={() => act(t)}>
              {t.action.label === "Undo" && <Icon name="undo" small />}
              {t.action.label} {t.id === next && <span class="k">{keyName("mod+z")}</span>}
            </button>
          )}
          <button class="btn ghost small icon" aria-label="Dismiss" onClick={() => dismiss(t.id)}><Icon name="x" small /></button>
        </div>
      ))}
    </div>
  );
}
