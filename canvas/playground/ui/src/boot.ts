// Runs before the first paint, so that a chosen theme never flashes the other one.
let theme: string | null = null;
try {
  theme = localStorage.getItem("playground.theme");
} catch {
  // storage is off; the system decides
}
if (theme !== "light" && theme !== "dark") {
  theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}
document.documentElement.dataset.theme = theme;
