export function Item({ item, onChange, onRemove }) {
  return (
    <li>
      <label>
        <input type="checkbox" checked={item.packed} onChange={(e) => onChange({ packed: e.target.checked })} />
        <span>{item.text}</span>
      </label>
      <button aria-label={`Remove ${item.text}`} onClick={onRemove}>×</button>
    </li>
  );
}
