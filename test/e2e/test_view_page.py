# SPDX-License-Identifier: Apache-2.0
"""The page of `inftrace view` in real Chromium: view_drive.js drives it, view_steps_*.js say what must be so."""

import json
import os
import re
import subprocess

import pytest

import envs
import judge
from conftest import environment
from lab import children_of, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
HTML = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture
def drive(lab, tmp_path):
    """drive(FILE, STEPS...): the steps that were done."""

    def run(path, *steps):
        browser, modules = environment(judge._browser), environment(judge.puppeteer)
        view = lab.start([lab.inftrace, "view", "--no-browser", path], stdout=subprocess.PIPE, text=True)
        address = view.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]+/", address)
        program, *files = [os.path.join(HERE, name) for name in ("view_drive.js", *steps)]
        done = subprocess.run(
            ["node", program, browser, address, str(tmp_path), *files],
            env=dict(os.environ, NODE_PATH=modules),
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["done"]

    return run


def skip_without_page(lab):
    """The page is left out where npm cannot get its packages."""
    with open(lab.inftrace, "rb") as program:
        if b'<div id="page">' not in program.read():
            if os.environ.get("INFTRACE_TEST_STRICT") == "1":
                raise envs.Missing("this inftrace was built without its page")
            pytest.skip("this inftrace was built without its page")


@pytest.mark.in_turn(2)
def test_every_control_does_what_it_says(lab, wheel, drive):
    skip_without_page(lab)
    program = lab.python(wheel, "infer", "--threads", "2", "--sessions", "2", "--runs", "60", "run", lab.model("cnn"))
    recording = lab.record(program, options=["--interval", "100ms"])
    done = drive(
        lab.path("recording.pftrace"),
        "view_steps_timeline.js",
        "view_steps_tables.js",
        "view_steps_ask.js",
        "view_steps_looks.js",
        "view_steps_settings.js",
        "view_steps_compare.js",
    )
    assert len(done) == 45
    assert recording.status == 0


@pytest.mark.in_turn(2)
def test_names_are_text_whatever_they_hold(lab, drive):
    skip_without_page(lab)
    names = [HTML, "bell\x07\x1b[31m red\n \u202eturned", "a" * 5000, "'\"`${1}</title>"]
    events = [
        {"ph": "M", "pid": 1, "tid": 1, "name": what, "args": {"name": HTML}}
        for what in ("process_name", "thread_name")
    ]
    for i, name in enumerate(names * 3):
        events.append(
            {"ph": "X", "pid": 1, "tid": 1, "ts": 1000 * i, "dur": 900, "name": name, "cat": HTML, "args": {HTML: HTML}}
        )
    # a flow from the first slice to the second one
    events += [{"ph": ph, "pid": 1, "tid": 1, "ts": ts, "id": 7, "name": HTML} for ph, ts in (("s", 500), ("f", 1500))]
    path = lab.path("names.json")
    with open(path, "w") as out:
        json.dump(events, out)
    assert len(drive(path, "view_steps_names.js")) == 4


@pytest.mark.in_turn(2)
def test_a_recording_that_is_written_is_followed(lab, library, drive, tmp_path):
    """The program runs until the page has followed it."""
    skip_without_page(lab)
    program = lab.native("soak", library, lab.model("chain"), 256, 256, lab.path("counters"), 2, 2000)
    command, path = lab.command(program, name="growing")
    recorder = lab.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 10000, recorder)
    (tmp_path / "program").write_text(str(children_of(recorder.pid)[0]))
    assert len(drive(path, "view_steps_growth.js")) == 1


@pytest.mark.full("a file that takes long enough to be read must be made")
def test_a_page_that_waits_says_how_far_reading_is(lab, tmp_path):
    """The browser is there before `inftrace view` begins."""
    skip_without_page(lab)
    path = os.path.join(envs.HERE, "..", "data", "pftrace", "good", "two_inferences.pftrace")
    large = str(tmp_path / "large.pftrace")
    with open(path, "rb") as one, open(large, "wb") as out:
        once = one.read() * 1000
        for _ in range(60):
            out.write(once)
    done = subprocess.run(
        ["node", os.path.join(HERE, "view_wait.js"), environment(judge._browser), lab.inftrace, large],
        env=dict(os.environ, NODE_PATH=environment(judge.puppeteer)),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    shares = json.loads(done.stdout)
    assert shares == sorted(shares) and 0 <= shares[0] < shares[-1] < 100


@pytest.mark.in_turn(2)
def test_functions_of_a_model_lie_between_it_and_its_inferences(lab, drive):
    skip_without_page(lab)
    where = os.path.dirname(lab.inftrace)
    flags = [
        "-I" + os.path.join(HERE, "..", "..", "include"),
        "-L" + where,
        "-l:libinftrace.so.0",
        "-Wl,-rpath," + where,
    ]
    program = lab.binaries._build(os.path.join(lab.binaries.folder, "functions"), ["functions.c", *flags, "-pthread"])
    command, path = lab.command([program], name="functions")
    assert lab.plain(command).status == 0
    assert len(drive(path, "view_steps_functions.js")) == 2
