addEventListener("install", () => skipWaiting());
addEventListener("activate", () => clients.claim());
addEventListener("fetch", () => { });
