// Who did something, told by shape: a circle is a person, a diamond the agent, a square a tool, a hexagon a task.
const shapes: Record<string, string> = {
  person: "M8 3.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9z",
  agent: "M8 2 14 8 8 14 2 8z",
  tool: "M3.2 3.2h9.6v9.6H3.2z",
  task: "M5.2 3h5.6L13.5 8l-2.7 5H5.2L2.5 8z",
};

export function Who({ kind }: { kind: string }) {
  return (
    <svg class="who" viewBox="0 0 16 16" role="img" aria-label={kind in shapes ? kind : "person"}>
      <path d={shapes[kind] ?? shapes.person} stroke-linejoin="round" />
    </svg>
  );
}
