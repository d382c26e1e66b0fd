# SPDX-License-Identifier: Apache-2.0
"""insights_test.py TREE: the documents of JSON name the kind of every insight, and its figures in the same row."""

import pathlib
import re
import sys

tree = pathlib.Path(sys.argv[1])
pages = "".join((tree / "doc" / page).read_text(encoding="utf-8") for page in ("model-json.md", "report-json.md"))
rows = {}
for line in pages.splitlines():
    cells = line.split("|")
    if len(cells) == 4:
        for kind in re.findall("`([a-z_]+)`", cells[1]):
            rows.setdefault(kind, set()).update(re.findall("`([a-z_]+)`", cells[2]))
missing, n = [], 0
for path in sorted((tree / "src/analyze/insight").rglob("insight_*.c")):
    text = path.read_text(encoding="utf-8")
    kind = re.search(r'\.name = "([a-z_]+)"', text).group(1)
    figures = set(re.findall(r'"([a-z_]+)"', re.search(r"\.figures = \{(.*?)\}", text, re.S).group(1)))
    n += len(figures)
    if kind not in rows or not figures <= rows[kind] or not figures:
        missing.append("%s: %s" % (kind, sorted(figures - rows.get(kind, set()))))
print("%d figures; not documented:" % n, missing)
sys.exit(1 if missing or not n else 0)
