# SPDX-License-Identifier: Apache-2.0
"""inftrace model --ep-profile with real providers: the report and the recording contain every row of the provider's
profile."""

import collections
import csv
import json
import os
import re

import onnx
import pytest

import envs
import judge
import models
from conftest import environment
from recording import Recording
from test_model import software_gpu


def compare(lab, model, *args, runtime, env=None):
    done = lab.plain(
        [
            lab.inftrace,
            "model",
            lab.model(model),
            "--runtime",
            runtime,
            "-o",
            lab.path("run.pftrace"),
            "--warm-up-max",
            "0.2s",
            *[str(arg) for arg in args],
            "--json",
        ],
        env=env,
    )
    assert done.status == 0, done.err
    return json.loads(done.out)["runs"]


def slices(run):
    """(operators, executions, kernels) of the recording, which Perfetto loads without errors."""
    assert not judge.import_errors(run["operator_recording"])
    recording = Recording(run["operator_recording"])
    assert not recording.broken()
    return recording.operators, recording.of("stage"), recording.of("kernel")


@pytest.fixture
def qnn():
    return environment(envs.plugin, "qnn").library


@pytest.mark.in_turn(2)
def test_every_kernel_of_an_operator_is_inside_it(lab, qnn):
    (run,) = compare(lab, "cnn", "--ep", "qnn", "-n", 4, "--ep-profile", "detailed", runtime=qnn)
    assert (
        run["kernels_missing"] is None and run["kernels"]["note"] is None and run["kernels"]["source"] == "QNN profile"
    )
    operators, executions, kernels = slices(run)
    assert len(operators) == len(executions) == run["kernels"]["executions"] > 4
    assert (
        len(kernels)
        == run["kernels"]["in_recording"]
        == sum(row["calls"] for row in run["kernels"]["list"] if not row["is_whole"])
    )
    of_run = collections.defaultdict(list)
    for kernel in kernels:
        of_run[kernel.args["inference"]].append(kernel)
        assert kernel.track.path() == ["inftrace-run", "QNNExecutionProvider profile"]
        assert kernel.parent.kind == "stage" and kernel.parent.name == "QNN (execute) time"
        assert "not a measured time" in kernel.args["source"]
    for operator in operators:
        inside = of_run.pop(operator.args["inference"])
        assert all(operator.start <= kernel.start <= kernel.end <= operator.end for kernel in inside)
        assert sum(kernel.args["share"] for kernel in inside) == pytest.approx(1)
        cycles = sum(kernel.args["cycles"] for kernel in inside)
        whole = inside[0].parent.end - inside[0].parent.start
        for kernel in inside:
            assert kernel.args["share"] == pytest.approx(kernel.args["cycles"] / cycles)
            assert kernel.end - kernel.start == pytest.approx(kernel.args["share"] * whole, abs=2)
    assert not of_run
    # the report has the sums of the recording
    rows = {row["name"]: row for row in run["kernels"]["list"] if not row["is_whole"]}
    assert sum(row["share"] for row in rows.values()) == pytest.approx(1)
    for name, row in rows.items():
        assert row["cycles"] == sum(kernel.args["cycles"] for kernel in kernels if kernel.name == name)
        assert row["total_ns"] is None
    assert any("conv_1" in name for name in rows) and any("softmax" in name for name in rows)
    whole = {row["name"]: row for row in run["kernels"]["list"] if row["is_whole"]}
    assert whole["Accelerator (execute) time (cycles)"]["cycles"] == sum(row["cycles"] for row in rows.values())


@pytest.mark.in_turn(2)
def test_what_is_added_changes_nothing_else(lab, qnn):
    (run,) = compare(lab, "cnn", "--ep", "qnn", "-n", 4, "--ep-profile", "detailed", runtime=qnn)
    done = lab.plain([lab.inftrace, "report", "--json", run["operator_recording"]])
    assert done.status == 0, done.err
    report = json.loads(done.out)
    assert len(report["processes"]) == 1
    assert len(judge.query(run["operator_recording"], "select upid from process where pid != 0")) == 1
    # the latencies are from a run without the profiler
    assert not Recording(run["recording"]).of("kernel")
    command = judge.query(run["recording"], "select cmdline from process where cmdline like '%inftrace-run%'")[0][
        "cmdline"
    ]
    assert "ep-profile" not in command


