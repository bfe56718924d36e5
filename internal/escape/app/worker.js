fetch("/api/transfer" + location.search, { method: "POST" });
