// Arrow keys in a list of buttons, which is one stop of the tab key: the chosen row, or the first.

/** Handles a key in the list of elements that a selector finds below where it is listened to. Moving chooses. */
export function arrows(selector: string) {
  return (e: KeyboardEvent) => {
    const all = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(selector)];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
    if (at < 0 || to === undefined) return;
    e.preventDefault();
    const next = all[Math.min(Math.max(to, 0), all.length - 1)];
    next.focus();
    next.click();
  };
}
