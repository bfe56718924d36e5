// The tables, and what a new project begins with.
const first = [
  ["Welcome", "Notes are rows of a SQL table, kept with the project.\n\nPress New, or click a note to change it.", 1],
  ["Sourdough, batch 12", "78 % water, 20 g salt. Overnight at 6 °C, then two hours on the counter. Best ear so far; next time less steam after minute fifteen.", 0],
  ["Bike light wiring", "Front takes 6 V from the hub. The rear one blinks below 8 km/h, so add the capacitor.", 0],
];

/** Makes the tables if they are missing. */
export async function ready(db) {
  const there = await db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'notes'").first();
  if (there) return;
  const add = db.prepare("INSERT INTO notes (title, body, pinned, updated) VALUES (?, ?, ?, ?)");
  await db.batch([
    db.prepare("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, updated TEXT NOT NULL)"),
    ...first.map((note) => add.bind(...note, new Date().toISOString())),
  ]);
  console.log("made the table notes");
}
