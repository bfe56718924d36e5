// The tree of a project's files, as rows.
export interface Node {
  path: string;
  label: string;
  depth: number;
  folder: boolean;
}

/** The rows of the tree: folders before files, those below a closed folder left out. A name that ends with / is a folder without files. */
export function rowsOf(names: readonly string[], isOpen: (folder: string) => boolean): Node[] {
  const out: Node[] = [];
  const level = (prefix: string, inside: readonly string[], depth: number) => {
    const folders = new Map<string, string[]>();
    const here: string[] = [];
    for (const n of inside) {
      if (n === prefix) continue; // a folder that is still empty
      const slash = n.indexOf("/", prefix.length);
      if (slash < 0) here.push(n);
      else {
        const folder = n.slice(0, slash);
        folders.set(folder, [...(folders.get(folder) ?? []), n]);
      }
    }
    for (const [path, below] of folders) {
      out.push({ path, label: path.slice(prefix.length), depth, folder: true });
      if (isOpen(path)) level(path + "/", below, depth + 1);
    }
    for (const path of here) out.push({ path, label: path.slice(prefix.length), depth, folder: false });
  };
  level("", names, 0);
  return out;
}
