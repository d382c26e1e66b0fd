# SPDX-License-Identifier: Apache-2.0
"""`inftrace view` of real recordings: what it answers is what the report and another reader of the file say. Requests
that should be refused, slow peers and other formats are in test/tools/view_test.py."""

import contextlib
import csv
import json
import os
import signal
import struct
import subprocess
import urllib.request
from collections import Counter

import pytest

import envs
from conftest import environment
from lab import PATIENCE, wait_until


@contextlib.contextmanager
def view(lab, path):
    """A function that gets an answer."""
    process = subprocess.Popen([lab.inftrace, "view", "--no-browser", path], stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), address

        def get(what):
            with urllib.request.urlopen(address + what, timeout=240) as answer:
                data = answer.read()
                return json.loads(data) if "json" in answer.headers["Content-Type"] else data

        yield get
        process.send_signal(signal.SIGINT)
        assert process.wait(240) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def table(get, what, more=""):
    answer = get(f"table?what={what}&limit=1000{more}")
    assert answer["total"] == len(answer["rows"])
    return [dict(zip((column["name"] for column in answer["columns"]), row)) for row in answer["rows"]]


def slices_of_tiles(get, recording, k):
    rows = sum(track["rows"] for track in recording["tracks"])
    n = 0
    for i in range(int(recording["end"]) // (512 << k) + 1):
        data = get(f"tile?k={k}&i={i}&rows=0-{rows - 1}")
        _, n_big, n_rows, n_runs = struct.unpack_from("<4I", data)
        n += sum(begin >= i * (512 << k) for begin in struct.unpack_from(f"<{n_big}d", data, 16))
        counts = 16 + 16 * n_big + 3 * ((4 * n_big + 7) // 8 * 8) + (2 * n_big + 7) // 8 * 8
        counts += 2 * ((4 * n_rows + 7) // 8 * 8)
        n += sum(struct.unpack_from(f"<{n_runs}I", data, counts))
    return n


def test_the_page_has_what_was_recorded(lab):
    wheel = environment(envs.wheel, "newest")
    done = lab.record(lab.python(wheel, "infer", "run", lab.model("chain"), "--runs", 50), level="operator")
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", done.recording.path]).out)
    with view(lab, done.recording.path) as get:
        recording = get("recording.json")
        assert get("report.json") == report
        sampled = sum(track["slices"] for track in recording["tracks"] if track["kind"] in ("state", "stack"))
        assert sum(track["slices"] for track in recording["tracks"]) - sampled == len(done.recording.slices)
        for k in (18, 22, 30):
            assert slices_of_tiles(get, recording, k) == len(done.recording.slices) + sampled
        assert sum(counter["samples"] for counter in recording["counters"]) == len(done.recording.counters)
        (model,) = table(get, "models")
        (reported,) = report["models"]
        assert model["inferences"] == reported["inferences"]["count"] == 50
        for figure in ("p50_ns", "p90_ns", "p99_ns", "max_ns"):
            assert model[figure] == reported["inferences"]["latency"][figure]
        assert len(table(get, "inferences")) == 50
        calls = Counter(own.name for own in done.recording.slices if own.kind == "operator")
        assert {row["name"]: row["calls"] for row in table(get, "operators")} == calls
        session = reported["sessions"][0]
        (own,) = table(get, "sessions")
        assert own["duration"] == session["creation_ns"]
        icicle = get("icicle")
        assert sum(child["ns"] for child in icicle["children"][0]["children"]) == icicle["ns"]


def test_a_recording_that_goes_on_is_shown_as_far_as_it_is(lab):
    wheel = environment(envs.wheel, "newest")
    command, path = lab.command(lab.python(wheel, "infer", "run", lab.model("tiny"), "--runs", 100000000))
    recorder = lab.start(command)
    inferences = 0

    def is_there():
        nonlocal inferences
        if lab.plain([lab.inftrace, "report", "--json", path]).status:
            return False
        with view(lab, path) as get:
            recording, models = get("recording.json"), table(get, "models")
            assert not models or recording["growing"]
            inferences = models[0]["inferences"] if models else 0
        return inferences > 0

    wait_until(is_there, recorder)
    # not SIGINT: it is ignored by programs that a shell started in the background
    with open("/proc/%d/task/%d/children" % (recorder.pid, recorder.pid)) as children:
        os.kill(int(children.read().split()[0]), signal.SIGTERM)
    recorder.wait(PATIENCE)
    with view(lab, path) as get:
        assert not get("recording.json")["growing"]
        assert table(get, "models")[0]["inferences"] > inferences


def test_the_sizes_of_inputs_are_those_of_the_report(lab):
    """In the page, in CSV and in SQL."""
    wheel = environment(envs.wheel, "openvino")
    done = lab.record(lab.python(wheel, "habits", "odd", lab.model("guarded"), "--runs", 60), judged=False)
    path = done.recording.path
    (model,) = json.loads(lab.plain([lab.inftrace, "report", "--json", path]).out)["models"]
    sizes = model["inferences"]["sizes"]
    assert [(size["elements"], size["count"]) for size in sizes] == [(4, 54), (400, 5)]
    figures = ("elements", "shapes", "count", "wall_ns", "p50_ns", "p90_ns", "p99_ns")
    expected = [tuple(size[figure] for figure in figures) for size in sizes]
    with view(lab, path) as get:
        rows = table(get, "sizes", "&sort=elements&dir=asc")
        assert rows[0]["share"] == pytest.approx(100 * 54 / 59)
        names = ("elements", "shapes", "inferences", "total_ns", "p50_ns", "p90_ns", "p99_ns")
        assert [tuple(row[name] for name in names) for row in rows] == expected
        assert not table(get, "sizes", "&model=another")
    rows = csv.DictReader(lab.plain([lab.inftrace, "report", "--format", "csv-sizes", path]).out.splitlines())
    assert [tuple(row[name] for name in names) for row in rows] == [tuple(map(str, row)) for row in expected]
