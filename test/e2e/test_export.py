# SPDX-License-Identifier: Apache-2.0
"""inftrace export: the programs that a format was made for read it."""

import collections
import json
import re

from recording import Recording

# Prints the tables of onnxruntime's own script for its profiles. Its main needs torch, its functions do not.
PROCESSOR = """
import sys
from onnxruntime.transformers import profile_result_processor as processor
events = processor.load_profile_json(sys.argv[1])
for table in processor.parse_node_results, processor.group_node_results:
    print("\\n".join(table(events)))
"""


def export(lab, path, to):
    out = lab.path("exported")
    done = lab.plain([lab.inftrace, "export", path, "--to", to, "-o", out, "--force"])
    assert done.status == 0, done.err
    return out


def test_scripts_for_profiles_of_onnxruntime_read_a_recording(lab, wheel):
    recording = lab.record(lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 20)).recording
    path = export(lab, recording.path, "ort")
    with open(path) as file:
        events = json.load(file)
    operators = collections.Counter(operator.name for operator in recording.operators)
    # whole microseconds: each begin and each end is rounded down
    for event in events:
        if event["name"] == "model_run":
            inside = [e for e in events if e["cat"] == "Node" and event["ts"] <= e["ts"] <= event["ts"] + event["dur"]]
            assert len(inside) == len(recording.operators) / len(recording.inferences)
    assert sum(event["name"] == "model_run" for event in events) == len(recording.inferences) == 20
    done = lab.plain([wheel.python, "-c", PROCESSOR, path])
    assert done.status == 0, done.err
    nodes = re.findall(r"^ *(\d+)\t *[\d.]+\t *[\d.]+\t *[\d.]+\t *(\d+)\tCPU *\t(.+)$", done.out, re.MULTILINE)
    assert {name: int(calls) for _, calls, name in nodes} == operators
    whole = sum(operator.end - operator.start for operator in recording.operators) / 1000
    assert abs(sum(int(total) for total, _, _ in nodes) - whole) < len(recording.operators)


def test_a_recording_comes_back_from_a_profile_of_onnxruntime(lab, wheel):
    recording = lab.record(lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 20)).recording
    path = export(lab, recording.path, "ort")
    done = lab.plain([lab.inftrace, "import", path, "-o", lab.path("back.pftrace")])
    assert done.status == 0, done.err
    back = Recording(lab.path("back.pftrace"))

    assert len(back.inferences) == len(recording.inferences) == 20
    for kind in "inference", "operator":
        before, after = (sorted(of.of(kind), key=lambda slice: slice.start) for of in (recording, back))
        assert [slice.args.get("op_type") for slice in before] == [slice.args.get("op_type") for slice in after]
        assert [slice.args["inference"] for slice in before] == [slice.args["inference"] for slice in after]
        # the profile counts whole microseconds from the begin of the recording
        moved = [(left.start - right.start) / 1000 for left, right in zip(before, after)]
        assert max(moved) - min(moved) <= 1
