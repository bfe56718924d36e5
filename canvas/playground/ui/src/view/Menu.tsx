// A menu that opens at an element or a point. Arrow keys move in it; Esc closes it and gives the focus back.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon";

export interface Item {
  label: string;
  icon?: IconName;
  key?: string;
  checked?: boolean;
  danger?: boolean;
  run: () => unknown;
}

export function Menu({ at, items, close, label, children }: {
  at: DOMRect;
  items: readonly (Item | "line")[];
  close: () => void;
  label: string;
  children?: ComponentChildren;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [pos, setPos] = useState({ left: at.left, top: at.bottom + 4 });

  // The focus is in it before the next key, and back where it was when it goes.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    ref.current!.querySelector<HTMLElement>("[aria-checked=true], [role^=menuitem]")?.focus();
    return () => {
      if (!document.activeElement || document.activeElement === document.body) before?.focus();
    };
  }, []);

  useLayoutEffect(() => {
    const box = ref.current!.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, innerWidth - box.width - 8));
    const below = at.bottom + 4;
    const top = below + box.height > innerHeight - 8 ? Math.max(8, at.top - box.height - 4) : below;
    setPos({ left, top });
  }, []);

  useEffect(() => {
    const outside = (e: Event) => {
      if (!ref.current?.contains(e.target as Node)) close();
    };
    addEventListener("pointerdown", outside, true);
    addEventListener("blur", close);
    return () => {
      removeEventListener("pointerdown", outside, true);
      removeEventListener("blur", close);
    };
  }, []);

  const onKey = (e: KeyboardEvent) => {
    const all = [...ref.current!.querySelectorAll<HTMLElement>("[role^=menuitem]")];
    const now = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: all.length - 1 }[e.key];
    if (to !== undefined) all[(to + all.length) % all.length]?.focus();
    else if (e.key === "Escape" || e.key === "Tab") close();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };

  return (
    <div class="menu" role="menu" aria-label={label} ref={ref} style={{ left: pos.left + "px", top: pos.top + "px" }} onKeyDown={onKey}>
      {items.map((item, i) =>
        item === "line" ? (
          <hr key={i} />
        ) : (
          <button
            key={item.label}
            role={item.checked === undefined ? "menuitem" : "menuitemradio"}
            aria-checked={item.checked}
            tabIndex={-1}
            class={item.danger ? "danger" : ""}
            onClick={() => {
              close();
              item.run();
            }}
          >
            {item.icon ? <Icon name={item.icon} /> : <span class="i" />}
            <span class="clip">{item.label}</span>
            {item.key && <span class="k">{item.key}</span>}
          </button>
        ),
      )}
      {children}
    </div>
  );
}
