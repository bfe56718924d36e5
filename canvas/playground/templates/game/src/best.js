// The best score, kept on the server. Without one the game still runs.
export async function loadBest() {
  try {
    const answer = await fetch("/api/best");
    return answer.ok ? (await answer.json()).best : 0;
  } catch {
    return 0;
  }
}

export async function keepBest(score) {
  try {
    const answer = await fetch("/api/best", { method: "PUT", body: JSON.stringify({ score }) });
    return (await answer.json()).best ?? score;
  } catch {
    return score;
  }
}