@pytest.mark.in_turn(2)
def test_basic_tells_executions_and_no_kernels(lab, qnn):
    (run,) = compare(lab, "cnn", "--ep", "qnn", "-n", 4, "--ep-profile", "basic", runtime=qnn)
    operators, executions, kernels = slices(run)
    assert len(operators) == len(executions) == run["kernels"]["executions"] and not kernels
    for operator, execution in zip(operators, executions):
        assert operator.start <= execution.start <= execution.end <= operator.end
    (execute,) = [row for row in run["kernels"]["list"] if row["name"] == "QNN (execute) time"]
    assert (
        execute["is_whole"]
        and execute["calls"] == len(executions)
        and execute["total_ns"] > 0
        and execute["share"] is None
    )


@pytest.mark.in_turn(2)
def test_kernels_name_the_nodes_that_they_are_made_from(lab, qnn):
    (run,) = compare(
        lab,
        "cnn",
        "--ep",
        "qnn",
        "-n",
        4,
        "--ep-profile",
        "detailed",
        "--ep-option",
        "enable_framework_op_trace=1",
        "--ep-option",
        "framework_op_trace_dir=" + lab.folder,
        runtime=qnn,
    )
    named = {row["name"]: row["source_ops"] for row in run["kernels"]["list"]}
    assert "conv_1" in next(ops for name, ops in named.items() if name.startswith("conv_1"))
    assert all(kernel.args.get("source_ops") == named[kernel.name] for kernel in slices(run)[2])


@pytest.mark.in_turn(2)
def test_the_cpu_backend_measures_times(lab):
    """Its file has another form, and its rows are in microseconds: slices have the same durations."""
    library = environment(envs.plugin, "qnn-cpu").library
    (run,) = compare(
        lab,
        "cnn",
        "--ep",
        "qnn",
        "--ep-option",
        "backend_type=cpu",
        "-n",
        4,
        "--ep-profile",
        "detailed",
        runtime=library,
    )
    operators, executions, kernels = slices(run)
    assert len(operators) == len(executions) == run["kernels"]["executions"]
    assert {execution.name for execution in executions} == {"GRAPH_EXECUTE"}
    spans = {operator.args["inference"]: operator for operator in operators}
    for kernel in kernels:
        operator = spans[kernel.args["inference"]]
        assert operator.start <= kernel.start <= kernel.end <= operator.end and "cycles" not in kernel.args
        assert (kernel.end - kernel.start) % 1000 == 0 or "reported_ns" in kernel.args
    rows = {row["name"]: row for row in run["kernels"]["list"] if not row["is_whole"]}
    assert sum(row["share"] for row in rows.values()) == pytest.approx(1)
    for name, row in rows.items():
        own = [kernel.args.get("reported_ns", kernel.end - kernel.start) for kernel in kernels if kernel.name == name]
        assert row["calls"] == len(own) and row["total_ns"] == sum(own) and row["cycles"] is None


