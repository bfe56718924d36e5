// kysely
// The query builder: joins, expressions, CTEs, JSON, dates, plugins and compiled SQL, run on env.DB.
import { CamelCasePlugin, Kysely, sql, type Generated } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/sqlite";
import { D1Dialect } from "kysely-d1";

interface Tables {
  person: { id: Generated<number>; firstName: string; score: number | null };
  pet: { id: Generated<number>; ownerId: number; name: string; kind: "cat" | "dog" };
}

export default {
  async fetch(request: Request, env: { DB: D1Database }) {
    const db = new Kysely<Tables>({ dialect: new D1Dialect({ database: env.DB }), plugins: [new CamelCasePlugin()] });
    await db.schema.dropTable("pet").ifExists().execute();
    await db.schema.dropTable("person").ifExists().execute();
    await db.schema.createTable("person").addColumn("id", "integer", (c) => c.primaryKey()).addColumn("firstName", "text", (c) => c.notNull()).addColumn("score", "real").execute();
    await db.schema.createTable("pet").addColumn("id", "integer", (c) => c.primaryKey()).addColumn("ownerId", "integer", (c) => c.references("person.id").onDelete("cascade"))
      .addColumn("name", "text", (c) => c.unique()).addColumn("kind", "text", (c) => c.check(sql`kind in ('cat', 'dog')`)).execute();
    const inserted = await db.insertInto("person").values([{ firstName: "Ada", score: 1.5 }, { firstName: "Bob", score: null }]).returning(["id", "firstName"]).execute();
    const result = await db.insertInto("pet").values([{ ownerId: 1, name: "Cat-o", kind: "cat" }, { ownerId: 1, name: "Rex", kind: "dog" }]).executeTakeFirst();
    const tree = db.selectFrom("person").select((eb) => [
      "person.id", "firstName",
      jsonArrayFrom(eb.selectFrom("pet").select(["pet.name", "kind"]).whereRef("ownerId", "=", "person.id").orderBy("name")).as("pets"),
      eb.case().when("score", "is", null).then("none").else("some").end().as("scored"),
    ]).orderBy("person.id");
    const ranked = db.with("best", (q) => q.selectFrom("pet").select((eb) => ["ownerId", eb.fn.countAll<number>().as("n")]).groupBy("ownerId"))
      .selectFrom("best").innerJoin("person", "person.id", "best.ownerId").select(["firstName", "n"]).where((eb) => eb.or([eb("n", ">", 1), eb("firstName", "like", "Z%")]));
    return Response.json({
      inserted, result: { id: String(result.insertId), rows: String(result.numInsertedOrUpdatedRows) },
      tree: await tree.execute(), compiled: ranked.compile().sql, parameters: ranked.compile().parameters, ranked: await ranked.execute(),
      updated: String((await db.updateTable("person").set((eb) => ({ score: eb("score", "+", 1) })).where("id", "=", 1).executeTakeFirst()).numUpdatedRows),
      deleted: String((await db.deleteFrom("pet").where("kind", "=", "dog").executeTakeFirst()).numDeletedRows),
      raw: (await sql<{ n: number }>`select count(*) as n from ${sql.table("pet")} where name = ${"Cat-o"}`.execute(db)).rows,
      missing: await db.selectFrom("person").selectAll().where("id", "=", 9).executeTakeFirstOrThrow().catch((e) => [e.constructor.name, e.message]),
      broken: await db.insertInto("pet").values({ ownerId: 1, name: "Cat-o", kind: "cat" }).execute().then(() => "?", (e) => e.message),
      transaction: await db.transaction().execute(async () => 1).catch((e) => e.message),
      chunks: await (async () => { const out = []; for await (const p of db.selectFrom("person").select("firstName").orderBy("id").stream()) out.push(p); return out; })().catch((e) => e.message),
    });
  },
};
