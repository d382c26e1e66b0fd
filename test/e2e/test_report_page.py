# SPDX-License-Identifier: Apache-2.0
"""The HTML report of a recording in real Chromium: report_page.js looks at it at several widths and on paper."""

import json
import os
import re
import subprocess

import judge
import pytest
from conftest import environment

HERE = os.path.dirname(os.path.abspath(__file__))
HTML = "</title></style></svg><img src=x onerror=alert(1)><script>alert(2)</script>"


def look(lab, folder, *recordings):
    page = lab.path("report.html")
    made = lab.plain([lab.inftrace, "report", "-o", page, "--force", *recordings])
    assert made.status == 0, made.err
    browser, modules = environment(judge._browser), environment(judge.puppeteer)
    done = subprocess.run(
        ["node", os.path.join(HERE, "report_page.js"), browser, page, str(folder)],
        env=dict(os.environ, NODE_PATH=modules),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["problems"] == []
    assert seen["pdf"] > 10000
    with open(page) as file:
        return file.read()


@pytest.mark.in_turn(2)
def test_a_report_fits_phones_screens_and_paper(lab, wheel, tmp_path):
    program = lab.python(wheel, "infer", "--threads", "2", "--sessions", "2", "--runs", "60", "run", lab.model("cnn"))
    # with what each operator took of the allocators, whose shapes are long words
    recording = lab.record(program, level="detail", options=["--interval", "100ms"])
    text = look(lab, tmp_path, lab.path("recording.pftrace"))
    for section in ("next", "course", "time", "latency-1", "creation-1", "operators-1", "gaps", "resources", "losses"):
        assert '<section id="%s"' % section in text
    titles = (line for line in text.split("<title>") if "inference" in line[:60] and ", for " in line[:40])
    counted = sum(int(line.split(": ")[1].split(" ")[0].replace(",", "")) for line in titles)
    assert recording.status == 0
    assert counted == 240, counted


@pytest.mark.in_turn(2)
def test_names_in_a_report_are_text_whatever_they_hold(lab, tmp_path):
    names = [HTML, "bell\x07\x1b[31m red\n \u202eturned", "a" * 5000, "'\"`${1}]]>--><!--"]
    events = [
        {"ph": "M", "pid": 1, "tid": 1, "name": what, "args": {"name": HTML}}
        for what in ("process_name", "thread_name")
    ]
    for i, name in enumerate(names * 3):
        events.append(
            {"ph": "X", "pid": 1, "tid": 1, "ts": 1000 * i, "dur": 900, "name": name, "cat": HTML, "args": {HTML: HTML}}
        )
    profile = lab.path("names.json")
    with open(profile, "w") as out:
        json.dump(events, out)
    text = look(lab, tmp_path, profile)
    assert "\x1b" not in text and "\x07" not in text and "\u202e" not in text


@pytest.mark.in_turn(2)
def test_an_inference_alone_in_time_is_a_dot(lab, tmp_path):
    """Of 7, the first is left out; two are close to each other, and a line leads from one to the other."""
    seconds = 0, 1, 200, 400, 410, 600, 800
    events = [
        {"cat": "Session", "pid": 1, "tid": 1, "dur": 900, "ts": at * 10**6, "ph": "X", "name": "model_run", "args": {}}
        for at in seconds
    ]
    events[0]["name"] = "session_initialization"
    profile = lab.path("alone.json")
    with open(profile, "w") as out:
        json.dump(events, out)
    text = look(lab, tmp_path, profile)
    line, dots = re.findall(r'<path class="line (?:means )?s0" d="(M[^"]*)"', text[text.index("Latency over time") :])
    assert (line.count("M"), line.count("L")) == (4, 1)
    assert re.fullmatch(r"(M[\d.]+ [\d.]+h0){5}", dots)
