# SPDX-License-Identifier: Apache-2.0
"""compare.py OLD.json NEW.json: is every fact of OLD in NEW? Prints what is not, and exits with 1.

Sentences for people may be reworded: they must only still be there. Real numbers may differ in the ninth digit, which
is as many as are printed. Intervals are estimates: 0.1.0 took values of one thread after those of another, and gave an
interval from two values on; now it takes them in time, and from eight on. Operators are in another order."""

import json
import math
import sys

SENTENCES = {"verdict", "usage_missing"}
ESTIMATES = {"mean_interval_95_ns"}


def operator(row):
    return row.get("name", ""), row["op_type"], row["provider"] or ""


def differences(old, new, where):
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                yield f"{where}.{key}: vanished"
            elif key in ESTIMATES:
                if new[key] is not None and (value is None or not value / 2 <= new[key] <= 2 * value):
                    yield f"{where}.{key}: {value!r}, now {new[key]!r}"
            elif key in SENTENCES:
                if type(value) is not type(new[key]) or bool(value) != bool(new[key]):
                    yield f"{where}.{key}: {value!r}, now {new[key]!r}"
            else:
                yield from differences(value, new[key], f"{where}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        if where.endswith((".types", ".nodes")):
            old, new = sorted(old, key=operator), sorted(new, key=operator)
        if len(old) != len(new):
            yield f"{where}: {len(old)} elements, now {len(new)}"
        for i, (one, other) in enumerate(zip(old, new)):
            yield from differences(one, other, f"{where}[{i}]")
    elif isinstance(old, float) and isinstance(new, (int, float)) and not isinstance(new, bool):
        if not math.isclose(old, new, rel_tol=2e-9):
            yield f"{where}: {old!r}, now {new!r}"
    elif type(old) is not type(new) or old != new:
        yield f"{where}: {old!r}, now {new!r}"


old, new = (json.load(open(path)) for path in sys.argv[1:])
found = list(differences(old, new, ""))
print("\n".join(found[:20]), end="\n" if found else "")
sys.exit(1 if found else 0)
