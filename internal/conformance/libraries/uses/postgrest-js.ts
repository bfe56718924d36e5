// @supabase/postgrest-js
// Queries built and sent to a scripted server: filters, joins, counts, upserts, functions, single rows and errors.
import { PostgrestClient } from "@supabase/postgrest-js";
import { server } from "./parts/scripted";

const fake = server({
  "GET /rest/books": () => ({ json: [{ id: 1, title: "Solaris", author: { name: "Lem" } }], headers: { "content-range": "0-0/12" } }),
  "POST /rest/books": (body) => ({ status: 201, json: body }),
  "PATCH /rest/books": () => ({ status: 409, json: { code: "23505", message: "duplicate key", details: "Key exists", hint: null } }),
  "POST /rest/rpc/add": (body) => ({ json: body.a + body.b }),
});
export default {
  async fetch() {
    const db = new PostgrestClient("http://db.example/rest", { fetch: fake.fetch, headers: { apikey: "k" }, schema: "shop" });
    const some = await db.from("books").select("id, title, author:authors!inner(name)", { count: "exact" }).eq("id", 1).in("kind", ["a,b", "c"]).or("price.gt.5,title.ilike.*sol*").not("gone", "is", null).contains("tags", ["x"]).order("title", { ascending: false, nullsFirst: true }).range(0, 9);
    const one = await db.from("books").select().limit(1).single();
    const made = await db.from("books").upsert([{ id: 2, title: "Ü" }], { onConflict: "id", ignoreDuplicates: true }).select();
    const failed = await db.from("books").update({ title: "x" }).match({ id: 3 });
    const thrown = await db.from("nowhere").delete().eq("id", 1).throwOnError().then(() => "?", (e) => [e.name, e.message]);
    return Response.json({ some, one, made, failed, rpc: await db.rpc("add", { a: 1, b: 2 }), thrown, requests: fake.requests(), urls: fake.urls() });
  },
};
