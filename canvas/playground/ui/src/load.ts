// The editor is a bundle of its own, fetched when a file is first opened.
import type { Editor, Hooks } from "./editor";

let loading: Promise<typeof import("./editor.js")> | null = null;

function bundle() {
  loading ??= import("./editor.js").catch((e) => {
    loading = null; // the next file tries again
    throw e;
  });
  return loading;
}

let instance: Editor | null = null;

/** The page's one editor. */
export async function loadEditor(hooks: Hooks): Promise<Editor> {
  const { Editor } = await bundle();
  return (instance ??= new Editor(hooks));
}

/** The editor, if a file was opened before. */
export function editorNow(): Editor | null {
  return instance;
}

/** Both versions of a text side by side, the right one to be edited. */
export async function compare(parent: HTMLElement, name: string, theirs: string, mine: string) {
  const { Comparison } = await bundle();
  return new Comparison(parent, name, theirs, mine);
}