@pytest.mark.in_turn(2)
def test_two_operators_of_a_provider_take_turns(lab, qnn):
    """The profile does not name the graph; the order of executions identifies it."""
    weights = [models._weights(7, "w1", 4, 3, 3, 3), models._weights(8, "w2", 4, 4, 3, 3)]
    nodes = [
        onnx.helper.make_node("Conv", ["x", "w1"], ["a"], name="head", pads=[1, 1, 1, 1]),
        onnx.helper.make_node("Erf", ["a"], ["b"], name="middle"),
        onnx.helper.make_node("Shrink", ["b"], ["c"], name="other", lambd=0.1),
        onnx.helper.make_node("Conv", ["c", "w2"], ["y"], name="tail", pads=[1, 1, 1, 1]),
    ]
    shape = [1, 3, 8, 8]
    onnx.save(
        models._model(
            "split",
            nodes,
            [models._value("x", models.FLOAT, shape)],
            [models._value("y", models.FLOAT, [1, 4, 8, 8])],
            weights,
        ),
        lab.path("split.onnx"),
    )
    (run,) = compare(lab, lab.path("split"), "--ep", "qnn", "-n", 4, "--ep-profile", "detailed", runtime=qnn)
    operators, _, kernels = slices(run)
    own = [operator for operator in operators if operator.args["provider"] == "QNNExecutionProvider"]
    if len({operator.name for operator in own}) < 2:
        pytest.fail("QNN took all of it: %s" % {operator.name for operator in operators})
    assert len(own) == run["kernels"]["executions"] and not run["kernels"]["note"]
    convolutions = {}
    for operator in own:
        inside = [kernel.name for kernel in kernels if operator.start <= kernel.start and kernel.end <= operator.end]
        convolutions.setdefault(operator.name, set()).add(
            "head"
            if any("head" in name for name in inside)
            else "tail"
            if any("tail" in name for name in inside)
            else "neither"
        )
    assert sorted(map(list, convolutions.values())) == [["head"], ["tail"]]


@pytest.mark.in_turn(2)
def test_a_provider_that_overlaps_is_not_guessed_at(lab, qnn):
    """With two inferences at a time, the profile does not say to which of them a row belongs."""
    (run,) = compare(lab, "cnn", "--ep", "qnn", "-n", 12, "-c", 2, "--ep-profile", "detailed", runtime=qnn)
    operators, executions, kernels = slices(run)
    starts = sorted((operator.start, operator.end) for operator in operators)
    if all(before[1] <= after[0] for before, after in zip(starts, starts[1:])):
        pytest.skip("they happened not to overlap")
    assert not kernels and not executions and "overlap" in run["kernels"]["note"]
    assert sum(row["share"] for row in run["kernels"]["list"] if not row["is_whole"]) == pytest.approx(1)


@pytest.mark.in_turn(2)
def test_who_has_no_profiler_says_so(lab, qnn):
    (cpu,) = compare(lab, "cnn", "-n", 4, "--ep-profile", "basic", runtime=qnn)
    assert cpu["kernels"] is None and cpu["kernels_missing"].startswith("the CPU provider has none")
    command = judge.query(cpu["operator_recording"], "select cmdline from process where cmdline like '%inftrace-run%'")[
        0
    ]["cmdline"]
    assert "ep-profile" not in command
    (cpu,) = compare(lab, "cnn", "-n", 4, "--force", runtime=qnn)
    assert cpu["kernels"] is None and cpu["kernels_missing"].startswith("not asked for")
    (cpu,) = compare(
        lab, "cnn", "--ep", "qnn", "-n", 4, "--force", "--level", "inference", "--ep-profile", "basic", runtime=qnn
    )
    assert cpu["kernels"] is None and cpu["kernels_missing"].startswith("not asked for: --level operator")
    inside = environment(envs.wheel, "openvino").library
    (run,) = compare(lab, "cnn", "--ep", "openvino", "-n", 4, "--ep-profile", "basic", runtime=inside)
    assert run["kernels"] is None and "ONNX Runtime's profile has no kernel" in run["kernels_missing"]


def test_nothing_is_left_behind(lab, qnn):
    os.mkdir(lab.path("tmp"))
    compare(
        lab, "cnn", "--ep", "qnn", "-n", 4, "--ep-profile", "detailed", runtime=qnn, env={"TMPDIR": lab.path("tmp")}
    )
    assert os.listdir(lab.path("tmp")) == []


