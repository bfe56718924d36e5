// The page's icons: strokes on a 16 px grid.
const paths = {
  down: "m4.5 6.5 3.5 3.5 3.5-3.5",
  right: "m6.5 4.5 3.5 3.5-3.5 3.5",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  code: "M4 2h5l3 3v9H4zM9 2v3h3M7 8 5.8 9.5 7 11M9 8l1.2 1.5L9 11",
  image: "M2.5 3h11v10h-11zM2.5 11l3.5-3.5 3 3 1.5-1.5 3 3M11.5 6a1 1 0 1 1-2 0 1 1 0 0 1 2 0",
  folder: "M2 4h4l1.5 1.5H14V13H2z",
  files: "M5 4.5V2h5l3 3v6.5h-2.5M10 2v3h3M3 4.5h4.5l3 3V14H3zM7.5 4.5v3h3",
  search: "M11.2 7a4.2 4.2 0 1 1-8.4 0 4.2 4.2 0 0 1 8.4 0M10.2 10.2l3.3 3.3",
  plus: "M8 3v10M3 8h10",
  up: "M3 13h10M8 10.5V3M5 6l3-3 3 3",
  in: "M8 2v7.5M5 7l3 3 3-3M3 11v2.5h10V11",
  out: "M8 10V2.5M5 5l3-3 3 3M3 11v2.5h10V11",
  copy: "M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  sun: "M10.8 8a2.8 2.8 0 1 1-5.6 0 2.8 2.8 0 0 1 5.6 0M8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M3.6 12.4l1-1M11.4 4.6l1-1",
  grid: "M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
  x: "m4.5 4.5 7 7M11.5 4.5l-7 7",
  rotate: "M3 9.5A5 5 0 0 1 11.8 5M12 2.5v3H9M6 8.5h7v5H6z",
  reload: "M13 8a5 5 0 1 1-1.5-3.5L13 6M13 2.5V6H9.5",
  external: "M9 3h4v4M13 3 7.5 8.5M7 4H3v9h9V9",
  phone: "M5 3.2A1.2 1.2 0 0 1 6.2 2h3.6A1.2 1.2 0 0 1 11 3.2v9.6a1.2 1.2 0 0 1-1.2 1.2H6.2A1.2 1.2 0 0 1 5 12.8zM7.5 12h1",
  tablet: "M3 3.7a1.2 1.2 0 0 1 1.2-1.2h7.6A1.2 1.2 0 0 1 13 3.7v8.6a1.2 1.2 0 0 1-1.2 1.2H4.2A1.2 1.2 0 0 1 3 12.3zM7.5 11.5h1",
  wide: "M2 4.2A1.2 1.2 0 0 1 3.2 3h9.6A1.2 1.2 0 0 1 14 4.2v5.6a1.2 1.2 0 0 1-1.2 1.2H3.2A1.2 1.2 0 0 1 2 9.8zM6 13.5h4M8 11v2.5",
  trash: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5 5 13.5h6l.5-9",
  undo: "M6 3 3 6l3 3M3 6h6a4 4 0 0 1 0 8H6",
  warn: "M8 2.5 14 13H2zM8 6.5v3M8 11.3v.1",
  error: "M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0M8 5v3.5M8 10.8v.1",
  log: "m6 5 3 3-3 3",
  net: "M5 3v10M2.5 10.5 5 13l2.5-2.5M11 13V3M8.5 5.5 11 3l2.5 2.5",
  terminal: "M2 4.2A1.2 1.2 0 0 1 3.2 3h9.6A1.2 1.2 0 0 1 14 4.2v7.6a1.2 1.2 0 0 1-1.2 1.2H3.2A1.2 1.2 0 0 1 2 11.8zM4.5 6l2 2-2 2M8.5 10.5h3",
  edit: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3z",
  agent: "M8 2 14 8 8 14 2 8z",
  check: "m3.5 8.5 3 3 6-7",
  dots: "M3.5 8v.01M8 8v.01M12.5 8v.01",
  shield: "M8 2 3 4v4c0 3 2 5 5 6 3-1 5-3 5-6V4z",
  flag: "M4 14V2.5M4 3h8l-2 3 2 3H4",
  fork: "M4.5 4.8a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6zM11.5 4.8a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6zM8 13.8a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6zM4.5 4.8c0 2.4 3.5 1.6 3.5 4v2.4M11.5 4.8c0 2.4-3.5 1.6-3.5 4",
  table: "M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 6.5v6",
  lock: "M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2",
  stop: "M4.5 4.5h7v7h-7z",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, small, class: more = "" }: { name: IconName; small?: boolean; class?: string }) {
  return (
    <svg class={`i${small ? " s" : ""} ${more}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} stroke-width={name === "dots" ? 2 : undefined} />
    </svg>
  );
}
