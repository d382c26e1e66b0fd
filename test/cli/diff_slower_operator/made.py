# SPDX-License-Identifier: Apache-2.0
"""made.py SEED SLOWER OUT: a profile as ONNX Runtime writes it, of made-up inferences with six MatMul in a row. The
third takes SLOWER times as long. The same arguments make the same file."""

import json
import random
import sys

seed, slower, out = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
noise = random.Random(seed)
events, at = [], 10


def event(cat, name, dur, **args):
    return {"cat": cat, "pid": 7, "tid": 7, "dur": dur, "ts": at, "ph": "X", "name": name, "args": args}


events.append(event("Session", "session_initialization", 5000))
at += 6000
for _ in range(240):
    begin, nodes = at, []
    for i in range(6):
        dur = int(2000 * (1 + i) * (slower if i == 2 else 1) * (1 + 0.01 * noise.random()))
        args = {"op_name": "MatMul", "provider": "CPUExecutionProvider", "node_index": str(i)}
        nodes.append(event("Node", f"/layer{i}/MatMul_kernel_time", dur, **args))
        at += dur
    dur, at = at - begin + 50, begin
    events.append(event("Session", "model_run", dur))
    events += nodes
    at += dur + 100
with open(out, "w", encoding="utf-8") as file:
    file.write("[\n" + ",\n".join(json.dumps(one) for one in events) + "\n]\n")
