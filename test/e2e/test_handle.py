# SPDX-License-Identifier: Apache-2.0
"""inftrace handle: reports on the inferences of programs that are not linked with the library."""

import collections
import csv
import json
import os
import signal
import subprocess

import pytest

import envs
from attaching import native_server, python_server
from conftest import environment
from lab import PATIENCE, wait_until


def handle(lab, *args, **more):
    return lab.plain([lab.inftrace, "handle", *map(str, args)], **more)


def rows(text):
    return list(csv.DictReader(text.splitlines()[4:], skipinitialspace=True))


def reports(text):
    """Of standard output with --json."""
    return [json.loads(line) for line in text.splitlines()]


def framed(data):
    """[(head, report)] of standard output, from bytes."""
    found = []
    while data:
        line, _, rest = data.partition(b"\n")
        kind, size, *words = line.decode().split(" ", 5)
        assert kind == "inftrace-report"
        n = int(size.removeprefix("bytes="))
        head = dict(word.split("=", 1) for word in [*words[:-1], *words[-1].split(" ", 1)])
        found.append((head, rest[:n].decode()))
        assert rest[n : n + 1] == b"\n"
        data = rest[n + 1 :]
    return found


def check_stream(found, rate_ms):
    """Each report begins where the one before of its model ended, at a multiple of the rate."""
    last = {}
    for report in found:
        assert report["from_ns"] == last.get(report["model"], report["from_ns"])
        assert report["to_ns"] >= report["from_ns"] and report["lost"] == 0 and report["note"] is None
        last[report["model"]] = report["to_ns"]
        if report["from_ns"] != found[0]["from_ns"]:
            assert int(report["from"][-4:-1]) % rate_ms == 0, report["from"]
    return sum(report["samples"] for report in found)


def test_a_started_program_is_reported_on_by_time(lab, wheel):
    """Every run is in one report; what the program prints and its exit status stay its own."""
    program = lab.python(wheel, "infer", "run", lab.model("chain"), "--runs", 300)
    done = handle(lab, "--rate", "100ms", "--json", "--quiet", "--", *program)
    assert done.status == 0
    found = reports(done.out)
    assert check_stream(found, 100) == 300
    assert sum(len(rows(report["text"])) for report in found) == 300
    assert done.err == lab.plain(program).out  # standard output is that of the reports
    assert handle(lab, "--rate", "1h", "--", "sh", "-c", "exit 7").status == 7


@pytest.fixture
def node():
    return environment(envs.node_package, "newest")


def test_a_node_program_writes_files_by_model(lab, node):
    program = [node.node, envs.PROGRAMS + "/infer.js", lab.model("chain"), "256", "20"]
    folder = lab.path("reports")
    done = handle(lab, "--samples", 30, "--models", "^ch", "-o", folder, "--", *program, env=node.script_env)
    assert done.status == 0 and "runs 40 failed 0" in done.out
    assert os.listdir(folder) == ["chain-latency.txt"]
    with open(os.path.join(folder, "chain-latency.txt")) as file:
        assert len(rows(file.read())) == 30
    again = handle(lab, "--samples", 30, "-o", folder, "--", *program, env=node.script_env)
    assert again.status == 0 and "--force to overwrite it" in again.err
    none = handle(
        lab, "--rate", "1h", "--models", "^other$", "-o", lab.path("none"), "--", *program, env=node.script_env
    )
    assert none.status == 0 and os.listdir(lab.path("none")) == []


@pytest.mark.parametrize(
    "way", [pytest.param([], marks=pytest.mark.root, id="probes"), pytest.param(["--inject"], id="inject")]
)
@pytest.mark.in_turn(2)
def test_a_running_program_is_reported_on(lab, wheel, way):
    server = python_server(lab, wheel, "chain")
    done = handle(lab, "--samples", 20, "--every", 2, *way, "--pid", server.pid, "--quiet")
    assert (done.status, done.err) == (0, "")
    [(head, text)] = framed(done.out.encode())
    assert (head["type"], head["samples"], head["model"], head["lost"]) == ("latency", "20", '"chain"', "0")
    assert all(float(row["totalRoundtripTimeUs"]) > 0 for row in rows(text)) and len(rows(text)) == 20
    trace = handle(lab, "--samples", 2000, "--type", "trace", *way, "--pid", server.pid, "--json")
    [report] = reports(trace.out)
    events = [event for event in json.loads(report["text"]) if event["ph"] in "BX"]
    assert collections.Counter(event.get("cat") for event in events)["inference"] == report["samples"] == 2000
    # on a busy machine the first ones may have been handed over before it was known that operators were missing
    last = max(event["ts"] for event in events if event.get("cat") == "inference")
    assert sum(event.get("cat") == "operator" and event["ts"] >= last for event in events) == 20
    server.end()


def test_an_interrupt_delivers_what_there_is(lab, library):
    server = native_server(lab, library, "chain", 256, 256)
    out = lab.path("reports.json")
    with open(out, "wb") as file:
        process = lab.start(
            [lab.inftrace, "handle", "--rate", "100ms", "--inject", "--json", "--pid", str(server.pid)],
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
        )
    wait_until(lambda: os.path.getsize(out), process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    with open(out) as file:
        found = reports(file.read())
    assert len(found) > 1 and check_stream(found, 100) > 0
    assert {report["model"] for report in found} == {"chain"}
    server.end()


@pytest.mark.root
def test_a_full_disk_is_an_error_and_leaves_no_half_file(lab, library):
    server = native_server(lab, library, "chain", 256, 256)
    folder = lab.path("small")
    os.mkdir(folder)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", folder], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("cannot mount a tmpfs here")
    try:
        done = handle(lab, "--samples", 1000, "--inject", "-o", folder, "--pid", server.pid)
        assert "cannot write %s/chain-latency.txt: No space left on device" % folder in done.err
        assert done.status == 3 and os.listdir(folder) == []
    finally:
        subprocess.run(["umount", folder], check=True)
    server.end()
