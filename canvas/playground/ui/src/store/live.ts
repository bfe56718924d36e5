// What is shown of a project's data follows what its app, an agent or another window writes.
import { effect } from "@preact/signals";
import { stateChanged } from "./checkpoints";
import { dataChanged, part } from "./data";
import { refreshTables } from "./db";
import { panel } from "./dock";
import { refreshKeys } from "./kv";
import { panelOpen } from "./layout";
import { follow } from "./toasts";

const refresh = { kv: refreshKeys, db: refreshTables, secrets: async () => {} };
let missed = false;

export function stored(): void {
  stateChanged();
  missed = true;
  look();
}

function look(): void {
  if (!missed || panel.value !== "data" || !panelOpen.value) return;
  missed = false;
  void follow(() => dataChanged(refresh));
}

/** Reads what was written while it was out of sight, when it comes into view. */
export function followData(): void {
  effect(() => {
    void [panel.value, panelOpen.value, part.value];
    look();
  });
}
