import sqlite3
with sqlite3.connect("shop.db") as db:
    db.execute("create table item(id integer primary key, name text unique, price real, tags blob)")
    db.executemany("insert into item(name, price, tags) values (?, ?, ?)", [("tea", 2.5, b"\x00\x01"), ("ink", 4, None), ("pen", 1.25, b"")])
db.close()
db = sqlite3.connect("shop.db")
db.row_factory = sqlite3.Row
for row in db.execute("select *, typeof(price) as t from item order by price desc"):
    print(dict(row), row.keys())
db.create_function("half", 1, lambda x: x / 2)
print(tuple(db.execute("select sum(half(price)), count(*), group_concat(name) from item where name like :n", {"n": "%n%"}).fetchone()))
try:
    with db:
        db.execute("update item set price = 9")
        db.execute("insert into item(name) values ('tea')")
except sqlite3.IntegrityError as e:
    print(e, db.execute("select max(price) from item").fetchone()[0])
db.executescript("create virtual table doc using fts5(body); insert into doc values ('the quick fox'), ('a lazy dog')")
print([r[0] for r in db.execute("select body from doc where doc match 'quick OR dog' order by rowid")])
print(db.execute("with recursive c(x) as (select 1 union all select x + 1 from c where x < 5) select json_group_array(x) from c").fetchone()[0])
print(list(db.iterdump())[1], db.total_changes)
try:
    db.execute("select nothing from item")
except sqlite3.OperationalError as e:
    print(e)
