export const keys = new Set();

addEventListener("keydown", (event) => {
  if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
  keys.add(event.key);
});
addEventListener("keyup", (event) => keys.delete(event.key));
addEventListener("blur", () => keys.clear());
