// Secrets: their names. A value goes to the program and never comes back.
import { signal } from "@preact/signals";
import * as api from "../apidata";
import { onAnother } from "./data";
import { open } from "./state";
import { attempt, toast } from "./toasts";

export const names = signal<readonly string[] | null>(null);

const leaving = new Set<string>(); // "project name" of those deleted for which it can still be undone
const mark = (id: string, name: string) => `${id} ${name}`;

export async function readSecrets(): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  const s = await api.secrets(id);
  if (open.value?.id === id) names.value = s.names.filter((n) => !leaving.has(mark(id, n)));
}

export async function setSecret(name: string, value: string): Promise<void> {
  const id = open.value?.id;
  if (!id) return;
  await api.setSecret(id, name, value);
  leaving.delete(mark(id, name));
  await readSecrets();
}

/** Deletes a secret when the time to undo it is over, since nobody could put it back. */
export function removeSecret(name: string): void {
  const id = open.value?.id;
  if (!id) return;
  leaving.add(mark(id, name));
  names.value = (names.value ?? []).filter((n) => n !== name);
  const back = () => {
    leaving.delete(mark(id, name));
    return readSecrets();
  };
  toast(`Deleted ${name}`, {
    action: { label: "Undo", run: back },
    then: () =>
      attempt(async () => {
        if (!leaving.has(mark(id, name))) return; // it was set again
        await api.deleteSecret(id, name);
        leaving.delete(mark(id, name));
      }),
  });
}

onAnother(() => (names.value = null));
