# SPDX-License-Identifier: Apache-2.0
"""Prints first sentences that have more than 25 words, then how many kinds of reports had shorter ones.

Of files that can be read, in one format after the other; of comparisons; and of all that tests of the command line, and
of models, expect to be printed, the end of `record` among it.
"""

import html
import json
import os
import pathlib
import re
import subprocess
import sys

MOST = 25
DATA = pathlib.Path(os.environ["DATA"])
CASES = pathlib.Path(os.environ["SOURCE"], "test/cli")
MADE = CASES / "diff_slower_operator/made.py"
LEAD = re.compile(r'<p class="lead[^>]*>(.*?)</p>', re.DOTALL)
# of a page of a command, not of a table, a list or a line of a log
PARAGRAPH = re.compile(r"[A-Z0-9*][^\n|{}]* [^|{}]*\.( |$)", re.DOTALL)


def verdict(*command):
    done = subprocess.run(
        ["inftrace", *command, "--json"], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return json.loads(done.stdout)["verdict"] if done.stdout else None


def printed(*command):
    done = subprocess.run(["inftrace", *command], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode()


def lead(page):
    """The first paragraph of an HTML page; None: it has none."""
    found = LEAD.search(page)
    return found and html.unescape(re.sub("<[^>]*>", "", found[1]))


def reports():
    """Each file in one format: they have the verdict from one place, and the places are few."""
    for i, path in enumerate(sorted(DATA.glob("*/good/*"))):
        kind = path.parent.parent.name
        if i % 8 == 7:
            yield "page of a report", lead(printed("report", "--format", "html", path))
        elif i % 2:
            yield kind, printed("report", path).split("\n\n")[0] or None
        else:
            yield kind, verdict("report", path)
    for path in sorted(DATA.glob("model-report/*.txt")):
        yield "model", path.read_text().split("\n\n")[0]
    for path in sorted(DATA.glob("model-report/*.html")):
        yield "page of a model", lead(path.read_text())


def expected():
    for path in sorted(CASES.glob("*/out")):
        first = path.read_text(errors="replace").split("\n\n")[0]
        if PARAGRAPH.match(first):
            yield "expected", first
    for path in sorted(CASES.glob("record*/err")):
        for line in re.findall(r"^inftrace: \d+ inferences? in .*", path.read_text(), re.MULTILINE):
            yield "end of record", line


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
for kind, text in [*reports(), *comparisons(), *expected()]:
    if text is None:
        continue
    first = re.split(r"\.\s", text)[0]
    kinds[kind] = kinds.get(kind, 0) + 1
    if len(first.split()) > MOST:
        print(len(first.split()), "words:", first)
for kind in ("chrome", "diff", "expected", "model", "ort_profile", "page of a report", "pftrace", "qnn_csv"):
    print(kind, "several" if kinds.get(kind, 0) > 2 else "too few")
for kind in ("end of record", "page of a model"):
    print(kind, "some" if kinds.get(kind) else "none")
