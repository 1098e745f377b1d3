#!/usr/bin/env python3
"""A stand-in for the interfaces of GitHub and GitLab by which a job comments on a change.

It prints `ACCEPT ADDRESS:PORT`, as openssl s_server does. All changes share one list of comments, which is kept in
notes.json; the first is of a person, who begins it as the pipeline begins its own. Requests need a token with the word `secret`.
"""

import http.server
import json
import re

THREAD = re.compile(r"/repos/[^/]+/[^/]+/issues/\d+/comments|/projects/\d+/merge_requests/\d+/notes")
ONE = re.compile(r"(?:/repos/[^/]+/[^/]+/issues/comments|/projects/\d+/merge_requests/\d+/notes)/(\d+)")
BOT = "github-actions[bot]"


def note(number, author, body):
    """A comment, as both services have it."""
    return {"id": number, "user": {"login": author}, "author": {"username": author}, "body": body}


notes = [note(1, "mallory", "<!-- what ci/pins found --> a person's words")]


class API(http.server.BaseHTTPRequestHandler):
    def answer(self):
        path = self.path.partition("?")[0]
        header = (self.headers["Authorization"] or "") + (self.headers["PRIVATE-TOKEN"] or "")
        if "secret" not in header:
            self.send_error(401)
            return
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or "null")
        one = ONE.fullmatch(path)
        if self.command == "GET" and path == "/user":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"username": BOT}).encode())
            return
        if self.command == "POST" and THREAD.fullmatch(path):
            notes.append(note(len(notes) + 1, BOT, body["body"]))
        elif self.command in ("PATCH", "PUT") and one:
            notes[int(one[1]) - 1]["body"] = body["body"]
        elif self.command != "GET" or not THREAD.fullmatch(path):
            self.send_error(404)
            return
        with open("notes.json", "w") as file:
            json.dump(notes, file)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(notes).encode())

    do_GET = do_POST = do_PATCH = do_PUT = answer


server = http.server.HTTPServer(("127.0.0.1", 0), API)
print(f"ACCEPT 127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
