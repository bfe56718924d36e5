// A line between two areas that can be dragged, moved by arrow keys, and restored by a double click.
import { useSignal } from "@preact/signals";
import { bounds, dragging, resize, restore, sizes, type Split } from "../store/layout";

const labels: Record<Split, string> = { left: "Width of the files", agent: "Width of the agent", canvas: "Width of the canvas", panel: "Height of the panel" };
const step = 16;

export function Splitter({ split }: { split: Split }) {
  const drag = useSignal<{ from: number; size: number } | null>(null);
  const across = split !== "panel";
  const sign = split === "left" || split === "agent" ? 1 : -1; // the area is before or after the line
  const at = (e: PointerEvent) => (across ? e.clientX : e.clientY);
  const end = () => {
    drag.value = null;
    dragging.value = false;
  };
  return (
    <div
      class={`split ${across ? "v" : "h"}${drag.value ? " drag" : ""}`} role="separator" tabIndex={0} aria-label={labels[split]}
      aria-orientation={across ? "vertical" : "horizontal"} aria-valuenow={sizes[split].value} aria-valuemin={bounds(split).min} aria-valuemax={bounds(split).max}
      onMouseDown={(e) => e.preventDefault() /* or what lies under the pointer once it has moved, a row of the tree, is dragged as well */}
      onPointerDown={(e) => {
        e.currentTarget.focus({ preventScroll: true });
        e.currentTarget.setPointerCapture(e.pointerId);
        drag.value = { from: at(e), size: sizes[split].value };
        dragging.value = true;
      }}
      onPointerMove={(e) => drag.value && resize(split, drag.value.size + sign * (at(e) - drag.value.from))}
      onPointerUp={end} onPointerCancel={end} onDblClick={() => restore(split)}
      onKeyDown={(e) => {
        const way = { ArrowLeft: across ? -1 : 0, ArrowRight: across ? 1 : 0, ArrowUp: across ? 0 : -1, ArrowDown: across ? 0 : 1 }[e.key];
        if (!way) return;
        e.preventDefault();
        resize(split, sizes[split].value + sign * way * step);
      }}
    />
  );
}
