"""The worker of notes.toml: one JSON object a line in, one a line out.

In:  {"id": 7, "call": "add", "message": {…}}   or, when nobody waits,  {"cast": "add", "message": {…}}
Out: {"id": 7, "reply": …}   or   {"id": 7, "error": "…"}
At any time: {"log": {"level": "info", "data": …}}, {"event": "resource_updated", "uri": "…"}
What goes to standard error stands in the server's log. The end of the input means: finish and exit.
"""

import json
import os
import sqlite3
import sys

# With `persist = true` the server gives the worker a folder of its own.
folder = os.environ.get("SNODO_STATE_DIR")
database = sqlite3.connect(os.path.join(folder, "notes.db") if folder else ":memory:")
database.execute("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")


def add(message):
    with database:
        row = database.execute("INSERT INTO notes (text) VALUES (?)", (message["text"],))
    return {"id": row.lastrowid}


def search(message):
    found = database.execute(
        "SELECT id, text FROM notes WHERE instr(text, ?) ORDER BY id DESC LIMIT ?",
        (message["word"], message["limit"]),
    )
    return [{"id": number, "text": text} for number, text in found]


HANDLERS = {"add": add, "search": search}

for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request.get("id")}
    try:
        handle = HANDLERS[request.get("call") or request["cast"]]
        answer["reply"] = handle(request["message"])
    except Exception as error:
        answer["error"] = f"{type(error).__name__}: {error}"
    if answer["id"] is not None:
        print(json.dumps(answer), flush=True)

database.close()
