import { useId, useMemo, useState } from "react";
import { Item } from "./Item.jsx";
import { useStored } from "./useStored.js";

const first = [
  { id: 1, text: "Passport", packed: true },
  { id: 2, text: "Rain jacket", packed: false },
  { id: 3, text: "Charger and the odd plug", packed: false },
  { id: 4, text: "Book for the train", packed: false },
];

const views = { all: () => true, "to pack": (i) => !i.packed, packed: (i) => i.packed };

export function App() {
  const [items, setItems] = useStored("items", first);
  const [view, setView] = useState("all");
  const [text, setText] = useState("");
  const field = useId();
  const shown = useMemo(() => items.filter(views[view]), [items, view]);
  const packed = items.filter((i) => i.packed).length;

  function add(e) {
    e.preventDefault();
    if (!text.trim()) return;
    setItems([...items, { id: Math.max(0, ...items.map((i) => i.id)) + 1, text: text.trim(), packed: false }]);
    setText("");
  }
  const change = (id, part) => setItems(items.map((i) => (i.id === id ? { ...i, ...part } : i)));

  return (
    <main>
      <header>
        <h1>Packing list</h1>
        <p>{packed === items.length ? "All packed." : `${packed} of ${items.length} packed`}</p>
        <progress value={packed} max={Math.max(1, items.length)} aria-label="Packed" />
      </header>

      <form onSubmit={add}>
        <label htmlFor={field}>What else?</label>
        <input id={field} value={text} onChange={(e) => setText(e.target.value)} autoComplete="off" />
        <button>Add</button>
      </form>

      <nav aria-label="Show">
        {Object.keys(views).map((name) => (
          <button key={name} aria-pressed={name === view} onClick={() => setView(name)}>{name}</button>
        ))}
      </nav>

      <ul>
        {shown.map((item) => (
          <Item key={item.id} item={item} onChange={(part) => change(item.id, part)} onRemove={() => setItems(items.filter((i) => i !== item))} />
        ))}
      </ul>
      {shown.length === 0 && <p className="none">Nothing here.</p>}
    </main>
  );
}
