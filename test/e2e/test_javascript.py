# SPDX-License-Identifier: Apache-2.0
"""Samples of Node.js: a program that spends known time in known functions and lines of JavaScript."""

import json
import os

import envs
import pytest
from test_query import ask
from test_view import view

PROGRAM = os.path.join(os.path.dirname(__file__), "programs", "javascript.js")
# Every frame of every sample: those of a stack are its own and its callers'.
FRAMES = """WITH RECURSIVE up(sample, stack, distance) AS (
    SELECT id, stack_id, 0 FROM stack_samples WHERE stack_id IS NOT NULL
    UNION ALL SELECT sample, caller_id, distance + 1 FROM up JOIN stacks s ON s.id = stack WHERE caller_id IS NOT NULL)
    SELECT x.id, x.duration_ns, x.state, x.tid = x.pid AS is_main, distance, s.language, s.function, s.file, s.line
    FROM up JOIN stacks s ON s.id = stack JOIN stack_samples x ON x.id = sample"""


def line_of(mark):
    with open(PROGRAM) as program:
        return next(n for n, line in enumerate(program, 1) if line.rstrip().endswith("// the line of " + mark))


class Known:
    """The program's own times, and what was sampled of each of its functions."""

    def __init__(self, lab, node, ms=250, rounds=2):
        done = lab.record([node, PROGRAM, str(ms), str(rounds)])
        assert done.status == 0, done.err
        self.path, self.report = done.recording.path, done.err
        self.took = {name: ms / 1e3 for name, ms in json.loads(done.out).items()}
        self.rows = [row for row in ask(lab, self.path, FRAMES) if row["language"] == "javascript"]

    def seconds(self, **wanted):
        rows = [row for row in self.rows if all(row[key] == value for key, value in wanted.items())]
        return sum({row["id"]: row["duration_ns"] for row in rows}.values()) / 1e9


def check(known):
    took = known.took
    for name, seconds in took.items():
        half = 2 if name in ("messen", "parts") else 1
        line = {} if name in ("arrow", "anonymous", "parse") else {"line": line_of(name)}
        told = known.seconds(function=name, file=PROGRAM, is_main=int(name != "inWorker"), **line)
        wanted = seconds + (took["messen"] + took["parts"]) / 2 if name == "parse" else seconds / half
        assert wanted / 4 < told < 0.15 + wanted * 3 / 2, (name, told, took)
    # what new Function() made has no file
    assert abs(known.seconds(function="(anonymous)", file="<anonymous>") - took["anonymous"]) < 0.2
    for function in ("spin", "parse"):
        rows = [row for row in known.rows if row["function"] == function]
        assert {row["line"] for row in rows} <= {line_of(function), line_of(function) - 1}
        assert sum(row["line"] == line_of(function) for row in rows) > 0.8 * len(rows)
    assert known.seconds(function="waits", state="waited for a thread") > 0.25
    assert known.seconds(function="naps") > 0.25


@pytest.mark.parametrize(
    "version", ["22", *(pytest.param(v, marks=pytest.mark.full("one more version")) for v in (14, 18, 24))]
)
def test_time_is_in_the_lines_that_spend_it(lab, version):
    check(Known(lab, envs.node(version)))


def test_outside_of_models_names_functions_of_javascript(lab):
    known = Known(lab, envs.node(None))
    check(known)
    folded = lab.path("folded")
    assert lab.plain([lab.inftrace, "export", known.path, "--to", "folded", "-o", folded]).status == 0
    with open(folded) as lines:
        told = sum(int(line.split()[-1]) for line in lines if f";messen (javascript.js:{line_of('messen')});" in line)
    assert told / 1e9 == pytest.approx(known.took["messen"] / 2, abs=0.15)
    with view(lab, known.path) as get:
        assert get("search?q=deep%20(javascript.js")["names"]
    assert "functions of JavaScript" not in known.report


@pytest.mark.full("functions of WebAssembly are rare")
def test_functions_of_webassembly_have_their_numbers(lab):
    """Called by JavaScript they are functions of V8; the machine code below has its name in V8's file for profilers."""
    program = os.path.join(os.path.dirname(PROGRAM), "wasm.js")
    done = lab.record([envs.node("22"), "--perf-basic-prof", program])
    assert done.status == 0, done.err
    rows = ask(lab, done.recording.path, FRAMES)
    wasm = {row["id"]: row for row in rows if row["function"] == "wasm-function[0]"}
    callers = {row["id"]: row for row in rows if row["function"] == "callsWasm"}
    made = {row["id"] for row in rows if row["distance"] == 0 and row["language"] == "native"}
    assert sum(row["duration_ns"] for row in wasm.values()) > 0.4e9
    assert {row["file"].partition("//")[0] for row in wasm.values()} == {"wasm:"}
    assert all(id in callers and wasm[id]["distance"] < callers[id]["distance"] for id in wasm)
    assert len(made & set(wasm)) > 0.8 * len(wasm)
