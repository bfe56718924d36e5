import { useEffect, useState } from "react";

/** State that is kept in localStorage, where there is one. */
export function useStored(key, otherwise) {
  const [value, setValue] = useState(() => JSON.parse(localStorage.getItem(key)) ?? otherwise);
  useEffect(() => localStorage.setItem(key, JSON.stringify(value)), [key, value]);
  return [value, setValue];
}
