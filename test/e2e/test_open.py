# SPDX-License-Identifier: Apache-2.0
"""Sessions that a fork inherits, and inferences that never end: what comes first in the report."""

import csv
import json
import re

import pytest

import envs
from conftest import environment
from test_view import table, view


def report_of(lab, recording, *args):
    done = lab.plain([lab.inftrace, "report", *args, recording.path])
    assert done.status == 0, done.err
    return done.out


@pytest.mark.parametrize("how", ["ends", "hangs"])
def test_a_session_of_the_parent_is_named_in_a_fork(lab, wheel, how):
    done = lab.record(lab.python(wheel, "forked", how, lab.model("chain")))
    parent, child = map(int, done.out.split())
    report = json.loads(report_of(lab, done.recording, "--json"))
    (forked,) = [found["figures"] for found in report["insights"] if found["kind"] == "forked"]
    assert forked["created_in_pid"] == parent and forked["missing_pool_threads"] >= 1
    sessions = [session for model in report["models"] for session in model["sessions"]]
    assert sorted(session["created_in_pid"] or 0 for session in sessions) == [0, parent]
    ended = [found["figures"] for found in report["insights"] if found["kind"] == "never_ended"]
    text = " ".join(report_of(lab, done.recording).split())
    assert "process %d created it at" % parent in text
    assert not any(found["kind"] == "idle_cores" for found in report["insights"])
    if how == "ends":
        assert not ended and "did not end" not in text
        return
    assert ended[0]["pid"] == child and ended[0]["lasted_ns"] > 1e9
    assert text.startswith("1 inference of chain ran for") and "and did not end (process %d)" % child in text
    # what waited for a CPU is a part of the inferences that ended
    not_ended = sum(model["inferences"]["not_ended_ns"] for model in report["models"])
    own = sum(model["inferences"]["wall_ns"] for model in report["models"])
    time = report["recording"]["time"]
    assert not_ended > 1e9 and time["waiting_ns"] <= own + 1e6 and time["first_ns"] <= own + 1e6


def test_a_release_in_a_fork_that_does_not_end_is_named(lab):
    program = lab.python(environment(envs.wheel, "newest"), "forked", "releases", lab.model("chain"))
    done = lab.record(program, judged=False)
    parent, child = map(int, done.out.split())
    if not child:
        pytest.skip("no child waited for the pool")
    report = json.loads(report_of(lab, done.recording, "--json"))
    (forked,) = [found["figures"] for found in report["insights"] if found["kind"] == "forked"]
    assert (forked["created_in_pid"], forked["how"]) == (parent, "released") and forked["missing_pool_threads"] >= 1
    assert [model["name"] for model in report["models"]] == ["chain"]
    text = " ".join(report_of(lab, done.recording).split())
    assert re.match(r"1 session release of chain ran for [0-9.]+ s and did not end \(process %d\)" % child, text), text


def test_an_inference_that_never_ended_is_in_every_format(lab, wheel):
    done = lab.record(lab.python(wheel, "forked", "hangs", lab.model("chain")))
    child = int(done.out.split()[1])
    words = r"1 inference of chain ran for [0-9.]+ s and did not end \(process %d\)" % child
    path = done.recording.path
    assert re.match(words, json.loads(report_of(lab, done.recording, "--json"))["verdict"])
    assert re.search(words, report_of(lab, done.recording, "--format", "html"))
    rows = list(csv.DictReader(report_of(lab, done.recording, "--format", "csv").splitlines()))
    assert [int(row["not_ended"]) for row in rows] == [1] and int(rows[0]["not_ended_ns"]) > 1e9
    with view(lab, path) as get:
        assert [row["cut"] for row in table(get, "models")] == [1]
        longest = table(get, "inferences")[0]
        assert (longest["status"], longest["pid"]) == ("did not end", child) and longest["duration"] > 1e9
    lab.record(lab.python(wheel, "forked", "ends", lab.model("chain")), name="base")
    compared = [lab.inftrace, "diff", lab.path("base.pftrace"), path]
    as_json = json.loads(lab.plain([*compared, "--json"]).out)
    assert re.match("In new, " + words, as_json["verdict"])
    (model,) = as_json["models"]
    assert (model["not_ended_of_base"], model["not_ended_of_new"]) == (0, 1)
    for format in ("text", "html", "markdown"):
        text = " ".join(lab.plain([*compared, "--format", format]).out.split())
        assert re.search("In new, " + words.replace("\\(", r"\\?\("), text), text
        assert "(1 did not end)" in text.replace("\\", "")


@pytest.mark.in_turn(2)
def test_top_names_an_inference_that_does_not_end(lab, wheel):
    """While it runs, and when its process is gone, which is noticed 3 s later."""
    program = ["sh", "-c", '"$@"; sleep 5', "sh", *lab.python(wheel, "forked", "hangs", lab.model("chain"))]
    lines = lab.plain([lab.inftrace, "top", "--json", "-i", "200ms", "--", *program]).out.splitlines()
    models = [model for line in lines if line.startswith("{") for model in json.loads(line)["models"]]
    assert max(model["running_ns"] for model in models) > 1e9
    assert max(model["not_ended"] for model in models) == 1
    text = lab.plain([lab.inftrace, "top", "--plain", "-i", "200ms", "--", *program]).out
    assert re.search(r"1 inference of chain did not end \(process \d+", text), text
