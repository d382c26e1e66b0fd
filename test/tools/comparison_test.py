#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doc/comparison.md says of inftrace what is true: each row of its table, and each thing that is missing, is tied to
files that are there, or that are not there yet."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))

# What has the feature, for + and p; what would have it, for -.
ROWS = {
    "runs on Linux": "src/capture/proc/proc.c",
    "no change to the program": "test/e2e/test_guest.py",
    "attaches to a running program": "test/e2e/test_attach.py",
    "models, sessions, inferences by name": "test/e2e/test_python.py",
    "operators of a stock release build": "test/e2e/test_python.py",
    "phases of session creation": "test/e2e/test_creation.py",
    "providers that really ran the nodes": "test/e2e/test_providers.py",
    "CPU waits and faults per inference": "test/e2e/test_usage.py",
    "GPU and NPU load beside inferences": "test/e2e/test_devices.py",
    "kernels on the device": "test/e2e/test_kernels.py",
    "call stacks of your own code": "test/e2e/test_stacks.py",
    "live view": "test/e2e/test_live.py",
    "in VS Code": "test/e2e/test_vscode.py",
    "graphical timeline": "test/e2e/test_view_page.py",
    "not tied to one runtime": "src/runtime/openvino/runtime_openvino.c",
    "open file format with SQL": "test/e2e/test_query.py",
    "always-on with bounded cost": "test/e2e/test_keep.py",
}
# The words of a line under "What inftrace does not do", and what would make it false.
MISSING = {
    "not those of ncnn": "src/runtime/ncnn/runtime_ncnn.c",
    "have names only where the program writes": "src/runtime/dotnet",
    "was not tested on a GPU": "test/e2e/test_gpu.py",
    "no history of many machines": "src/fleet/store",
}


class Comparison(unittest.TestCase):
    def setUp(self):
        self.text = (ROOT / "doc/comparison.md").read_text()

    def test_every_row_has_its_evidence(self):
        table = self.text.partition("| | inftrace |")[2].partition("\n\n")[0].splitlines()[2:]
        rows = {cells[1].strip(): cells[2].strip() for cells in (line.split("|") for line in table)}
        self.assertEqual(set(rows), set(ROWS))
        for name, mark in rows.items():
            self.assertEqual((ROOT / ROWS[name]).exists(), mark != "-", f"{name}: {mark}, {ROWS[name]}")

    def test_figures_are_those_of_the_measurements(self):
        """README, too, has none of its own."""
        for text in (self.text, (ROOT / "README.md").read_text()):
            figures = set(re.findall(r"[\d.,]*\d ns\b", text))
            self.assertTrue(figures)
            costs = (ROOT / "doc/costs.md").read_text()
            self.assertEqual([figure for figure in figures if not re.search(r"(?<![\d.,])" + figure, costs)], [])

    def test_what_is_missing_is(self):
        lines = re.findall(r"^- (.*(?:\n  .*)*)", self.text.partition("## What inftrace does not do")[2], re.M)
        self.assertEqual(len(lines), len(MISSING))
        for words, path in MISSING.items():
            self.assertEqual(len([line for line in lines if words in line]), 1, words)
            self.assertFalse((ROOT / path).exists(), f"{path} exists: say so in doc/comparison.md")


unittest.main()
