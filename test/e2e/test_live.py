# SPDX-License-Identifier: Apache-2.0
"""A page of what happens now: a real program is recorded, and a client of the page gets what it does. Whoever looks,
reads slowly or goes away disturbs neither the program nor the recording."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import judge
import pytest
from conftest import environment
from lab import PATIENCE, wait_until
from recording import Recording
from test_view import table
from test_view_page import HERE, skip_without_page


class Live:
    """`inftrace record --live` of a program that runs until it is told to end, or another command with --live."""

    def __init__(self, lab, command, name="live", way="record"):
        self.stderr = lab.path(name + ".err")
        self.path = lab.path(name + ".pftrace")
        common = ["--live", "--no-browser", "--interval", "200ms"]
        with open(self.stderr, "w") as errors:
            self.process = lab.start(
                [lab.inftrace, way, *common, *(["-o", self.path, "--"] if way == "record" else []), *command],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        wait_until(lambda: "live page: " in self.said())
        self.address = re.search(r"live page: (http://127\.0\.0\.1:\d+/[0-9a-f]+/)", self.said())[1]

    def said(self):
        with open(self.stderr) as text:
            return text.read()

    def get(self, what):
        with urllib.request.urlopen(self.address + what, timeout=PATIENCE) as answer:
            data = answer.read()
            return json.loads(data) if "json" in answer.headers["Content-Type"] else data

    @contextlib.contextmanager
    def events(self):
        """The data of events, as they come."""
        with urllib.request.urlopen(self.address + "events", timeout=PATIENCE) as stream:
            yield (json.loads(line[6:]) for line in stream if line.startswith(b"data: "))


@pytest.fixture
def program(lab, library):
    """A program that runs a model so many times, a millisecond or so each, and prints what came out."""
    return lambda runs, rest_us=0: lab.native(
        "run", library, lab.model("heavy"), "192x192", 192 * 192, "run", runs, 2, "", rest_us
    )


def test_what_happens_is_there_at_once(lab, program):
    live = Live(lab, program(1000000))
    with live.events() as events:
        first = next(events)
        later = next(event for event in events if event["end"] > first["end"] + 4e8)
        assert later["n"] > first["n"] and later["growing"]
        assert 0 <= later["changed_from"] <= later["end"]
        recording = live.get("recording.json")
        assert recording["growing"] and recording["live"]["file"] == live.path
        wait_until(lambda: table(live.get, "models"))
        # the stream says when it is over, and the page is served for as long as it is open
        os.kill(next(track["pid"] for track in recording["tracks"] if track["kind"] == "process"), signal.SIGKILL)
        last = next(event for event in events if not event["growing"])
        assert last["end"] >= later["end"]
        counted = table(live.get, "models")[0]["inferences"]
        assert live.get("report.json")["models"][0]["inferences"]["count"] == counted
        assert live.get("recording.json")["live"]["over"]
    # it ends as the program did, and the file has the same
    assert live.process.wait(PATIENCE) == -signal.SIGKILL
    assert len(Recording(live.path).inferences) == counted > 0


@pytest.mark.in_turn(2)
def test_a_model_is_watched_over_all_its_runs(lab, library):
    command = [lab.model("cnn"), "--runtime", library, "-n", "20", "--rounds", "1", "--warm-up-max", "0.3s"]
    live = Live(lab, command, way="model")
    with live.events() as events:
        last = next(event for event in events if not event["growing"])
        recording = live.get("recording.json")
        processes = [track for track in recording["tracks"] if track["kind"] == "process"]
        # one for the latencies, one for the operators
        assert len({track["pid"] for track in processes}) == 2
        assert recording["end"] == last["end"] and recording["live"]["over"] and not recording["live"]["file"]
        assert sum(row["inferences"] for row in table(live.get, "models")) >= 40
        assert table(live.get, "operators")
    out, _ = live.process.communicate(timeout=PATIENCE)
    assert live.process.returncode == 0 and "Runs" in out


def test_a_reader_that_never_reads_holds_nothing_up(lab, program):
    alone = subprocess.run(program(400), capture_output=True, text=True, check=True, timeout=PATIENCE)
    live = Live(lab, program(400))
    host, port, token = re.match(r"http://([\d.]+):(\d+)/([0-9a-f]+)/", live.address).groups()
    asked = f"GET /{token}/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
    readers = []
    for _ in range(20):
        reader = socket.create_connection((host, int(port)))
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        reader.sendall(asked)
        readers.append(reader)
    assert live.get("recording.json")["live"]
    # half of them go without a word
    for reader in readers[::2]:
        reader.close()
    assert table(live.get, "losses") == []
    for reader in readers[1::2]:
        reader.close()
    out, _ = live.process.communicate(timeout=PATIENCE)
    assert live.process.returncode == 0
    assert out == alone.stdout
    assert "lost" not in live.said()


def test_a_program_inherits_nothing_of_the_server(lab):
    seen = []
    for options in ([], ["--live", "--no-browser"]):
        # not SigQ: it counts signals of all processes of the user
        signals = "grep -E '^Sig(Pnd|Blk|Ign|Cgt)' /proc/self/status"
        command = ["sh", "-c", signals + "; ulimit -a; ls -l /proc/self/fd | grep -c socket"]
        done = subprocess.run(
            [lab.inftrace, "record", *options, "--force", "-q", "-o", lab.path("sh.pftrace"), "--", *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert "SigIgn" in done.stdout
        seen.append(done.stdout)
    assert seen[0] == seen[1]


def test_ctrl_c_ends_it_whoever_looks(lab, program):
    live = Live(lab, program(100000))
    with live.events() as events:
        next(events)
        live.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(OSError):
            for _ in events:
                pass
    live.process.wait(PATIENCE)
    assert os.path.getsize(live.path) > 0


@pytest.mark.in_turn(2)
def test_the_page_follows_and_starts_recordings(lab, library, program):
    skip_without_page(lab)
    browser, modules = environment(judge._browser), environment(judge.puppeteer)
    live = Live(lab, program(1000000, rest_us=5000))
    saved = lab.path("saved")
    os.mkdir(saved)
    done = subprocess.run(
        [
            "node",
            os.path.join(HERE, "view_drive.js"),
            browser,
            live.address,
            saved,
            os.path.join(HERE, "view_steps_live.js"),
            os.path.join(HERE, "view_steps_record.js"),
        ],
        env=dict(os.environ, NODE_PATH=modules, LIVE_MODEL=lab.model("cnn"), LIVE_RUNTIME=library),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    live.process.send_signal(signal.SIGTERM)
    live.process.wait(PATIENCE)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["done"]) == 7


def test_only_the_page_itself_may_start_a_recording(lab, program):
    live = Live(lab, program(1000000))
    origin = re.match(r"http://[\d.]+:\d+", live.address)[0]

    def post(what, **headers):
        request = urllib.request.Request(live.address + what, method="POST", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status
        except urllib.error.HTTPError as refused:
            return refused.code

    wanted = "start?mode=model&model=" + urllib.parse.quote(lab.model("cnn"))
    assert post(wanted) == 403
    assert post(wanted, Origin="http://localhost:1") == 403
    assert post(wanted, Origin=origin, Host="evil.example") == 403
    assert post("recording.json", Origin=origin) == 405
    for nonsense in ("", "mode=record", "mode=attach", "mode=attach&pid=1;id", "mode=model&model=-h"):
        assert post("start?" + nonsense, Origin=origin) == 400
    assert post("start?mode=model&ep=$(id)&model=" + lab.model("cnn"), Origin=origin) == 400
    assert live.get("recordings.json") == []


def test_the_port_is_taken_before_anything_is_recorded(lab, program):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = subprocess.run(
            [lab.inftrace, "record", "--live", "--port", str(port), "-o", lab.path("none.pftrace"), "--", *program(1)],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    assert done.returncode == 3
    assert f"port {port}" in done.stderr and "another program uses it" in done.stderr
    assert not os.path.exists(lab.path("none.pftrace"))