@pytest.mark.in_turn(2)
def test_what_a_device_computes_lies_in_its_inference(lab):
    """WebGPU's rows name a node, but not its execution, and run after the operator has returned."""
    library = environment(envs.node_package, "newest").library
    (run,) = compare(
        lab, "cnn", "--ep", "webgpu", "-n", 3, "--ep-profile", "basic", runtime=library, env=software_gpu(lab)
    )
    if run["kernels"] is None:
        pytest.fail(run["kernels_missing"])
    rows = run["kernels"]["list"]
    assert {"Conv", "Softmax"} <= {row["op_type"] for row in rows} and all(row["total_ns"] >= 0 for row in rows)
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert run["kernels"]["note"] is None
    _, _, kernels = slices(run)
    inferences = {inference.args["id"]: inference for inference in Recording(run["operator_recording"]).inferences}
    assert run["kernels"]["executions"] == len(inferences) > 3
    assert len(kernels) == run["kernels"]["in_recording"] == sum(row["calls"] for row in rows)
    for kernel in kernels:
        inference = inferences[kernel.args["inference"]]
        assert inference.start <= kernel.start <= kernel.end <= inference.end
        assert kernel.track.path() == ["inftrace-run", "WebGpuExecutionProvider profile"]
    assert len({kernel.args["inference"] for kernel in kernels}) == len(inferences)
    # the operators only start that work: the report says so and compares them with no bound
    assert all(
        operator["share_of_possible"] is None
        for operator in run["operators"]["list"]
        if operator["provider"] != "CPUExecutionProvider"
    )


@pytest.mark.in_turn(2)
def test_the_openvino_plugin_tells_its_kernels(lab):
    openvino = environment(envs.plugin, "openvino")
    done = lab.plain(
        [
            lab.inftrace,
            "model",
            lab.model("cnn"),
            "--ep",
            "openvino",
            "-n",
            "20",
            "--ep-profile",
            "detailed",
            "--runtime",
            openvino.path,
            "-o",
            lab.path("run.pftrace"),
            "--json",
        ]
    )
    if done.status and "finds no device" in done.err:
        pytest.skip("the OpenVINO plugin wants a processor of Intel")
    (run,) = json.loads(done.out)["runs"]
    operators, _, kernels = slices(run)
    assert len(kernels) == run["kernels"]["in_recording"] == sum(row["calls"] for row in run["kernels"]["list"])
    spans = {operator.args["inference"]: operator for operator in operators}
    assert all(
        spans[kernel.args["inference"]].start <= kernel.start <= kernel.end <= spans[kernel.args["inference"]].end
        for kernel in kernels
    )


def test_a_file_of_qnn_alone_has_its_nodes_by_cycles(lab):
    path = os.path.join(os.path.dirname(envs.HERE), "data/qnn_csv/good/qnn2.3.0-tinycnn_qdq.csv")
    cycles, calls = collections.Counter(), collections.Counter()
    with open(path) as file:
        for row in csv.reader(file):
            if row[1] == "NODE" and row[3] == "CYCLES":
                name = re.sub(r"(:OpId_\d+)? \(cycles\)$", "", row[6])
                cycles[name] += int(row[2])
                calls[name] += 1
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", path]).out)
    rows = report["kernel_cycles"]
    assert {row["name"]: (row["cycles"], row["calls"]) for row in rows} == {
        name: (cycles[name], calls[name]) for name in cycles
    }
    assert len(rows) > 5 and rows[0]["cycles"] == max(cycles.values()) and rows[-1]["share_so_far"] == 1
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert "%s takes" % rows[0]["name"] in report["verdict"] and report["kernels"] == []
    queried = lab.plain([lab.inftrace, "query", path, "SELECT * FROM cycle_stats", "--format", "json"]).out
    for found, row in zip(json.loads(queried), rows, strict=True):
        assert (found["name"], found["cycles"], found["calls"]) == (row["name"], row["cycles"], row["calls"])
        assert found["share_so_far"] == pytest.approx(row["share_so_far"])
    table = csv.DictReader(lab.plain([lab.inftrace, "report", "--format", "csv-kernels", path]).out.splitlines())
    assert [(row["kernel"], row["cycles"], row["total_ns"]) for row in table] == [
        (row["name"], str(row["cycles"]), "") for row in rows
    ]
    page = lab.plain([lab.inftrace, "report", "--format", "html", path]).out
    assert "Nodes by cycles" in page and rows[-1]["name"] in page
