// What the editor slot shows for a file that is not text.
export type Kind = "text" | "image" | "audio" | "video" | "pdf" | "font" | "binary";

const types: Record<string, [Kind, string]> = {
  png: ["image", "image/png"], jpg: ["image", "image/jpeg"], jpeg: ["image", "image/jpeg"], gif: ["image", "image/gif"],
  webp: ["image", "image/webp"], avif: ["image", "image/avif"], ico: ["image", "image/x-icon"], bmp: ["image", "image/bmp"],
  svg: ["image", "image/svg+xml"],
  mp3: ["audio", "audio/mpeg"], ogg: ["audio", "audio/ogg"], wav: ["audio", "audio/wav"], m4a: ["audio", "audio/mp4"], flac: ["audio", "audio/flac"],
  pdf: ["pdf", "application/pdf"],
  woff2: ["font", "font/woff2"], woff: ["font", "font/woff"], ttf: ["font", "font/ttf"], otf: ["font", "font/otf"],
  mp4: ["video", "video/mp4"], webm: ["video", "video/webm"], mov: ["video", "video/quicktime"],
};

/** The kind and media type of a file that the server says is not text. */
export function kindOf(name: string): { kind: Kind; type: string } {
  const ext = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  const [kind, type] = types[ext] ?? ["binary", "application/octet-stream"];
  return { kind, type };
}

export function isCode(name: string): boolean {
  return /\.([cm]?[jt]sx?|html?|css|json|py|sql|toml|ya?ml|sh)$/i.test(name);
}

/** What a language is called in the page. */
export function languageName(name: string): string {
  const ext = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  const names: Record<string, string> = {
    js: "JavaScript", mjs: "JavaScript", cjs: "JavaScript", jsx: "JSX", ts: "TypeScript", mts: "TypeScript", cts: "TypeScript", tsx: "TSX",
    html: "HTML", htm: "HTML", svg: "SVG", css: "CSS", json: "JSON", md: "Markdown", py: "Python", sql: "SQL",
  };
  return names[ext] ?? "Text";
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${(bytes / 1000).toPrecision(3)} KB`;
  return `${(bytes / 1e6).toPrecision(3)} MB`;
}
