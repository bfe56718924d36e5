// What a console printed. Values with something inside can be unfolded.
import { useMemo, useState } from "preact/hooks";
import { printed, type Branch, type Value } from "../store/printed";

export function Printed({ text }: { text: string }) {
  const parts = useMemo(() => (/[{[]/.test(text) ? printed(text) : [text]), [text]);
  return <>{parts.map((p, i) => (typeof p === "string" ? p : <Tree key={i} value={p} />))}</>;
}

function Tree({ value, name }: { value: Branch; name?: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="tri" aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
        {name !== undefined && <><span class="pk">{name}</span>: </>}
        <Short value={value} deep={!isOpen || name === undefined} />
      </button>
      {isOpen && (
        <span class="inside">
          {value.items.map((item, i) => (
            <span key={i} class="item">
              {item.value.kind === "branch" && item.value.items.length ? <Tree value={item.value} name={item.key} /> : <>{item.key && <><span class="pk">{item.key}</span>: </>}<Short value={item.value} deep /></>}
            </span>
          ))}
        </span>
      )}
    </>
  );
}

/** A value on one line; what is deep in it by its kind alone. */
function Short({ value, deep }: { value: Value; deep: boolean }) {
  if (value.kind !== "branch") return <span class={`p-${value.kind}`}>{value.text}</span>;
  const [a, b] = value.list ? "[]" : "{}";
  const head = value.head ? value.head + " " : "";
  if (!deep) return <>{value.head || (value.list ? `Array(${value.items.length})` : "Object")}</>;
  const some = value.items.slice(0, 8);
  return (
    <>
      {head}{a}
      {some.map((item, i) => (
        <span key={i}>
          {i > 0 && ", "}
          {!value.list && item.key && <><span class="pk">{item.key}</span>: </>}
          {item.value.kind === "branch" ? item.value.head || (item.value.list ? `Array(${item.value.items.length})` : item.value.items.length ? "{…}" : "{}") : <Short value={item.value} deep />}
        </span>
      ))}
      {value.items.length > some.length && ", …"}{b}
    </>
  );
}
