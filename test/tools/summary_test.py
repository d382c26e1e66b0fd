# SPDX-License-Identifier: Apache-2.0
"""summary_test.py SUMMARY: the summary that ends ./check."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SUMMARY = pathlib.Path(sys.argv.pop(1)).resolve()
CASES = """<testsuites><testsuite name="e2e side by side" time="10">
<testcase classname="a.py" name="passes" time="1.5"/>
<testcase classname="a.py" name="unsteady" time="2"><flakyFailure message="failed">once</flakyFailure></testcase>
<testcase classname="a.py" name="skips" time="0"><skipped message="no
 GPU"/></testcase>%s</testsuite></testsuites>"""
FAILS = '<testcase classname="b.py" name="fails" time="3"><failure message="failed">twice</failure></testcase>'
MESON = """<testsuites><testsuite name="unit"><testcase classname="inftrace" name="unit / ring" time="0.02"/>
<testcase classname="inftrace" name="cli / gpu"><skipped/><system-out>no device</system-out></testcase></testsuite>
</testsuites>"""


class Summary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_with(self, *texts, times=None):
        words = []
        if times is not None:
            (self.folder / "times").write_text(times)
            words = ["--times", self.folder / "times"]
        for i, text in enumerate(texts):
            if text is not None:
                (self.folder / f"{i}.xml").write_text(text)
        done = subprocess.run(
            [SUMMARY, *words, *[self.folder / f"{i}.xml" for i in range(len(texts))]], stdout=subprocess.PIPE, text=True
        )
        return done.returncode, done.stdout.splitlines()

    def test_the_last_line_counts_and_the_others_name(self):
        status, lines = self.run_with(CASES % "", MESON)
        self.assertEqual((status, lines[-1]), (0, "3 passed, 0 failed, 2 skipped"))
        self.assertEqual(
            lines[:-1],
            [
                "skipped: a.py skips: no GPU",
                "skipped: inftrace cli / gpu: no device",
                "unsteady: a.py unsteady",
                "    once",
            ],
        )

    def test_a_failure_fails_it(self):
        status, lines = self.run_with(CASES % FAILS)
        self.assertEqual(
            (status, lines[-3:]), (1, ["failed: b.py fails", "    twice", "2 passed, 1 failed, 1 skipped"])
        )

    def test_a_failure_says_what_was_wrong(self):
        text = "def test():\n&gt;   assert a == 1\nE   AssertionError: %s\nE   assert 2 == 1\nb.py:3" % ("long " * 100)
        _, lines = self.run_with(CASES % FAILS.replace("twice", text))
        self.assertEqual(lines[-3:-1], ["    " + ("AssertionError: " + "long " * 100)[:300], "    assert 2 == 1"])

    def test_where_the_time_went_is_said(self):
        _, lines = self.run_with(CASES % FAILS, times="61 build\n300 end-to-end tests, alone\n")
        self.assertEqual(
            lines[:3], ["time:    61 s  build", "time:   300 s  end-to-end tests, alone", "time:   361 s  in all"]
        )
        self.assertEqual(
            [line for line in lines if line.startswith("slow:")][:2],
            ["slow:   3.0 s  b.py fails", "slow:   2.0 s  a.py unsteady"],
        )

    def test_twenty_are_the_slowest(self):
        cases = "".join(f'<testcase classname="c" name="n{i}" time="{i}"/>' for i in range(100, 130))
        slow = [line.split()[-1] for line in self.run_with(CASES % cases, times="")[1] if line.startswith("slow:")]
        self.assertEqual(slow, [f"n{i}" for i in range(129, 109, -1)])

    def test_a_file_that_was_not_written_or_has_no_test_is_a_failure(self):
        status, lines = self.run_with(CASES % "", None)
        self.assertEqual((status, lines[-1]), (1, "2 passed, 1 failed, 1 skipped"))
        self.assertIn("was not written", lines[-2])
        status, lines = self.run_with("<testsuites/>")
        self.assertEqual((status, lines[-1]), (1, "0 passed, 0 failed, 0 skipped"))


unittest.main()
