# SPDX-License-Identifier: Apache-2.0
"""documented_test.py PAGE JSON: the page documents every field of the JSON file."""

import json
import re
import sys


def fields(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from fields(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner)


documented = set(re.findall(r"`([a-z0-9_]+)(?:\[\])?`", open(sys.argv[1], encoding="utf-8").read()))
missing = sorted(set(fields(json.load(open(sys.argv[2], encoding="utf-8")))) - documented)
print("not documented:", missing)
sys.exit(1 if missing else 0)
