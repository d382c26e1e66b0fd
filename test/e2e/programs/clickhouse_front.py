# SPDX-License-Identifier: Apache-2.0
"""The HTTP interface of ClickHouse before its engine in this process (PyPI chdb-core), as far as inftrace and its tests
use it. usage: clickhouse_front.py PORT FOLDER. A query is a parameter, rows of an INSERT are the body, gzip or not. A
key is asked for where $KEY has one. $FAULTS: so many inserts are carried out, and then answered with 503."""

import gzip
import http.server
import os
import re
import sys
import tempfile
import threading
import urllib.parse

from chdb import session

engine, lock = session.Session(sys.argv[2]), threading.Lock()
faults = [int(os.environ.get("FAULTS", "0"))]


def ask(text, form="TabSeparated"):
    with lock:
        return engine.query(text, form).bytes()


def insert(query, body):
    """The engine reads rows from a file alone."""
    table, settings, form = re.fullmatch(r"INSERT INTO (\S+) (SETTINGS .*) FORMAT (\w+)", query).groups()
    with tempfile.NamedTemporaryFile() as file:
        file.write(body)
        file.flush()
        ask("INSERT INTO inftrace.%s FROM INFILE '%s' %s FORMAT %s" % (table, file.name, settings, form))


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, code, body=b""):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
        words = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        try:
            if os.environ.get("KEY") and self.headers.get("X-ClickHouse-Key") != os.environ["KEY"]:
                self.answer(403, b"Code: 516. DB::Exception: Authentication failed")
            elif "query" not in words:
                self.answer(200, ask(body.decode(), "JSONEachRow"))
            else:
                insert(words["query"][0], body)
                faults[0] -= 1
                self.answer(503 if faults[0] >= 0 else 200)
        except Exception as why:
            print(why, file=sys.stderr, flush=True)
            self.answer(404 if "Code: 60" in str(why) or "Code: 81" in str(why) else 400, str(why).encode())

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Front)
print("ready", flush=True)
server.serve_forever()
