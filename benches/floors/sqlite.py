"""The floor for import and export: the same rows through SQLite, one table, one transaction.

sqlite.py write ITEMS.jsonl DB | sqlite.py read DB OUT.jsonl; prints seconds.
"""

import json
import os
import sqlite3
import sys
import time

FIELDS = ["id", "dataset", "key", "form", "images", "prompt", "question", "kind", "options", "answer", "task", "subtask", "style"]
NESTED = {"images", "options"}


def rows(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            yield [json.dumps(item.get(f, [])) if f in NESTED else item.get(f) for f in FIELDS]


def write(source, target):
    db = sqlite3.connect(target)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE items (%s, PRIMARY KEY (id)) WITHOUT ROWID" % ", ".join('"%s"' % f for f in FIELDS))
    with db:
        db.executemany("INSERT INTO items VALUES (%s)" % ", ".join("?" * len(FIELDS)), rows(source))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def read(source, target):
    db = sqlite3.connect(source)
    with open(target, "w", encoding="utf-8") as out:
        for row in db.execute("SELECT * FROM items"):
            item = {f: json.loads(v) if f in NESTED else v for f, v in zip(FIELDS, row) if v is not None}
            out.write(json.dumps(item) + "\n")
        out.flush()
        os.fsync(out.fileno())


began = time.perf_counter()
{"write": write, "read": read}[sys.argv[1]](*sys.argv[2:])
print(time.perf_counter() - began)
