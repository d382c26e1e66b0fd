#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""made_up_runtime_test.py INFTRACE AGENT PROGRAM LIBRARY: the agent records a runtime that is just a row of
data in the table: its session, its inferences and its operators. AGENT is built with that row."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

INFTRACE, AGENT, PROGRAM, LIBRARY = (os.path.abspath(path) for path in sys.argv[1:5])
N = 7


class MadeUpRuntime(unittest.TestCase):
    def record(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.pftrace")
            done = subprocess.run(
                [INFTRACE, "record", "--quiet", *options, "--output", path, "--", PROGRAM, LIBRARY, str(N)],
                env={**os.environ, "INFTRACE_AGENT": AGENT},
                stdout=subprocess.PIPE,
                text=True,
                timeout=120,
            )
            self.assertEqual(done.returncode, 0)
            value = 1 + 4  # as it was tuned
            for _ in range(N):
                value = (value + 1) * 3
            self.assertEqual(int(done.stdout), value)
            report = subprocess.run(
                [INFTRACE, "report", "--format", "json", path],
                stdout=subprocess.PIPE,
                text=True,
                timeout=120,
                check=True,
            )
            return json.loads(report.stdout)

    def test_session_inferences_and_operators_are_recorded(self):
        report = self.record()
        self.assertEqual(
            [(runtime["runtime"], runtime["seen"]) for runtime in report["runtimes"]], [("fake", "3 operator classes")]
        )
        (model,) = report["models"]
        self.assertEqual(model["name"], "made-up model")
        self.assertEqual((model["creation"]["recorded"], model["inferences"]["count"]), (1, N))
        self.assertIsNotNone(model["sessions"][0]["released_at_ns"])
        # the first inference of a session is separate
        nodes = sorted((node["op_type"], node["name"], node["calls"]) for node in model["operators"]["nodes"])
        self.assertEqual(nodes, [("Add", "first", N - 1), ("Mul", "second", N - 1)])

    def test_at_level_inference_operators_are_left_alone(self):
        (model,) = self.record("--level", "inference")["models"]
        self.assertEqual(model["inferences"]["count"], N)
        self.assertIsNone(model["operators"])


unittest.main(argv=sys.argv[:1])
