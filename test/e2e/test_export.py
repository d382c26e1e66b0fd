# SPDX-License-Identifier: Apache-2.0
"""inftrace export: the programs that a format was made for read it."""

import collections
import json
import os
import re

import envs
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


KERNELS = """
import sys
from onnxruntime.transformers import profile_result_processor as processor
print("\\n".join(processor.parse_kernel_results(processor.load_profile_json(sys.argv[1]))))
"""


def report_of(lab, path):
    return json.loads(lab.plain([lab.inftrace, "report", "--json", path]).out)


def added_up(events, category):
    """As the page perf_view of ONNX Runtime and its script profile_explorer add up: microseconds by type."""
    sums = collections.Counter()
    for event in events:
        if event["cat"] == category and "op_name" in event["args"]:
            sums[event["args"]["op_name"]] += event["dur"]
    return sums


def test_the_report_has_the_sums_of_other_tools(lab, wheel):
    """perf_view's areas and profile_explorer's table of operators, of all inferences."""
    recording = lab.record(lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 20)).recording
    with open(export(lab, recording.path, "ort")) as file:
        sums = added_up(json.load(file), "Node")
    report, ours = report_of(lab, recording.path), collections.Counter()
    for row in report["models"][0]["operators"]["types"]:
        ours[row["op_type"]] += row["duration"]["total_ns"]
    for row in report["operators_elsewhere"]:
        if row["where"] == "first_or_failed_inference":
            ours[row["op_type"]] += row["self_ns"]
    assert sums.keys() == ours.keys()
    calls = collections.Counter(operator.args["op_type"] for operator in recording.operators)
    for name, ns in ours.items():  # an exported begin and end are whole microseconds
        assert abs(sums[name] - ns / 1000) <= calls[name], (name, sums[name], ns)


def test_the_report_has_the_tables_of_kernels_of_other_tools(lab, wheel):
    """onnxruntime's own script on a profile with kernels: by name, and by operator; perf_view's second treemap."""
    path = os.path.join(
        os.path.dirname(envs.HERE), "data/ort_profile/good/ort1.25.1-openvino-plugin1.8.1-squeezenet.json"
    )
    report = report_of(lab, path)
    exported = export(lab, path, "ort")
    said = lab.plain([wheel.python, "-c", KERNELS, exported]).out
    by_name, by_operator = said.split("Group kernel time by operator:")
    theirs = re.findall(r"^ *(\d+)\t *([\d.]+)\t *(\d+)\t *([\d.]+)\t(.+)$", by_name, re.M)
    ours = collections.defaultdict(list)
    for row in report["kernels"]:
        ours[row["name"]].append(row["duration"])
    assert len(theirs) == len(ours) > 5
    whole = sum(row["duration"]["total_ns"] for row in report["kernels"])
    for total, share, calls, _, theirs_name in theirs:
        name = theirs_name.removeprefix("OV::")  # OpenVINO's own rows have it
        assert int(total) == sum(row["total_ns"] for row in ours[name]) / 1000, name
        assert int(calls) == sum(row["count"] for row in ours[name]), name
        assert abs(float(share) - 100e3 * int(total) / whole) < 0.01
    theirs = {name: int(total) for total, name in re.findall(r"^ *(\d+)\t *[\d.]+\t(.+)$", by_operator, re.M)}
    types = {row["op_type"]: row["total_ns"] / 1000 for row in report["kernel_types"]}
    with open(exported) as file:
        assert added_up(json.load(file), "Kernel") == types
    assert theirs == types
    assert report["kernels"][-1]["share_so_far"] == 1
    # each line of kernels: what is not busy is idle
    for stream in report["streams"]:
        assert stream["busy_ns"] + stream["idle_ns"] == stream["end_at_ns"] - stream["begin_at_ns"]
    # the same by SQL, which also writes CSV
    rows = lab.plain([lab.inftrace, "query", path, "SELECT * FROM kernel_stats", "--format", "json"]).out
    assert [(row["total_ns"], row["calls"]) for row in json.loads(rows)] == [
        (row["duration"]["total_ns"], row["duration"]["count"]) for row in report["kernels"]
    ]
    rows = json.loads(lab.plain([lab.inftrace, "query", path, "SELECT * FROM stream_stats", "--format", "json"]).out)
    same = ("kernels", "busy_ns", "idle_ns", "idle_within_inferences_ns")
    assert sorted((row["stream"], *(row[key] for key in same)) for row in rows) == sorted(
        (row["name"], *(row[key] for key in same)) for row in report["streams"]
    )
    page = lab.plain([lab.inftrace, "report", "--format", "html", path]).out
    assert "Kernels by type and name" in page and "share that is idle" in page
