// Each walk has its heights in metres, one for every second kilometre.
const walks = [
  { name: "Along the river", km: 9, about: "Flat, with ducks.", heights: [12, 14, 13, 16, 15, 18] },
  { name: "Chapel hill", km: 14, about: "One climb, one view, one cake.", heights: [20, 60, 140, 210, 180, 90, 40, 22] },
  { name: "The old railway", km: 18, about: "Two tunnels. Bring a torch.", heights: [40, 48, 60, 70, 84, 96, 110, 118, 122] },
  { name: "Ridge and back", km: 22, about: "For the long days of June.", heights: [30, 120, 260, 310, 280, 330, 300, 240, 150, 60, 32] },
];

const cards = document.querySelector("#cards");
const range = document.querySelector("#range");
const max = document.querySelector("#max");

/** Draws heights as a line, 100 wide and 30 high. */
function profile(heights) {
  const top = Math.max(...heights);
  const points = heights.map((h, i) => `${((i / (heights.length - 1)) * 100).toFixed(1)},${(29 - (h / top) * 26).toFixed(1)}`);
  return `<svg viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true"><polyline vector-effect="non-scaling-stroke" points="${points.join(" ")}"/></svg>`;
}

function show() {
  max.value = range.value;
  const some = walks.filter((w) => w.km <= Number(range.value));
  cards.innerHTML = some
    .map((w) => `<li><h3>${w.name}</h3><p>${w.about}</p>${profile(w.heights)}<small>${w.km} km</small></li>`)
    .join("") || "<li>Nothing that short yet. Walk half of one?</li>";
}

/** The Sunday after next, counted from a known one. */
function nextSunday(now = new Date()) {
  const first = new Date(2024, 0, 7);
  const days = Math.floor((now - first) / 86_400_000);
  return new Date(2024, 0, 7 + Math.ceil(days / 14) * 14);
}

range.addEventListener("input", show);
show();

const when = document.querySelector("#when");
const date = nextSunday();
when.dateTime = date.toISOString().slice(0, 10);
when.textContent = date.toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long" });

console.log(`${walks.length} walks, the next on ${when.textContent}`);
