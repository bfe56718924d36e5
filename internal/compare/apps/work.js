// Work for the processor: JSON of 1.1 MB, a page of 2,000 rows by += and by join.
const records = Array.from({ length: 5000 }, (_, i) => ({
  id: i, name: "customer number " + i, email: "customer" + i + "@example.com", active: i % 3 === 0, balance: i * 1.25,
  tags: ["a", "b" + (i % 7)], address: { street: i + " High Street", city: "Springfield", zip: String(10000 + i) }, note: null,
}));
const text = JSON.stringify(records);

function row(i) {
  return "<tr><td>" + i + "</td><td>customer " + i + "</td><td>" + i * 1.25 + "</td></tr>";
}

export default {
  fetch(request) {
    switch (new URL(request.url).pathname) {
      case "/api/parse":
        return new Response(JSON.stringify(JSON.parse(text)), { headers: { "content-type": "application/json" } });
      case "/api/append": {
        let html = "<table>";
        for (let i = 0; i < 2000; i++) html += row(i);
        return new Response(html + "</table>", { headers: { "content-type": "text/plain" } });
      }
      case "/api/join": {
        const html = ["<table>"];
        for (let i = 0; i < 2000; i++) html.push(row(i));
        return new Response(html.join("") + "</table>", { headers: { "content-type": "text/plain" } });
      }
      case "/api/fib": {
        const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
        return new Response(String(fib(25)));
      }
    }
    return new Response("?", { status: 404 });
  },
};
