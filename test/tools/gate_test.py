# SPDX-License-Identifier: Apache-2.0
"""gate_test.py FOLDER: the rounds of the end-to-end tests (test/e2e/gate.py) with a stand-in for pytest, so that
nothing needs to be installed. test/e2e/test_gate.py tests the same with pytest itself."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)).resolve()))
import gate  # noqa: E402

# Behaves as pytest with results.py does. The name of a test gives its outcome, one letter a run: p is passed, f failed,
# s skipped, n none at all; -a marks it as alone.
STAND_IN = """
import json, os, sys
tests, folder = os.environ["TESTS"].split(), os.environ["FOLDER"]
def put(**facts):
    with open(os.environ["INFTRACE_TEST_RESULTS"], "a") as out:
        out.write(json.dumps(facts) + "\\n")
if "--collect-only" in sys.argv:
    if "broken" in tests:
        print("a mark needs its reason")
        sys.exit(4)
    for test in tests:
        put(left_out=test, why="takes a year") if "long" in test else put(collected=test, alone=test.endswith("-a"))
    sys.exit(0)
status = 0
for test in open(os.environ["INFTRACE_TEST_ONLY"]).read().split():
    with open(os.path.join(folder, "ran"), "a") as out:
        out.write("%s %s\\n" % (test, sys.argv[sys.argv.index("-n") + 1]))
    n = open(os.path.join(folder, "ran")).read().split().count(test)
    kind = test.partition("::")[2].split("-")[0]
    outcome = {"p": "passed", "f": "failed", "s": "skipped", "n": None}[kind[min(n, len(kind)) - 1]]
    status |= outcome == "failed"
    if outcome:
        put(test=test, outcome=outcome, text="because", seconds=1.5)
sys.exit(status)
"""


class Gate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_with(self, tests):
        """(status, what was said, {test: JUnit's word for it}, [(test, how many side by side)])"""
        os.environ.update(TESTS=tests, FOLDER=str(self.folder))
        out, said = self.folder / "out.xml", io.StringIO()
        with contextlib.redirect_stdout(said):
            it = gate.Gate(str(self.folder), str(self.folder / "log"), [sys.executable, "-c", STAND_IN], [], 4)
            status = gate.run(it, out, self.folder / "times")
        cases = (
            {case.get("name"): case[0].tag if len(case) else "passed" for case in xml.parse(out).iter("testcase")}
            if out.exists()
            else {}
        )
        ran = (self.folder / "ran").read_text().splitlines() if (self.folder / "ran").exists() else []
        return status, said.getvalue(), cases, ran

    def test_when_all_pass_none_runs_again(self):
        status, said, cases, ran = self.run_with("t::p t::s t::p-a")
        self.assertEqual((status, cases), (0, {"p": "passed", "s": "skipped", "p-a": "passed"}))
        self.assertEqual(ran, ["t::p 4", "t::s 4", "t::p-a 1"])
        self.assertIn("e2e: 3 of 3, 0 failed, 0 min (alone)", said)

    def test_what_fails_runs_once_more_alone(self):
        status, said, cases, ran = self.run_with("t::p t::fp t::fp-a")
        self.assertEqual((status, cases), (0, {"p": "passed", "fp": "flakyFailure", "fp-a": "flakyFailure"}))
        self.assertEqual(ran[3:], ["t::fp 1", "t::fp-a 1"])
        self.assertIn("unsteady: t::fp (side by side)", said)

    def test_what_fails_twice_fails_the_gate(self):
        status, said, cases, ran = self.run_with("t::p t::ff t::ffp t::fp")
        self.assertEqual((status, cases), (1, {"p": "passed", "ff": "failure", "ffp": "failure", "fp": "flakyFailure"}))
        self.assertEqual(len(ran), 4 + 3)

    def test_what_is_skipped_the_second_time_has_failed(self):
        self.assertEqual(self.run_with("t::fs")[0], 1)

    def test_what_was_not_run_has_failed(self):
        status, _, cases, _ = self.run_with("t::p t::nn")
        self.assertEqual((status, cases), (1, {"p": "passed", "nn": "failure"}))

    def test_when_too_many_fail_none_runs_again(self):
        status, said, _, ran = self.run_with(" ".join(f"t::ff-{i}" for i in range(gate.TOO_MANY + 1)))
        self.assertEqual((status, len(ran)), (1, gate.TOO_MANY + 1))
        self.assertIn("too many", said)

    def test_what_is_left_out_is_said_with_its_reason(self):
        said = self.run_with("t::p t::long[1] t::long[2]")[1]
        self.assertIn("left to ./check --full: t::long (2 cases): takes a year", said)

    def test_what_cannot_be_collected_fails_and_nothing_runs(self):
        status, said, cases, ran = self.run_with("t::p broken")
        self.assertEqual((status, cases, ran), (1, {}, []))
        self.assertIn("a mark needs its reason", said)

    def test_a_line_says_now_and_then_how_far_it_is(self):
        every, gate.EVERY_S = gate.EVERY_S, 0
        self.addCleanup(setattr, gate, "EVERY_S", every)
        said = self.run_with("t::p t::f t::p-2")[1]
        for line in ("e2e: 1 of 3, 0 failed", "e2e: 2 of 3, 1 failed", "e2e: 3 of 3, 1 failed"):
            self.assertIn(line, said)


unittest.main()
