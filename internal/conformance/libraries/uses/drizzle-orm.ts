// drizzle-orm
// Tables, inserts, joins, aggregates, relational queries, batches and constraint errors on env.DB.
import { and, asc, count, desc, eq, gt, inArray, like, relations, sql, sum } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

const authors = sqliteTable("authors", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  born: integer("born", { mode: "timestamp" }),
  meta: text("meta", { mode: "json" }).$type<{ langs: string[] }>(),
  active: integer("active", { mode: "boolean" }).default(true),
}, (t) => [uniqueIndex("authors_name").on(t.name)]);
const books = sqliteTable("books", {
  id: integer("id").primaryKey(),
  author: integer("author").references(() => authors.id),
  title: text("title").notNull(),
  price: real("price"),
}, (t) => [index("books_author").on(t.author)]);
const authorsRelations = relations(authors, ({ many }) => ({ books: many(books) }));
const booksRelations = relations(books, ({ one }) => ({ by: one(authors, { fields: [books.author], references: [authors.id] }) }));
const schema = { authors, books, authorsRelations, booksRelations };

export default {
  async fetch(request: Request, env: { DB: D1Database }) {
    await env.DB.batch([
      env.DB.prepare("DROP TABLE IF EXISTS books"), env.DB.prepare("DROP TABLE IF EXISTS authors"),
      env.DB.prepare("CREATE TABLE authors (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, born INTEGER, meta TEXT, active INTEGER DEFAULT 1)"),
      env.DB.prepare("CREATE TABLE books (id INTEGER PRIMARY KEY, author INTEGER REFERENCES authors(id), title TEXT NOT NULL, price REAL)"),
    ]);
    const db = drizzle(env.DB, { schema });
    const made = await db.insert(authors).values([
      { name: "Le Guin", born: new Date("1929-10-21"), meta: { langs: ["en"] } },
      { name: "Lem", born: new Date("1921-09-12"), meta: { langs: ["pl", "de"] }, active: false },
      { name: "Борис", meta: null },
    ]).returning();
    await db.batch([
      db.insert(books).values([{ id: 1, author: 1, title: "The Dispossessed", price: 9.5 }, { id: 2, author: 2, title: "Solaris", price: 7.25 }]),
      db.insert(books).values({ id: 3, author: 2, title: "Fiasco" }),
      db.update(books).set({ price: sql`coalesce(${books.price}, 1) * 2` }).where(eq(books.id, 3)),
    ]);
    const query = db.select({ name: authors.name, n: count(books.id), total: sum(books.price) }).from(authors)
      .leftJoin(books, eq(books.author, authors.id)).groupBy(authors.id).having(({ n }) => gt(n, 0)).orderBy(desc(count(books.id)), asc(authors.name));
    const prepared = db.select().from(books).where(eq(books.id, sql.placeholder("id"))).prepare();
    return Response.json({
      made,
      report: await query,
      sql: query.toSQL(),
      relational: await db.query.authors.findMany({ with: { books: { columns: { title: true }, orderBy: [desc(books.title)] } }, where: inArray(authors.id, [1, 2]), orderBy: [asc(authors.id)] }),
      first: await db.query.books.findFirst({ with: { by: true }, where: like(books.title, "%ola%") }),
      prepared: [await prepared.get({ id: 2 }), (await prepared.get({ id: 99 })) ?? null],
      upsert: await db.insert(authors).values({ name: "Lem", active: true }).onConflictDoUpdate({ target: authors.name, set: { active: true } }).returning({ id: authors.id, active: authors.active }),
      gone: await db.delete(books).where(and(eq(books.author, 2), gt(books.price, 5))).returning({ id: books.id }),
      conflict: await db.insert(authors).values({ name: "Lem" }).then(() => "?", (e) => [e.name, e.message, e.cause?.message]),
      meta: Object.keys((await db.run(sql`update authors set active = 0`)).meta).sort(),
      raw: await db.all(sql`select count(*) as n from ${authors}`), values: await db.values(sql`select 1, 'a', null`),
    });
  },
};
