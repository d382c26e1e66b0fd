# SPDX-License-Identifier: Apache-2.0
"""What a program did while no model ran: a program that does known things for a known time, in known lines."""

import json
import os

import pytest
from test_query import ask
from test_view import view

PROGRAM = os.path.join(os.path.dirname(__file__), "programs", "outside.py")

GIL = """SELECT (SELECT count(*) FROM inferences i WHERE i.end_ns <= s.begin_ns) AS before, sum(duration_ns) AS ns
    FROM stack_samples s WHERE state = 'waited for the GIL' AND tid = pid GROUP BY 1"""


def line_of(text):
    with open(PROGRAM) as program:
        return next(n for n, line in enumerate(program, 1) if text in line)


class Outside:
    def __init__(self, lab, wheel):
        done = lab.record([wheel.python, PROGRAM, lab.model("chain")])
        assert done.status == 0, done.err
        self.took = json.loads(done.out)
        self.path = done.recording.path
        self.report = json.loads(lab.plain([lab.inftrace, "report", "--json", self.path]).out)
        self.rows = self.report["outside"]

    def seconds(self, tree, **wanted):
        rows = [row for row in self.rows if row["tree"] == tree]
        return sum(row["duration_ns"] for row in rows if all(row[key] == value for key, value in wanted.items())) / 1e9


def check_trees(outside):
    report, took = outside.report, outside.took
    whole = report["recording"]["time"]["outside_ns"]
    for tree in ("what", "path", "thread", "model"):
        tops = [row for row in outside.rows if row["tree"] == tree and row["parent"] is None]
        assert sum(row["duration_ns"] for row in tops) == whole, tree
    # each function, by its line in the calling path; what stopped the program is nobody's
    near = 0.03 * whole / 1e9 + 0.05
    for function in ("scale", "fetch", "wait", "step", "nap"):
        told = outside.seconds("path", kind="frame", function=function)
        assert abs(told - took[function]) < near, (function, told, took)
    assert abs(outside.seconds("what", kind="state", state="was stopped") - 0.5) < near
    # what was waited for, and where
    assert abs(outside.seconds("what", name=f"recvfrom on 127.0.0.1:{took['port']}") - 3.2) < near
    lock = outside.seconds("what", kind="place", state="waited for a thread", function="wait")
    assert abs(lock - 3.2) < near
    slept = outside.seconds("what", kind="place", state="slept", function="nap")
    assert abs(slept - 0.3) < near
    places = {
        (row["function"], os.path.basename(row["caller_file"] or ""), row["caller_line"])
        for row in outside.rows
        if row["tree"] == "what" and row["kind"] == "place"
    }
    assert ("kron", "outside.py", line_of("np.kron")) in places
    # of two threads that burn Python, each waits for the other
    gil = [row for row in outside.rows if row["tree"] == "what" and row["name"] == "waited for the GIL"]
    assert gil and 0.2 < gil[0]["duration_ns"] / 1e9 / took["step"] < 0.9
    holders = [row["name"] for row in outside.rows if row["tree"] == "what" and row["parent"] == gil[0]["id"]]
    assert any(name.startswith("held by burn (outside.py") for name in holders), holders


def check_answer(lab, outside):
    verdict = outside.report["verdict"]
    assert verdict.startswith("Outside of models: ") and " of it " in verdict.split(". ")[0], verdict
    assert len(verdict.split(". ")[0].split()) <= 25
    kinds = {found["kind"]: found for found in outside.report["insights"]}
    assert {"waits_for_thread", "waits_for_input", "was_stopped"} <= set(kinds)
    # of a busy machine's time it may be less than the twentieth from which it is a finding, without the longest time
    waits = [row["ns"] for row in ask(lab, outside.path, GIL)]
    if sum(waits) - max(waits, default=0) > 0.055 * outside.report["recording"]["duration_ns"]:
        assert "held by" in kinds["waits_for_gil"]["evidence"]
    assert "127.0.0.1" in kinds["waits_for_input"]["evidence"]
    text = lab.plain([lab.inftrace, "report", "--all", outside.path]).out
    assert "what was done" in text and "by calling path" in text
    # the agent is a guest: its frames, around those of the runtime's pool, are no part of the program
    assert not ask(lab, outside.path, "SELECT * FROM stacks WHERE module LIKE '%libinftrace-agent.so'")
    rows = ask(lab, outside.path, "SELECT * FROM outside")
    assert len(rows) == len(outside.rows)
    folded = lab.path("folded")
    assert lab.plain([lab.inftrace, "export", outside.path, "--to", "folded", "-o", folded]).status == 0
    with open(folded) as lines:
        scaled = sum(int(line.split()[-1]) for line in lines if " (samples);" in line and ";scale (outside.py" in line)
    assert scaled / 1e9 == pytest.approx(outside.took["scale"], abs=0.1)
    with view(lab, outside.path) as get:
        stacks = get("stacks?threads=apart")
        assert stacks["ns"] == sum(child["ns"] for child in stacks["children"])
        on, off = get("stacks?cpu=on")["ns"], get("stacks?cpu=off")["ns"]
        assert on + off == stacks["ns"] and on and off
        kinds = [track["kind"] for track in get("recording.json")["tracks"]]
        assert "state" in kinds and "stack" in kinds
        found = get("search?q=scale%20(outside.py")["names"]
        assert found and found[0]["total_ns"] / 1e9 == pytest.approx(outside.took["scale"], abs=0.1)


@pytest.mark.in_turn(2)
def test_time_outside_of_models_is_told_by_what_was_done(lab, wheel):
    outside = Outside(lab, wheel)
    check_trees(outside)
    check_answer(lab, outside)


def test_the_time_in_which_python_collects_garbage_is_what_it_says_itself(lab, wheel):
    program = os.path.join(os.path.dirname(PROGRAM), "garbage.py")
    done = lab.record([wheel.python, program, lab.model("chain")])
    assert done.status == 0, done.err
    took = json.loads(done.out)["took"]
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", done.recording.path]).out)
    rows = {row["id"]: row for row in report["outside"] if row["tree"] == "model"}

    def model_of(row):
        return row["name"] if row["parent"] is None else model_of(rows[row["parent"]])

    places = [row for row in rows.values() if row["kind"] == "place" and row["function"] == "garbage collection"]
    places = [row for row in places if model_of(row) == "chain"]
    told = sum(row["duration_ns"] for row in places) / 1e9
    assert abs(told - took) < 0.1 * took + 0.05, (told, took, places)
    assert not any(row["file"] for row in places), places
    found = {finding["kind"]: finding for finding in report["insights"]}
    assert "gc.freeze()" in found["collects"]["next"], found
