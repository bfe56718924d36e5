const url = new URL(import.meta.url);
fetch("/api/transfer" + url.search, { method: "POST" });
