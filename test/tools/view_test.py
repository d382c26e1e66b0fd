#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""view_test.py INFTRACE DATA: what `inftrace view` answers to requests written by hand: who may ask, what is refused,
what slow and silent peers do to others, and that the figures are those of the report. DATA: the folder of test data."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
from random import Random

INFTRACE, DATA = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RECORDING = os.path.join(DATA, "pftrace/good/two_inferences.pftrace")
PATIENCE = 120


class Server:
    def __init__(self, *args, **more):
        env = {**os.environ, **more}
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            if name not in more:
                env.pop(name, None)
        self.process = subprocess.Popen(
            [INFTRACE, "view", *args], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
        self.address = self.process.stdout.readline().strip()
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address).groups()
        self.port = int(self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, number=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return status

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def send(self, data, connection=None):
        """The status, the headers and the body of the answer to these bytes."""
        connection = connection or self.connect()
        with connection:
            connection.sendall(data)
            answer = b""
            while b"\r\n\r\n" not in answer:
                part = connection.recv(65536)
                if not part:
                    break
                answer += part
            head, _, body = answer.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
            while len(body) < int(headers.get("content-length", 0)):
                part = connection.recv(65536)
                if not part:
                    break
                body += part
            return int(lines[0].split()[1]), headers, body

    def request(self, path, method="GET", host=None, headers=(), token=None):
        hosts = [f"127.0.0.1:{self.port}"] if host is None else host
        lines = [f"{method} /{self.token if token is None else token}/{path} HTTP/1.1"]
        lines += [f"Host: {host}" for host in hosts] + list(headers) + ["Connection: close"]
        return self.send("\r\n".join([*lines, "", ""]).encode("latin-1"))

    def bring(self, content, path="take?name=x"):
        """What the page sends where a file is dropped on it."""
        head = f"POST /{self.token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        head += f"Origin: http://127.0.0.1:{self.port}\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n"
        return self.send(head.encode() + content)

    def get(self, path):
        status, _, body = self.request(path)
        assert status == 200, (path, status, body)
        return body

    def json(self, path):
        return json.loads(self.get(path))


class Sockets(unittest.TestCase):
    """A page for an editor: on a socket of its owner, for as long as standard input is open."""

    def start(self, *args, **more):
        command = [INFTRACE, "view", "--socket", self.path, "--exit-with-stdin", *args, RECORDING]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "s")

    def tearDown(self):
        self.folder.cleanup()

    def test_it_answers_on_the_socket_and_ends_with_standard_input(self):
        with self.start(stdin=subprocess.PIPE) as process:
            address = process.stdout.readline().strip()
            self.assertRegex(address, r"^http://localhost/[0-9a-f]{32}/$")
            self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(self.path)
                path = address.removeprefix("http://localhost") + "recording.json"
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                answer = b"".join(iter(lambda: connection.recv(65536), b""))
            self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer[:200])
            self.assertIn(b"two_inferences", answer)
            process.stdin.write("what is written there is not read\n")
            process.stdin.flush()
            process.stdin.close()
            self.assertEqual(process.wait(PATIENCE), 0)
            self.assertFalse(os.path.exists(self.path))

    def test_it_takes_no_file_that_is_there(self):
        open(self.path, "w").close()
        with self.start(stdin=subprocess.PIPE) as process:
            self.assertEqual(process.wait(PATIENCE), 3)
            self.assertIn("exists already", process.stderr.read())
        self.assertTrue(os.path.exists(self.path))

    def test_a_file_has_no_end_to_wait_for(self):
        with open(RECORDING) as file, self.start(stdin=file) as process:
            self.assertEqual(process.wait(PATIENCE), 3)
            self.assertIn("is no pipe", process.stderr.read())


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-browser", RECORDING)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def refused(self, status, answer):
        self.assertEqual(answer[0], status, answer)
        self.assertNotIn(b"two_inferences", answer[2])
        return answer[2].decode()

    def test_a_page_of_its_own_may_ask(self):
        own = f"http://127.0.0.1:{self.server.port}"
        for headers in ([], [f"Origin: {own}"], ["Sec-Fetch-Site: same-origin"], ["Sec-Fetch-Site: none"]):
            self.assertEqual(self.server.request("recording.json", headers=headers)[0], 200, headers)
        self.assertEqual(self.server.request("", host=[f"localhost:{self.server.port}"])[0], 200)

    def test_every_answer_tells_the_browser_to_be_careful(self):
        for path, status in (("", 200), ("recording.json", 200), ("nothing", 404), ("tile", 400)):
            got, headers, _ = self.server.request(path)
            self.assertEqual(got, status)
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["cache-control"], "no-store")
            self.assertEqual(headers["referrer-policy"], "no-referrer")
            policy = headers["content-security-policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertNotIn("*", policy)

    def test_a_token_is_needed(self):
        right = self.server.token
        other = ("0" if right[0] != "0" else "1") + right[1:]
        last = right[:-1] + ("0" if right[-1] != "0" else "1")
        for token in (
            "",
            "x",
            right[:-1],
            right + "0",
            right.upper() if right.upper() != right else other,
            other,
            last,
        ):
            self.refused(403, self.server.request("recording.json", token=token))
        self.refused(403, self.server.send(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n\r\n".encode()))

    def test_tokens_are_random(self):
        with Server("--no-browser", RECORDING) as other:
            self.assertNotEqual(other.token, self.server.token)
            self.refused(403, other.request("recording.json", token=self.server.token))

    def test_a_name_that_leads_here_is_refused(self):
        port = self.server.port
        own = f"127.0.0.1:{port}"
        for hosts in (
            [],
            ["evil.example"],
            [f"evil.example:{port}"],
            ["127.0.0.1:"],
            ["127.0.0.1:80x"],
            ["127.0.0.1:123456"],
            [f"[::1]evil.example:{port}"],
            [f"127.0.0.1.evil.example:{port}"],
            [own, own],
            [own, "evil.example"],
            ["evil.example", own],
        ):
            status, _, body = self.server.request("recording.json", host=hosts)
            self.assertIn(status, (400, 403), hosts)
            self.assertNotIn(b"two_inferences", body)

    def test_a_tunnel_may_have_another_port(self):
        """ssh -L 9000:localhost:PORT: Host and Origin are those of the tunnel's end."""
        for host in ("localhost:9000", "127.0.0.1", "[::1]:9000"):
            for headers in ([], [f"Origin: http://{host}", "Sec-Fetch-Site: same-origin"]):
                self.assertEqual(self.server.request("recording.json", host=[host], headers=headers)[0], 200, host)
            other = ["Origin: http://localhost:3000"]
            self.refused(403, self.server.request("recording.json", host=[host], headers=other))

    def test_other_pages_are_refused(self):
        port = self.server.port
        for header in (
            "Origin: https://evil.example",
            "Origin: null",
            f"Origin: http://127.0.0.1:{port + 1}",
            f"Origin: https://127.0.0.1:{port}",
            "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Site: same-site",
        ):
            self.refused(403, self.server.request("recording.json", headers=[header]))
        own = f"Origin: http://127.0.0.1:{port}"
        self.refused(403, self.server.request("recording.json", headers=[own, "Origin: https://evil.example"]))

    def test_a_link_to_the_page_may_stand_anywhere(self):
        link = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
        self.assertEqual(self.server.request("", headers=link)[0], 200)
        self.refused(403, self.server.request("recording.json", headers=link))
        self.refused(403, self.server.request("", headers=[*link[:2], "Sec-Fetch-Dest: iframe"]))

    def test_paths_lead_nowhere_else(self):
        self.refused(404, self.server.request("etc"))
        for path in (
            "../../../etc/passwd",
            "..",
            "%2e%2e/%2e%2e/etc/passwd",
            "a/b",
            "index.html%00.js",
            "\\etc",
            "app.js\x01",
            "names?from=%zz",
            "names?from",
            "names?from=1&from=2",
        ):
            self.refused(400, self.server.request(path))
        self.refused(
            400,
            self.server.send(
                f"GET http://127.0.0.1:{self.server.port}/{self.server.token}/ HTTP/1.1\r\n"
                f"Host: 127.0.0.1:{self.server.port}\r\n\r\n".encode()
            ),
        )

    def test_a_frame_is_for_those_who_allow_it(self):
        frame = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"]
        self.refused(403, self.server.request("", headers=frame))
        with Server("--no-browser", "--embed", RECORDING) as framed:
            status, headers, _ = framed.request("", headers=frame)
            self.assertEqual((status, headers.get("x-frame-options")), (200, None))
            policy = headers["content-security-policy"]
            self.assertTrue(policy.endswith("frame-ancestors http://localhost:* http://127.0.0.1:* http://[::1]:*"))
            # the page alone: another one may not ask for what it shows
            self.refused(403, framed.request("recording.json", headers=frame))
            self.refused(403, framed.request("", headers=frame[:1]))

    def test_only_get_without_a_body(self):
        for method in ("PUT", "DELETE", "HEAD", "OPTIONS", "TRACE"):
            status, headers, _ = self.server.request("recording.json", method=method)
            self.assertEqual(status, 405, method)
            self.assertEqual(headers["allow"], "GET")
        self.refused(413, self.server.request("recording.json", headers=["Content-Length: 1000000000"]))
        self.refused(413, self.server.request("recording.json", headers=["Transfer-Encoding: chunked"]))
        self.refused(403, self.server.request("recording.json", method="POST", headers=["Content-Length: 1000000000"]))
        self.refused(403, self.server.request("take", method="POST"))
        self.refused(404, self.server.bring(b"", "recording.json"))

    def test_other_protocols_lead_nowhere(self):
        upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eA=="]
        status, headers, _ = self.server.request("events.json", headers=[*upgrade, "Origin: http://elsewhere"])
        self.assertEqual(status, 403)
        status, headers, _ = self.server.request("recording.json", headers=upgrade)
        self.assertEqual((status, headers.get("upgrade")), (200, None))
        random = Random(1)
        begins = (
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            b"\x81\xfe\x01\x00",
            b"",
        )
        for begin in begins * 25:
            with self.server.connect() as connection:
                with contextlib.suppress(ConnectionError):
                    connection.sendall(begin + random.randbytes(400) + b"\r\n\r\n")
                    connection.shutdown(socket.SHUT_WR)
                    answer = connection.recv(4096)
                    self.assertRegex(answer, rb"^$|^HTTP/1\.1 [45]")
        self.assertEqual(self.server.request("recording.json")[0], 200)

    def test_requests_are_bounded(self):
        self.refused(414, self.server.request("names?q=" + "x" * 5000))
        self.refused(414, self.server.request("names?q=" + "x" * 40000))
        self.refused(431, self.server.request("names", headers=["X: " + "x" * 40000]))
        self.refused(431, self.server.request("names", headers=[f"X{i}: {'x' * 100}" for i in range(400)]))
        self.refused(400, self.server.request("names?" + "&".join(f"k{i}=1" for i in range(40))))

    def test_what_makes_no_sense_is_said(self):
        for path in (
            "tile",
            "tile?k=99&i=0&rows=0-1",
            "tile?k=3&i=-1&rows=0-1",
            "tile?k=3&i=99999999999999999999&rows=0-1",
            "tile?k=50&i=4&rows=0-1",
            "tile?k=3&i=0&rows=3-1",
            "tile?k=3&i=0&rows=0-999999",
            "counter_tile?k=3&i=0&ids=",
            "counter_tile?k=3&i=0&ids=0",
            "counter_tile?k=3&i=0&ids=1,,2",
            "slice?row=x",
            "at?row=0",
            "at?row=0&t=nan",
            "find?name=x",
            "find?name=1&dir=up",
            "flows?row=x&index=0",
            "flows?row=0&index=x",
            "why?row=0&index=x",
            "why?row=x&index=0",
            "search",
            "search?q=",
            "table",
            "table?what=nothing",
            "table?what=operators&sort=nothing",
            "table?what=inferences&sort=model",
            "table?what=operators&limit=1001",
            "table?what=operators&from=9&to=3",
            "table?what=inferences&min=x",
            "table?what=inferences&max=nan",
            "histogram?from=inf",
        ):
            said = self.refused(400, self.server.request(path))
            self.assertRegex(said, r"^[a-z].*\n$", path)
        missing = ("slice?row=99999", "slice?row=0&index=99999", "flows?row=99999&index=0", "why?row=0&index=99999")
        for path in (*missing, "at?row=0&t=0", "find?name=4294967295"):
            self.refused(404, self.server.request(path))

    def test_half_a_request_keeps_nobody_waiting(self):
        halves = [self.server.connect() for _ in range(300)]
        try:
            for half in halves:
                half.sendall(b"GET /x HTTP/1.1\r\nHost: ")
            self.assertEqual(self.server.request("recording.json")[0], 200)
        finally:
            for half in halves:
                half.close()

    def test_half_a_request_is_closed(self):
        with self.server.connect() as half:
            half.sendall(b"GET /x HTTP/1.1\r\nHost: ")
            half.settimeout(PATIENCE)
            self.assertNotIn(b"200 OK", half.recv(4096))
            self.assertEqual(self.server.request("recording.json")[0], 200)

    def test_whoever_reads_nothing_keeps_nobody_waiting(self):
        line = f"GET /{self.server.token}/report.json HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n\r\n"
        deaf = self.server.connect()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.settimeout(2)
        try:
            deaf.sendall(line.encode() * 400)
        except OSError:
            pass
        self.assertEqual(self.server.request("recording.json")[0], 200)
        deaf.close()
        self.assertEqual(self.server.request("recording.json")[0], 200)

    def test_several_requests_come_through_one_connection(self):
        line = f"GET /{self.server.token}/%s HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n%s\r\n"
        with self.server.connect() as connection:
            connection.sendall(
                ((line % ("names", "")) * 2 + line % ("table?what=operators", "Connection: close\r\n")).encode()
            )
            answer = b""
            while part := connection.recv(65536):
                answer += part
        self.assertEqual(answer.count(b"HTTP/1.1 200 OK"), 3)


class Several(unittest.TestCase):
    """Two recordings beside each other, files that a reader brings, and a part of one as a file."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.server = Server("--no-browser", RECORDING, RECORDING, TMPDIR=cls.folder.name)
        with open(RECORDING, "rb") as file:
            cls.content = file.read()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        assert not os.listdir(cls.folder.name), "a file was left behind"
        cls.folder.cleanup()

    def test_two_lie_beside_each_other(self):
        base, new = self.server.json("recording.json"), self.server.json("recording.json?of=1")
        self.assertEqual((base["beside"], new["beside"]), (1, None))
        self.assertEqual(base["first_inference"], new["first_inference"])
        self.assertEqual(base["path"], os.path.realpath(RECORDING))
        self.assertEqual(self.server.get("tile?k=10&i=0&rows=0-0"), self.server.get("tile?k=10&i=0&rows=0-0&of=1"))
        diff = self.server.json("diff.json")
        self.assertEqual(len(diff["models"]), 1)
        for path in (
            "diff.json?of=1",
            "recording.json?of=99",
            "recording.json?of=-1",
            "tile?k=0&i=0&rows=0&of=9999999999",
        ):
            self.assertEqual(self.server.request(path)[0], 404, path)

    def test_a_link_shows_its_place_again(self):
        command = [INFTRACE, "view", "--no-browser", RECORDING + "#t=5-9&tab=operators"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as view:
            self.assertRegex(view.stdout.readline(), r"^http://\S+/#t=5-9&tab=operators\n$")
            view.terminate()
        for place in ("#a b", "#" + 2000 * "x", "#\x1b"):
            done = subprocess.run(
                [INFTRACE, "view", "--no-browser", RECORDING + place], capture_output=True, check=False
            )
            self.assertEqual((done.returncode, done.stdout), (3, b""))

    def test_a_file_is_opened_and_compared(self):
        number = int(self.server.bring(self.content, "take?name=..%2F..%2Fmine.pftrace")[2])
        opened = self.server.json(f"recording.json?of={number}")
        self.assertTrue(opened["path"].startswith(self.folder.name) and opened["file"].endswith("/mine.pftrace"))
        self.assertEqual(opened["events"], self.server.json("recording.json")["events"])
        base = int(self.server.bring(self.content, f"take?name=mine.pftrace&beside={number}")[2])
        beside = self.server.json(f"recording.json?of={base}")["beside"]
        self.assertEqual(beside, base + 1)
        self.assertIn("verdict", self.server.json(f"diff.json?of={base}"))

    def test_what_is_no_recording_is_refused_by_its_name(self):
        for content in (b"", b"hello"):
            status, _, body = self.server.bring(content, "take?name=%3Cb%3E.json")
            self.assertEqual(status, 400, body)
            self.assertNotIn(self.folder.name.encode(), body)
        self.assertEqual(self.server.bring(self.content, "take?name=x&beside=77")[0], 404)

    def test_a_part_is_a_recording(self):
        whole = self.server.json("recording.json")
        middle = whole["first_inference"] + 1
        part = self.server.get(f"excerpt?from={middle}&to={middle + 1}")
        path = os.path.join(self.folder.name, "part.pftrace")
        with open(path, "wb") as out:
            out.write(part)
        done = subprocess.run([INFTRACE, "report", "--json", path], capture_output=True, check=True)
        os.unlink(path)
        (model,) = json.loads(done.stdout)["models"]
        self.assertEqual(model["inferences"]["count"], 1)
        self.assertEqual(self.server.request("excerpt?from=2&to=1")[0], 400)


class Queries(unittest.TestCase):
    """SQL that the page asks: bounded, and able to read nothing else."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-browser", RECORDING)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def ask(self, sql, more=""):
        status, _, body = self.server.request("query?sql=" + urllib.parse.quote(sql) + more)
        return status, json.loads(body) if status == 200 else body.decode()

    def test_rows_are_those_of_the_command(self):
        sql = "SELECT name, duration_ns, NULL AS missing, 1.5 AS half, zeroblob(2) AS bytes FROM slices"
        said = json.loads(subprocess.check_output([INFTRACE, "query", "--json", RECORDING, sql]))
        status, table = self.ask(sql)
        self.assertEqual((status, table["more"]), (200, False))
        self.assertEqual(table["columns"], list(said[0]))
        for row, own in zip(table["rows"], said, strict=True):
            self.assertEqual(row, [*list(own.values())[:4], "2 bytes"])

    def test_numbers_are_exact(self):
        reals = "SELECT 27603472265272.5 AS mean, 0.1 + 0.2 AS sum, -1e300 / 3 AS large"
        whole = "SELECT 9007199254740991 AS last, 9007199254740993 AS next, -9223372036854775808 AS least"
        said = json.loads(subprocess.check_output([INFTRACE, "query", "--json", RECORDING, reals]))
        self.assertEqual(self.ask(reals)[1]["rows"], [list(said[0].values())])
        # a browser would read another number
        self.assertEqual(self.ask(whole)[1]["rows"], [[9007199254740991, "9007199254740993", "-9223372036854775808"]])

    def test_an_answer_is_bounded(self):
        numbers = "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a LIMIT %d) SELECT x, %s FROM a"
        for sql, rows, more in (
            (numbers % (1000, "0"), 1000, False),
            (numbers % (1001, "0"), 1000, True),
            # of a MiB each
            (numbers % (100, "printf('%1048576d', 1)"), 3, True),
            # one row alone is too long
            (numbers % (1, "printf('%5000000d', 1)"), 0, True),
        ):
            status, table = self.ask(sql)
            self.assertEqual((status, len(table["rows"]), table["more"]), (200, rows, more))

    def test_what_is_wrong_or_forbidden_is_said(self):
        for sql, words in (
            ("SELEC 1", r"^at byte 1: .*syntax error"),
            ("SELECT name, nonsense FROM slices", r"^at byte 14: .*no such column: nonsense"),
            ("SELECT 1; SELECT 2", "one statement"),
            ("-- nothing", "no statement"),
            ("DELETE FROM slices", "."),
            ("ATTACH '/tmp/x' AS x", "not allowed"),
            ("SELECT load_extension('x')", "."),
            ("SELECT readfile('/etc/passwd')", "."),
            (
                "SELECT " + ", ".join(14 * ["hex(zeroblob(20000000))"]),
                r"^it needs more than 512 MiB .*run inftrace query --memory SIZE$",
            ),
        ):
            status, said = self.ask(sql)
            self.assertEqual(status, 400, sql)
            self.assertRegex(said, words)
        self.assertEqual(self.server.request("query")[0], 400)

    def begin(self, path):
        """A connection that has asked."""
        connection = self.server.connect()
        line = f"GET /{self.server.token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n\r\n"
        connection.sendall(line.encode())
        return connection

    ENDLESS = "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT max(x) FROM a"

    def test_what_nobody_waits_for_any_more_is_ended(self):
        path = "query?sql=" + urllib.parse.quote(self.ENDLESS)
        for is_reset in (False, True):
            began = time.monotonic()
            with self.begin(path), self.begin(path) as left:
                while self.ask("SELECT 1")[0] != 503:
                    pass
                if is_reset:
                    left.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                left.close()
                while self.ask("SELECT 7")[0] == 503:
                    self.assertLess(time.monotonic() - began, 9)

    def test_what_never_ends_is_ended_and_others_are_answered_meanwhile(self):
        path = "query?sql=" + urllib.parse.quote(self.ENDLESS)
        began = time.monotonic()
        with self.begin(path) as first, self.begin(path + "&by=7"):
            # a third one has to wait, as soon as both have begun; all else does not
            while self.ask("SELECT 1")[0] != 503:
                pass
            self.server.json("table?what=inferences")
            # a page that asks anew ends what it asked before
            self.assertEqual(self.ask("SELECT 7", "&by=7")[1]["rows"], [[7]])
            self.assertLess(time.monotonic() - began, 9)
            self.assertIn(b"ended after 10 s", first.recv(65536))


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-browser", RECORDING)
        cls.recording = cls.server.json("recording.json")
        cls.report = json.loads(subprocess.check_output([INFTRACE, "report", "--json", RECORDING]))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def rows(self, what, **more):
        more = "".join(f"&{key}={value}" for key, value in more.items())
        table = self.server.json(f"table?what={what}&limit=1000{more}")
        names = [column["name"] for column in table["columns"]]
        self.assertEqual(table["total"], len(table["rows"]))
        return [dict(zip(names, row)) for row in table["rows"]]

    def test_the_report_is_that_of_the_command(self):
        self.assertEqual(self.server.json("report.json"), self.report)

    def test_tracks_are_a_tree_of_all_rows(self):
        seen, rows = set(), 0
        for track in self.recording["tracks"]:
            self.assertTrue(track["parent"] is None or track["parent"] in seen)
            self.assertNotIn(track["id"], seen)
            seen.add(track["id"])
            rows += track["rows"]
        numbers = {t["row"] + i for t in self.recording["tracks"] if t["rows"] for i in range(t["rows"])}
        self.assertEqual(numbers, set(range(rows)))
        self.assertEqual([t["kind"] for t in self.recording["tracks"]], ["process", "model", "lane", "thread"])

    def tile(self, k, i, rows):
        """The slices and runs of a tile, from its columns."""
        data = self.server.get(f"tile?k={k}&i={i}&rows={rows}")
        magic, n_big, n_rows, n_runs = struct.unpack_from("<4I", data)
        self.assertEqual(magic, 0x31544649)
        at = 16

        def column(n, code):
            nonlocal at
            values = struct.unpack_from(f"<{n}{code}", data, at)
            at += (struct.calcsize(f"<{n}{code}") + 7) // 8 * 8
            return values

        big = list(zip(*[column(n_big, code) for code in "ddIIIH"]))
        row, first = column(n_rows, "I"), column(n_rows, "I")
        runs = list(zip(*[column(n_runs, code) for code in "IHHHBB"]))
        self.assertEqual(at, len(data))
        self.assertEqual(sorted(first), list(first))
        return big, dict(zip(row, first)), runs

    def test_tiles_hold_every_slice_once(self):
        rows = sum(track["rows"] for track in self.recording["tracks"])
        slices = sum(track["slices"] for track in self.recording["tracks"])
        for k in (8, 14, 20, 30):
            n, i = 0, 0
            while i * 512 * 2**k <= self.recording["end"] and i < 2000:
                big, _, runs = self.tile(k, i, f"0-{rows - 1}")
                n += sum(run[0] for run in runs) + sum(slice[0] >= i * 512 * 2**k for slice in big)
                i += 1
            if i < 2000:
                self.assertEqual(n, slices, k)

    def test_a_slice_is_what_its_tile_says(self):
        names = self.server.json("names?from=0")
        big, _, _ = self.tile(20, 0, "1-1")
        self.assertTrue(big)
        for begin, end, row, name, index, number in big:
            slice = self.server.json(f"slice?row={row}&index={index}")
            self.assertEqual((slice["begin"], slice["end"], slice["name"]), (begin, end, names[name]))
            self.assertEqual(slice["class"], number & 0x7FFF)
            at = self.server.json(f"at?row={row}&t={(begin + end) / 2}")
            self.assertEqual((at["row"], at["index"]), (row, index))

    def test_models_and_operators_are_those_of_the_report(self):
        (model,) = self.rows("models")
        (reported,) = self.report["models"]
        self.assertEqual(model["model"], reported["name"])
        self.assertEqual(model["inferences"], reported["inferences"]["count"])
        latency = reported["inferences"]["latency"]
        self.assertEqual((model["p50_ns"], model["max_ns"]), (latency["p50_ns"], latency["max_ns"]))
        inferences = self.rows("inferences", sort="begin", dir="asc")
        self.assertEqual(len(inferences), reported["inferences"]["count"])
        self.assertEqual(inferences, sorted(inferences, key=lambda row: row["begin"]))
        for row in inferences:
            slice = self.server.json(f"slice?row={row['row']}&index={row['index']}")
            self.assertEqual((slice["begin"], slice["end"]), (row["begin"], row["begin"] + row["duration"]))
            self.assertEqual((slice["kind"], slice["args"]["id"]), ("inference", row["id"]))
        calls = {row["name"]: row["calls"] for row in self.rows("operators")}
        self.assertEqual(calls, {"first": 2, "second": 2})
        self.assertEqual({row["op_type"] for row in self.rows("operator_types")}, {"Cos", "Sin"})

    def test_a_session_adds_up(self):
        (session,) = self.rows("sessions")
        parts = [session[part] for part in ("load_ns", "specialize_ns", "phase_ns", "unattributed_ns")]
        self.assertEqual(sum(parts), session["duration"])

    def test_a_range_filters(self):
        _, second = self.rows("inferences", sort="begin", dir="asc")
        only = self.rows("inferences", **{"from": second["begin"]})
        self.assertEqual([row["id"] for row in only], [second["id"]])
        slow, fast = self.rows("inferences")
        self.assertGreater(slow["duration"], fast["duration"])
        self.assertEqual(self.rows("inferences", min=fast["duration"] + 1), [slow])
        self.assertEqual(self.rows("inferences", max=fast["duration"]), [fast])
        self.assertEqual(self.rows("inferences", min=fast["duration"], max=slow["duration"]), [slow, fast])
        only = self.rows("operators", to=second["begin"])
        self.assertEqual({row["calls"] for row in only}, {1})
        self.assertEqual(self.rows("operators", to=0), [])
        histogram = self.server.json(f"histogram?from={second['begin']}")
        self.assertEqual((sum(histogram["counts"]), histogram["p50_ns"]), (1, second["duration"]))

    def test_the_icicle_adds_up(self):
        def check(node, depth=0):
            self.assertLess(depth, 8)
            for child in node["children"]:
                self.assertGreaterEqual(node["ns"], 0)
                check(child, depth + 1)

        tree = self.server.json("icicle")
        check(tree)
        (model,) = tree["children"]
        self.assertEqual(sum(child["ns"] for child in model["children"]), model["ns"])
        self.assertEqual(model["ns"], tree["ns"])

    def test_names_are_found(self):
        found = self.server.json("search?q=CO")["names"]
        texts = {row["text"] for row in found}
        self.assertIn("ConstantFolding", texts)
        # of the others the type does: Cos
        others = {text for text in texts if "co" not in text.lower()}
        self.assertEqual(others, {"first"})
        (first,) = self.server.json("search?q=first")["names"]
        one = self.server.json(f"find?name={first['name']}&after=-1")
        two = self.server.json(f"find?name={first['name']}&after={one['begin']}")
        self.assertLess(one["begin"], two["begin"])
        back = self.server.json(f"find?name={first['name']}&after={two['begin']}&dir=prev")
        self.assertEqual((back["row"], back["index"]), (one["row"], one["index"]))
        self.assertEqual(self.server.request(f"find?name={first['name']}&after={two['begin']}")[0], 404)

    def test_any_inference_says_why(self):
        for row in self.rows("inferences"):
            report = self.server.json(f"why?row={row['row']}&index={row['index']}")
            slowest = [slow for model in report["models"] for slow in model["inferences"]["slowest"]]
            # of none but this one; first inferences are compared with no other
            self.assertEqual({slow["at_ns"] for slow in slowest} - {row["begin"]}, set())
            self.assertTrue(slowest or row["first"] or row["status"] != "ok", row)
        operator = self.rows("operators")[0]
        found = self.server.json(f"find?name={operator['name_number']}&after=-1")
        self.assertEqual(self.server.request(f"why?row={found['row']}&index={found['index']}")[0], 400)

    def test_reading_is_over(self):
        loading = self.server.json("loading.json")
        self.assertTrue(loading["over"])
        self.assertEqual((loading["file"], loading["file_bytes"]), (RECORDING, os.path.getsize(RECORDING)))

    def test_counters_have_their_values(self):
        for counter in self.recording["counters"]:
            data = self.server.get(f"counter_tile?k=40&i=0&ids={counter['id']}")
            magic, n, id, n_px, before = struct.unpack_from("<IIIId", data)
            self.assertEqual((magic, n, id, n_px), (0x31434649, 1, counter["id"], 1))
            self.assertNotEqual(before, before)
            low, high = struct.unpack_from("<f", data, 32)[0], struct.unpack_from("<f", data, 40)[0]
            self.assertAlmostEqual(low, counter["min"], delta=abs(low) * 1e-6 + 1e-6)
            self.assertAlmostEqual(high, counter["max"], delta=abs(high) * 1e-6 + 1e-6)
        self.assertEqual(
            {row["counter"] for row in self.rows("resources")}, {c["id"] for c in self.recording["counters"]}
        )


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="inftrace-view-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def fails(self, *args, status=3):
        done = subprocess.run(
            [INFTRACE, "view", "--no-browser", *args], check=False, capture_output=True, text=True, timeout=PATIENCE
        )
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1 if status == 3 else 3, done.stderr)
        return done.stderr

    def test_it_ends_well_by_every_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = Server("--no-browser", RECORDING)
            with server.connect():
                self.assertEqual(server.stop(number), 0)

    def test_it_ends_well_while_a_question_is_open(self):
        server = Server("--no-browser", RECORDING)
        with server.connect() as connection:
            for _ in range(40):
                connection.sendall(
                    f"GET /{server.token}/icicle HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
                )
            self.assertEqual(server.stop(), 0)

    def test_operators_of_no_inference_are_no_time_of_inferences(self):
        def event(cat, name, ts, dur):
            return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur}

        early = event("cpu_op", "aten::early", 10, 500)
        rest = [event("user_annotation", "ProfilerStep#0", 1000, 100), event("cpu_op", "aten::add", 1010, 50)]
        for events, expected in (([early, *rest], (100000, 1, ["ProfilerStep"])), ([early], (500000, 0, ["no model"]))):
            with open(self.path("torch.json"), "w") as file:
                json.dump({"schemaVersion": 1, "traceEvents": events}, file)
            with Server("--no-browser", self.path("torch.json")) as server:
                tree = server.json("icicle")
                self.assertEqual((tree["ns"], tree["n"], [child["name"] for child in tree["children"]]), expected)
                self.assertEqual(sum(child["ns"] for child in tree["children"]), tree["ns"])

    def test_an_address_that_cannot_be_printed_ends_it(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [INFTRACE, "view", "--no-browser", RECORDING],
                check=False,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=PATIENCE,
            )
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, "inftrace: cannot print the page's address: No space left on device\n")

    def test_errors_are_one_sentence(self):
        self.assertIn("No such file", self.fails(self.path("none")))
        with open(self.path("text"), "w") as file:
            file.write("this is no recording\n" * 100)
        self.assertIn("text", self.fails(self.path("text")))
        self.fails("--port", "70000", RECORDING, status=2)
        with Server("--no-browser", RECORDING) as server:
            said = self.fails("--port", str(server.port), RECORDING)
            self.assertIn(f"port {server.port}", said)
            self.assertIn("another program uses it", said)

    def test_a_cut_recording_is_shown_up_to_there(self):
        with open(RECORDING, "rb") as whole, open(self.path("cut.pftrace"), "wb") as cut:
            data = whole.read()
            cut.write(data[: len(data) - 100])
        with Server("--no-browser", self.path("cut.pftrace")) as server:
            self.assertRegex(server.json("recording.json")["cut"], r"^The file is cut off at byte [0-9,]+ of [0-9,]+;")
            self.assertEqual(server.json("report.json")["recording"]["file_is_cut"], True)
        with Server("--no-browser", RECORDING) as server:
            self.assertIsNone(server.json("recording.json")["cut"])

    def test_another_file_of_its_name_answers_nothing(self):
        path = self.path("again.pftrace")
        shutil.copy(RECORDING, path)
        with Server("--no-browser", path) as server:
            asked = ["query?sql=SELECT%207", "excerpt?from=0&to=9000000000"]
            self.assertEqual([server.request(one)[0] for one in asked], [200, 200])
            shutil.copy(RECORDING, self.path("other.pftrace"))
            os.rename(self.path("other.pftrace"), path)
            for one in asked:
                status, _, said = server.request(one)
                self.assertEqual((status, said), (503, b"the file has changed since it was opened; open it again\n"))
            self.assertEqual(server.request("table?what=inferences")[0], 200)
            os.unlink(path)
            self.assertIn(b"No such file", server.request(asked[0])[2])

    def events(self, server):
        """An open stream of events: (connection, file to read lines from)."""
        connection = server.connect()
        connection.settimeout(PATIENCE)
        host = f"Host: 127.0.0.1:{server.port}"
        connection.sendall(f"GET /{server.token}/events HTTP/1.1\r\n{host}\r\n\r\n".encode())
        lines = connection.makefile("rb")
        self.assertIn(b" 200 ", lines.readline())
        headers = iter(lines.readline, b"\r\n")
        self.assertIn(b"content-type: text/event-stream", [line.strip().lower() for line in headers])
        return connection, lines

    def next_event(self, lines):
        for line in lines:
            if line.startswith(b"data: "):
                return json.loads(line[6:])
        return None

    def test_a_file_that_grows_is_followed(self):
        with open(RECORDING, "rb") as whole:
            data = whole.read()
        with open(self.path("a.pftrace"), "wb") as file:
            file.write(data[: len(data) // 2])
            file.flush()
            with Server("--no-browser", self.path("a.pftrace")) as server:
                before = server.json("recording.json")
                self.assertEqual((before["growing"], before["cut"]), (True, None))
                connection, lines = self.events(server)
                file.write(data[len(data) // 2 :])
                file.close()
                event = {"growing": True}
                while event["growing"]:
                    event = self.next_event(lines)
                after = server.json("recording.json")
                self.assertEqual((event["end"], event["tiles_version"]), (after["end"], after["tiles_version"]))
                self.assertGreater(after["tiles_version"], before["tiles_version"])
                self.assertGreater(after["events"], before["events"])
                self.assertFalse(after["growing"])
                self.assertFalse(server.json("report.json")["recording"]["file_is_cut"])
                lines.close()
                connection.close()

    def test_it_ends_well_while_streams_are_open(self):
        server = Server("--no-browser", RECORDING)
        streams = [self.events(server) for _ in range(64)]
        self.assertEqual(server.request("events")[0], 503)
        self.assertEqual(server.request("recording.json")[0], 200)
        for connection, lines in streams[:32]:
            lines.close()
            connection.close()
        self.assertEqual(server.stop(), 0)
        for connection, lines in streams[32:]:
            self.assertIsNone(self.next_event(lines))
            lines.close()
            connection.close()

    def test_a_stream_takes_no_time_of_the_processor(self):
        with Server("--no-browser", RECORDING) as server:
            connection, lines = self.events(server)

            def cpu_s():
                with open(f"/proc/{server.process.pid}/stat") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
                return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

            before = cpu_s()
            time.sleep(2)
            self.assertLess(cpu_s() - before, 0.5)
            lines.close()
            connection.close()

    def test_other_formats_are_read(self):
        for path in ("ort_profile/good", "chrome/good", "qnn_csv/good"):
            folder = os.path.join(DATA, path)
            name = min(name for name in os.listdir(folder) if not name.startswith("."))
            with Server("--no-browser", os.path.join(folder, name)) as server:
                self.assertGreater(server.json("recording.json")["events"], 0, name)

    def test_kernels_are_tied_to_their_operator(self):
        with Server("--no-browser", os.path.join(DATA, "ort_profile/good/cuda.json")) as server:
            tracks = {track["kind"]: track["row"] for track in server.json("recording.json")["tracks"]}
            of_operator = server.json(f"flows?row={tracks['thread']}&index=0")["flows"]
            chain = [(flow["from"]["name"], flow["to"]["name"]) for flow in of_operator]
            self.assertEqual([one[0] for one in chain], ["conv", chain[0][1]])
            self.assertEqual(chain[1][1], "add_bias")
            self.assertEqual([flow["to"]["kind"] for flow in of_operator], ["kernel", "kernel"])
            # from either end it is the same flow
            last = of_operator[-1]["to"]
            of_kernel = server.json(f"flows?row={last['row']}&index={last['index']}")["flows"]
            self.assertEqual(of_kernel, of_operator)
            self.assertEqual(server.json(f"flows?row={tracks['lane']}&index=0")["flows"], [])

    def test_kernels_have_a_table_and_a_device(self):
        with Server("--no-browser", os.path.join(DATA, "ort_profile/good/cuda.json")) as server:
            table = server.json("table?what=kernels")
            columns = [column["name"] for column in table["columns"]]
            rows = {row[0]: dict(zip(columns, row)) for row in table["rows"]}
            convolution, copy = rows["void implicit_convolve_sgemm<float, 1024>(int, int)"], rows["MemcpyDeviceToHost"]
            self.assertEqual((convolution["calls"], convolution["self_ns"]), (2, 236_000))
            self.assertEqual(
                (convolution["provider"], convolution["model"]), ("CUDAExecutionProvider", "unknown model")
            )
            # of no inference, and thus of no model; but on the stream of the others
            self.assertFalse(copy["model"] or copy["provider"])
            names = [track["name"] for track in server.json("recording.json")["tracks"] if track["kind"] == "device"]
            self.assertEqual(names, ["CUDAExecutionProvider"])

    def test_resources_name_a_process_without_a_number(self):
        with Server("--no-browser", os.path.join(DATA, "aic_latency/good/samples.txt")) as server:
            recording = server.json("recording.json")
            tracks = {track["id"]: track for track in recording["tracks"]}
            self.assertEqual(len(recording["counters"]), 3)
            for counter in recording["counters"]:
                self.assertEqual(tracks[counter["process"]]["name"], "latency report")
                self.assertNotIn("pid", counter)

    def test_names_of_strangers_stay_text(self):
        name = '<img src=x onerror=alert(1)>\u202e"\x01</script>'
        events = [{"ph": "X", "name": name, "cat": "operator", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]
        with open(self.path("names.json"), "w") as file:
            json.dump(events, file)
        with Server("--no-browser", self.path("names.json")) as server:
            status, headers, body = server.request("slice?row=0&index=0")
            self.assertEqual((status, headers["content-type"]), (200, "application/json"))
            self.assertEqual(json.loads(body)["name"], name)

    def test_a_thousand_idle_connections_lock_nobody_out(self):
        with Server("--no-browser", RECORDING) as server:
            idle = []
            try:
                for _ in range(1000):
                    idle.append(server.connect())
                began = time.monotonic()
                self.assertEqual(server.request("recording.json")[0], 200)
                self.assertLess(time.monotonic() - began, PATIENCE)
            finally:
                for connection in idle:
                    connection.close()
            self.assertEqual(server.stop(), 0)

    def test_a_browser_is_opened_on_a_desktop_alone(self):
        opened = self.path("opened")
        with open(self.path("xdg-open"), "w") as file:
            file.write(f'#!/bin/sh\nprintf %s "$1" > {opened}.part && mv {opened}.part {opened}\n')
        os.chmod(self.path("xdg-open"), 0o755)
        path = self.folder.name + ":" + os.environ["PATH"]
        with Server(RECORDING, PATH=path, DISPLAY=":9") as server:
            until = time.monotonic() + PATIENCE
            while not os.path.exists(opened) and time.monotonic() < until:
                time.sleep(0.02)
            with open(opened) as file:
                self.assertEqual(file.read(), server.address)
        os.unlink(opened)
        for args, more in (((RECORDING,), {}), (("--no-browser", RECORDING), {"DISPLAY": ":9"})):
            with Server(*args, PATH=path, **more) as server:
                server.get("recording.json")
            self.assertFalse(os.path.exists(opened))

    def test_the_newest_recording_is_the_default(self):
        with open(RECORDING, "rb") as whole, open(self.path("a.pftrace"), "wb") as copy:
            copy.write(whole.read())
        here = os.getcwd()
        os.chdir(self.folder.name)
        try:
            with Server("--no-browser") as server:
                self.assertEqual(server.json("recording.json")["file"], "a.pftrace")
        finally:
            os.chdir(here)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
