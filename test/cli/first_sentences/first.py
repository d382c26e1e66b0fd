# SPDX-License-Identifier: Apache-2.0
"""Prints first sentences that have more than 25 words, then how many kinds of reports had shorter ones."""

import json
import os
import pathlib
import re
import subprocess
import sys

MOST = 25
DATA = pathlib.Path(os.environ["DATA"])
MADE = pathlib.Path(os.environ["SOURCE"], "test/cli/diff_slower_operator/made.py")


def verdict(*command):
    done = subprocess.run(
        ["inftrace", *command, "--json"], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return json.loads(done.stdout)["verdict"] if done.stdout else None


def reports():
    for path in sorted(DATA.glob("*/good/*")):
        yield path.parent.parent.name, verdict("report", path)
    for path in sorted(DATA.glob("model-report/*.txt")):
        yield "model", path.read_text().split("\n\n")[0]


def comparisons():
    for name, args in {"a": "1 1", "b": "2 1.05", "c": "3 1", "d": "4 2"}.items():
        subprocess.run(f"{sys.executable} {MADE} {args} {name}.json", shell=True, check=True)
    subprocess.run("mkdir one two && cp a.json c.json one && cp b.json d.json two", shell=True, check=True)
    models = DATA / "model-report/report.json"
    few = DATA / "pftrace/good/two_inferences.pftrace"
    sides = [("a", "b"), ("b", "a"), ("a", "c"), ("a", "d"), ("d", "a"), ("one", "two"), (few, few), (models, few)]
    for base, new in [*sides, (models, models)]:
        named = [f"{side}.json" if len(str(side)) == 1 else str(side) for side in (base, new)]
        yield "diff", verdict("diff", *named)


kinds = {}
for kind, text in [*reports(), *comparisons()]:
    if text is None:
        continue
    first = re.split(r"\.\s", text)[0]
    kinds[kind] = kinds.get(kind, 0) + 1
    if len(first.split()) > MOST:
        print(len(first.split()), "words:", first)
for kind in ("chrome", "diff", "model", "ort_profile", "pftrace", "qnn_csv"):
    print(kind, "several" if kinds.get(kind, 0) > 2 else "too few")
