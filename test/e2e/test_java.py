# SPDX-License-Identifier: Apache-2.0
"""Samples of Java: a program that spends known time in known methods and lines."""

import json
import os
import sys

import envs
import pytest
from conftest import environment
from test_javascript import FRAMES
from test_query import ask

SOURCE = os.path.join(envs.PROGRAMS, "Work.java")
VERSIONS = ("11.0.13.1", "17.0.9.2", "21.0.8.2", "25.0.2.1")


def line_of(mark):
    with open(SOURCE) as program:
        return next(n for n, line in enumerate(program, 1) if line.rstrip().endswith("// the line of " + mark))


class Known:
    """The program's own times, and what was sampled of each of its methods."""

    def __init__(self, lab, version, *options, ms=250, rounds=2):
        java, *program = environment(envs.java, version).program("Work", lab.path("classes"))
        done = lab.record([java, *options, *program, str(ms), str(rounds)])
        assert done.status == 0, done.err
        self.path = done.recording.path
        self.took = {name: ms / 1e3 for name, ms in json.loads(done.out).items()}
        self.rows = [row for row in ask(lab, self.path, FRAMES) if row["language"] == "java"]

    def seconds(self, **wanted):
        rows = [row for row in self.rows if all(row[key] == value for key, value in wanted.items())]
        return sum({row["id"]: row["duration_ns"] for row in rows}.values()) / 1e9


def check(lab, known):
    for name, seconds in known.took.items():
        method = "Work$Größe.messen" if name == "messen" else "Work." + name
        told = known.seconds(function=method, file="Work.java", line=line_of(name))
        assert seconds / 4 < told < 0.25 + seconds * 3 / 2, (name, told, known.took)
    in_thread = known.seconds(function="Work.lambda$joins$0", line=line_of("inThread"))
    assert in_thread > known.took["joins"] / 4
    rows = [row for row in known.rows if row["function"] == "Work.spin"]
    assert sum(row["line"] in (line_of("spin"), line_of("spin") - 1) for row in rows) > 0.9 * len(rows)
    # a deep call has each of its frames
    deep = [row["id"] for row in known.rows if row["function"] == "Work.deep" and row["line"] == line_of("deep")]
    assert max(map(deep.count, set(deep))) == 12
    assert known.seconds(function="java.lang.Object.wait", state="waited for a thread") > known.took["waits"] / 4
    (counted,) = ask(lab, known.path, "SELECT sum(is_torn) AS torn, count(*) AS n FROM stack_samples")
    assert counted["torn"] <= 0.01 * counted["n"] + 2


@pytest.mark.parametrize(
    "version", [None, *(pytest.param(v, marks=pytest.mark.full("one more version")) for v in VERSIONS)]
)
def test_time_is_in_the_lines_that_spend_it(lab, version):
    check(lab, Known(lab, version))


@pytest.mark.full("one more way to run methods")
@pytest.mark.parametrize("option", ["-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation", "-XX:+UseZGC"])
def test_each_compiler_and_the_interpreter_are_read(lab, option):
    check(lab, Known(lab, None, option))


def test_outside_of_models_is_what_the_main_method_did(lab):
    known = Known(lab, None)
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", known.path]).out)
    rows = [row for row in report["outside"] if row.get("function")]
    assert any(row["function"].startswith("Work.") for row in rows), rows
    assert not any(row["function"] == "CallJavaMainInNewThread" for row in rows), rows
    folded = lab.path("folded")
    assert lab.plain([lab.inftrace, "export", known.path, "--to", "folded", "-o", folded]).status == 0
    with open(folded) as lines:
        assert any(f"Work.sleeps (Work.java:{line_of('sleeps')});java.lang.Thread.sleep" in line for line in lines)


def test_a_class_in_the_place_of_one_that_is_unloaded_has_its_own_names(lab):
    java, *program = environment(envs.java, None).program("Unload", lab.path("classes"))
    rounds, seconds = 10, 0.3
    # interpreted, so that each has its class and method at an address that another one had
    options = ["-Xint", "-XX:+UseSerialGC"]
    done = lab.record([java, *options, *program, str(seconds * 1e3), str(rounds)])
    assert done.status == 0, done.err
    assert int(done.out.split()[1]) >= rounds // 2, done.out
    ran = {}
    for row in ask(lab, done.recording.path, FRAMES):
        if row["language"] == "java" and row["function"].startswith("Unload$Shape.work"):
            ran.setdefault(row["function"], {})[row["id"]] = row["duration_ns"] / 1e9
    assert len(ran) == rounds, ran.keys()
    for name, samples in ran.items():
        assert sum(samples.values()) < 0.2 + seconds * 3 / 2, (name, samples)


def test_java_that_a_program_of_python_loads_later_is_read(lab):
    classes = lab.path("classes")
    java, *_ = environment(envs.java, None).program("Work", classes)
    library = os.path.join(os.path.dirname(os.path.realpath(java)), "../lib/server/libjvm.so")
    program = os.path.join(envs.PROGRAMS, "latejava.py")
    done = lab.record([sys.executable, program, library, classes, "2000"])
    assert done.status == 0, done.err
    rows = [row for row in ask(lab, done.recording.path, FRAMES) if row["is_main"]]
    deep = {row["id"] for row in rows if row["function"] == "Work.deep"}
    # with the function of Python that called it, from the first one on
    callers = {row["id"] for row in rows if row["language"] == "python" and row["function"] == "call"}
    assert len(callers & deep) > 0.9 * len([one for one in callers if one >= min(deep)]), (callers, deep)
