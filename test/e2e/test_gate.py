# SPDX-License-Identifier: Apache-2.0
"""The gate (gate.py, marks.py, results.py) with a small project of its own: a test that fails twice fails the gate, and
a test that passes the second time is unsteady."""

import os
import subprocess
import sys
import xml.etree.ElementTree as xml
import zlib

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
CONFTEST = "from marks import pytest_addoption, pytest_collection_modifyitems\n"
TESTS = """
import os, time, pytest

def begun(name):
    '''Notes that a test has begun; how often by now.'''
    with open(name, "a") as out:
        out.write("%f\\n" % time.monotonic())
    return len(open(name).readlines())

def test_passing():
    begun("passing")

def test_failing():
    begun("failing")
    assert not "this is wrong"

def test_unsteady():
    assert begun("unsteady") > 1, "only the first time"

def test_broken_at_its_end(request):
    request.addfinalizer(lambda: 1 / 0)

def test_dies():
    os._exit(1)

def test_skipped():
    pytest.skip("no reason but this")

@pytest.mark.parametrize("n", [1, 2])
def test_some(n):
    begun("some")

@pytest.mark.alone("it minds others")
def test_alone():
    assert all(os.path.exists(name) for name in ("passing", "failing", "unsteady", "some"))

@pytest.mark.full("it takes a year")
def test_long():
    begun("long")

@pytest.mark.in_turn(3)
@pytest.mark.parametrize("n", range(9))
def test_turns(n):
    begun("turns-%d" % n)
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text(open(os.path.join(HERE, "pytest.ini")).read())
    (tmp_path / "test_made_up.py").write_text(TESTS)
    return tmp_path


def gate(project, *words):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "INFTRACE_TEST_"))}
    env["PYTHONPATH"] = HERE
    return subprocess.run(
        [sys.executable, os.path.join(HERE, "gate.py"), "--junitxml=out.xml", "--times=times", "-n", "2", *words],
        cwd=project,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def in_turn(turn):
    first = -(zlib.crc32(b"test_made_up.py::test_turns") + turn) % 3
    return {"test_turns[%d]" % n for n in range(first, 9, 3)}


def outcomes(project):
    return {case.get("name"): [child.tag for child in case] for case in xml.parse(project / "out.xml").iter("testcase")}


@pytest.mark.full("runs a gate of its own three times")
def test_what_fails_twice_fails_the_gate_and_what_passes_again_is_unsteady(project):
    done = gate(project)
    assert done.returncode == 1, done.stdout
    assert outcomes(project) == {
        "test_passing": [],
        "test_failing": ["failure"],
        "test_unsteady": ["flakyFailure"],
        "test_broken_at_its_end": ["failure"],
        "test_dies": ["failure"],
        "test_skipped": ["skipped"],
        "test_some[1]": [],
        "test_some[2]": [],
        "test_alone": [],
        **{name: [] for name in in_turn(0)},
    }
    assert (
        len((project / "failing").read_text().splitlines()) == 2
        and len((project / "passing").read_text().splitlines()) == 1
    )
    assert (
        "unsteady: test_made_up.py::test_unsteady (side by side)" in done.stdout
        and "only the first time" in done.stdout
    )
    assert "failed: test_made_up.py::test_failing (again)" in done.stdout and "this is wrong" in done.stdout
    assert "left to ./check --full: test_made_up.py::test_long: it takes a year" in done.stdout
    assert [line.partition(" ")[2] for line in (project / "times").read_text().splitlines()] == [
        "end-to-end tests, " + name for name in ("side by side", "alone", "again")
    ]


@pytest.mark.in_turn(3)
def test_unsteady_tests_do_not_fail_the_gate_and_with_full_nothing_is_left_out(project):
    done = gate(project, "--full", "-k", "unsteady or long")
    assert done.returncode == 0 and outcomes(project) == {"test_unsteady": ["flakyFailure"], "test_long": []}, (
        done.stdout
    )
    assert "left to" not in done.stdout


@pytest.mark.in_turn(2)
def test_a_mark_without_a_reason_is_refused_before_anything_runs(project):
    marks = ["full", "alone", "full()", "alone('')", "full(5)", "alone(reason='x')"]
    with open(project / "test_made_up.py", "a") as out:
        out.write(
            "".join(
                "\n@pytest.mark.%s\ndef test_why_%d():\n    begun('why')\n" % (mark, i) for i, mark in enumerate(marks)
            )
        )
    done = gate(project)
    assert done.returncode == 1
    for i, mark in enumerate(marks):
        assert (
            "test_made_up.py::test_why_%d: the mark %s needs its reason" % (i, mark.partition("(")[0]) in done.stdout
        ), done.stdout
    assert not (project / "why").exists() and not (project / "passing").exists()


def test_every_case_has_its_turn(project):
    ran = []
    for turn in range(3):
        said = subprocess.run(
            [sys.executable, "-m", "pytest", "--collect-only", "-k", "turns"],
            cwd=project,
            env=dict(os.environ, PYTHONPATH=HERE, INFTRACE_TEST_TURN=str(turn)),
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
        ran.append({line.partition("::")[2] for line in said.splitlines() if "::" in line})
        assert ran[-1] == in_turn(turn)
    assert len(set.union(*ran)) == 9


def test_no_test_at_all_is_a_failure(project):
    assert gate(project, "-k", "nothing_of_this_name").returncode == 1
