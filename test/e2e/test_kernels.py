# SPDX-License-Identifier: Apache-2.0
"""Kernels of CUDA under the operators that launched them, with a driver and a libcupti that are not real
(test/fake/cuda): they make the records that CUPTI documents, in its awkward forms. Not tried on a GPU."""

import collections
import json
import os
import re
import signal
import subprocess

import pytest
from attaching import attach, python_server
from lab import PATIENCE, children_of, wait_until
from recording import Growing, Recording
from test_view import table, view

OPERATORS = 10
KERNELS = {"k%d" % i if i < 9 else "y": 4 if i == 8 else 1 + i % 5 for i in range(OPERATORS)}
WHOLE = {**KERNELS, "k8": 1}  # the four of k8 are a graph, of which CUPTI makes one record


def fakes(lab):
    return os.path.join(os.path.dirname(lab.inftrace), "test/fake/cuda")


def program(lab, wheel, runs=5, threads=1, name="infer", model="launches", more=()):
    words = {"infer": ["infer", "run"], "forked": ["forked", "ends"]}.get(name, [name])
    words += [lab.model(model), "--library", lab.binaries.shared("launch_ops"), "--runs", runs, "--threads", threads]
    return lab.python(wheel, *words, *more)


def environment(lab, cupti="", **more):
    return {"LD_LIBRARY_PATH": fakes(lab), "FAKE_CUPTI": cupti, **more}


def kernels_of(recording):
    return [slice for slice in recording.of("kernel") if not slice.name.startswith("mem")]


def node_of(kernel):
    """What the library called the kernel after."""
    symbol = kernel.args.get("symbol", kernel.name)
    if symbol.startswith("graph "):
        return "k8"
    return re.search(r"kernel_of_(k\d|y)", symbol).group(1)


def check_attribution(recording, runs, per_node=KERNELS):
    """Every kernel is recorded once, and under its own operator, in an inference of its own."""
    kernels = kernels_of(recording)
    assert len(kernels) == runs * sum(per_node.values())
    wrong = [kernel for kernel in kernels if kernel.args.get("operator") != node_of(kernel)]
    assert not wrong, (len(wrong), wrong[0].args)
    assert {kernel.args["op_type"] for kernel in kernels} == {"Launch"}
    per_run = collections.Counter((kernel.args["inference"], node_of(kernel)) for kernel in kernels)
    numbers = {run.args["inference"] for run in recording.inferences}
    assert {number for number, _ in per_run} == numbers
    assert len(numbers) == runs
    assert per_run == {(number, node): n for number in numbers for node, n in per_node.items()}
    return kernels


def losses(lab, recording, where):
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out)
    return sum(row["events"] for row in report["losses"]["lost"] if where in row["where"])


def of_calls(recording):
    return collections.Counter(slice.name for slice in recording.of("call"))


def test_kernels_are_under_their_operators(lab, wheel):
    done = lab.both(program(lab, wheel), level="operator", options=["--kernels"], env=environment(lab))
    recording = done.recording
    kernels = check_attribution(recording, 5, WHOLE)
    assert not recording.lost and not recording.notes("stopped")
    # in call order, each after its call; the fake's clock is exact
    assert int(recording.note("device clock")["error_ns"]) < 100000
    first = [kernel for kernel in kernels if kernel.args["operator"] == "k2" and kernel.args["inference"] == 1]
    assert [kernel.name for kernel in sorted(first, key=lambda kernel: kernel.start)] == [
        "test::kernel_of_k2<float, %d>" % i for i in range(3)
    ]
    assert first[0].args["grid"] == "108x1x1" and first[0].args["block"] == "256x1x1"
    assert first[0].args["registers"] == 40 and first[0].args["queued_ns"] >= 0
    assert {kernel.end - kernel.start for kernel in first} == {7000}
    # lines: a stream each, of one device
    assert {tuple(kernel.track.path()[-2:]) for kernel in kernels} == {("GPU 0", "stream 7"), ("GPU 0", "stream 8")}
    copies = [slice for slice in recording.of("kernel") if slice.name.startswith("memcpy")]
    assert len(copies) == 5 and {slice.args["operator"] for slice in copies} == {"k0"}
    assert {(slice.args["bytes"], slice.args["direction"]) for slice in copies} == {(65536, "to the device")}
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out)
    (row,) = report["kernel_types"]
    operators = [slice for slice in recording.operators if slice.args["op_type"] == "Launch"]
    assert row["total_ns"] == sum(slice.end - slice.start for slice in recording.of("kernel"))
    assert row["host_ns"] == sum(slice.end - slice.start for slice in operators)
    # of the four inferences after the first
    (model,) = report["models"]
    device = model["inferences"]["kernels"]
    assert device["inferences"] == 4 and device["kernels"] == 4 * (sum(WHOLE.values()) + 1)
    assert device["copies_to_device"] == {"copies": 4, "bytes": 4 * 65536}
    assert device["calls"] == sum(of_calls(recording).values()) * 4 // 5 and device["waits"] == 8
    assert 0 < device["busy_ns"] <= device["kernels_ns"]
    of_nodes = {row["name"]: (row["kernels"], row["device_ns"]) for row in model["operators"]["nodes"]}
    assert {name: n for name, (n, _) in of_nodes.items()} == {
        name: 4 * (n + (name == "k0")) for name, n in WHOLE.items()
    }
    (of_type,) = model["operators"]["types"]
    assert sum(ns for _, ns in of_nodes.values()) == of_type["device_ns"] == device["kernels_ns"]
    assert of_calls(recording) == {
        "cudaLaunchKernel": 5 * (sum(WHOLE.values()) - WHOLE["k8"]),
        "cudaGraphLaunch": 5,
        "cudaMemcpyAsync": 5,
        "cudaStreamSynchronize": 10,
    }


def test_nodes_of_a_graph_are_under_the_operators_that_they_were_captured_in(lab, wheel):
    done = lab.both(
        program(lab, wheel, model="captured"), level="operator", options=["--graph-nodes"], env=environment(lab)
    )
    kernels = check_attribution(done.recording, 5)
    of_graph = [kernel for kernel in kernels if node_of(kernel) != "k0"]
    assert {kernel.args["graph"] for kernel in of_graph} == {6}
    assert len({kernel.args["graph"] for kernel in kernels if "graph" in kernel.args}) == 1
    # without being asked for, a graph is one slice, of the operator that launched it
    done = lab.record(program(lab, wheel, model="captured"), options=["--kernels"], env=environment(lab))
    graphs = [kernel for kernel in kernels_of(done.recording) if kernel.name == "graph 6"]
    assert [graph.args["operator"] for graph in graphs] == ["y"] * 5
    assert len(kernels_of(done.recording)) == 5 * (1 + WHOLE["k0"])
    # captured before the recording: what launches it has its kernels, and nobody's operator is guessed
    words = ("--rest", 0.01, "--library", lab.binaries.shared("launch_ops"))
    env = environment(lab, LD_PRELOAD=os.path.join(fakes(lab), "libcupti.so.13"))  # it keeps the graph
    server = python_server(lab, wheel, "captured", *words, env=env)
    done = attach(lab, "--inject", "--graph-nodes", server.pid, n=20)
    server.end()
    nodes = [kernel for kernel in kernels_of(done.recording) if "graph" in kernel.args and "operator" in kernel.args]
    assert len(nodes) > 10 * (sum(KERNELS.values()) - 1) and {kernel.args["operator"] for kernel in nodes} == {"y"}


@pytest.mark.parametrize(
    "words, level",
    [
        ("future,perthread,wrap", "operator"),
        ("version=17", "detail"),
        ("version=130500,inside,step=5000000000", "operator"),
        ("hostile", "operator"),
    ],
)
def test_records_may_be_of_any_release_and_in_any_order(lab, wheel, words, level):
    env = environment(lab, words, FAKE_CUDA="inside" if "inside" in words else "")
    done = lab.record(
        program(lab, wheel, runs=30, threads=2),
        level=level,
        options=["--kernels"] if level != "detail" else [],
        env=env,
    )
    if "hostile" in words:  # every tenth kernel that is launched alone has another name
        names = [kernel.name for kernel in kernels_of(done.recording)]
        n_alone = sum(WHOLE.values()) - WHOLE["k8"]
        assert sum("kernel_of" not in name and name != "graph 7" for name in names) == 60 * n_alone // 10
        assert len(names) == 60 * sum(WHOLE.values())
        return
    check_attribution(done.recording, 60, WHOLE)
    assert bool(losses(lab, done.recording, "not known here")) == ("future" in words)
    assert done.recording.note("device clock").get("count", 0) == int("step" in words)


def test_findings_say_what_the_device_waited_for(lab, wheel):
    """Operators that wait for their kernels; the first inference tries algorithms, and the driver compiles."""
    words = program(lab, wheel, runs=40, model="waiting", more=["--work", 0.02])
    done = lab.record(words, options=["--kernels"], env=environment(lab, "compile=80"))
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", done.recording.path]).out)
    found = {row["kind"]: row["figures"] for row in report["insights"]}
    assert {"searches_algorithms", "first_costs", "idle_between"} <= set(found)
    assert "waits_each_run" in found or "waits_for_cpu" in found  # on a busy machine it is late for that reason
    assert not {"launch_bound", "own_work", "small_kernels"} & set(found)
    assert round(6 * found["searches_algorithms"]["kernels_first"]) == 6 + 20
    assert found["first_costs"]["compile_ns"] >= 80e6 and "work at ortprogram.py" in found["idle_between"]["place"]
    device = report["models"][0]["inferences"]["kernels"]
    assert device["inferences"] == 39 and device["wait_idle_ns"] > 0.9 * device["launch_idle_ns"] > 0
    assert device["idle_between_ns"] > 39 * 20e6 and not device["compile_ns"]
    # the page has the kernels of all inferences below their operators, and a comparison those of each
    with view(lab, done.recording.path) as get:
        (row,) = table(get, "operator_types")
        nodes = table(get, "operators")
    of_all = sum(slice.end - slice.start for slice in done.recording.of("kernel"))
    assert row["device_ns"] == sum(node["device_ns"] for node in nodes) == of_all
    same = json.loads(lab.plain([lab.inftrace, "diff", "--json", done.recording.path, done.recording.path]).out)
    for key, ns in (("device", "kernels_ns"), ("device_idle", "idle_ns")):
        figure = same["models"][0]["figures"][key]
        assert figure["base"] == figure["new"] == pytest.approx(device[ns] / 39)
    rows = [row[side] for row in same["models"][0]["operators"] for side in ("base", "new")]
    assert sum(row["device_ns"] for row in rows) == pytest.approx(2 * device["kernels_ns"] / 39)


def test_a_child_of_fork_has_no_kernels_and_disturbs_none(lab, wheel):
    done = lab.record(program(lab, wheel, name="forked"), options=["--kernels"], env=environment(lab))
    parent, child = map(int, done.out.split())
    runs = {pid: [run for run in done.recording.inferences if run.track.pid == pid] for pid in (parent, child)}
    assert [len(runs[pid]) for pid in (parent, child)] == [5, 5]
    kernels = kernels_of(done.recording)
    assert len(kernels) == 5 * sum(WHOLE.values()) and {kernel.track.pid for kernel in kernels} == {parent}
    assert not [kernel for kernel in kernels if kernel.args["operator"] != node_of(kernel)]


def test_what_is_not_known_is_said(lab, wheel):
    """Work without times, and a program that is killed."""
    done = lab.record(program(lab, wheel, runs=20), options=["--kernels"], env=environment(lab, "zero=10"))
    n = losses(lab, done.recording, "without times")
    assert n == 20 * (sum(WHOLE.values()) + 1) // 10
    total = len(done.recording.of("kernel"))
    assert total == 20 * (sum(WHOLE.values()) + 1) - n


def test_one_sentence_says_why_there_are_no_kernels(lab, wheel):
    without = lab.path("driver")
    os.mkdir(without)
    os.symlink(os.path.join(fakes(lab), "libcuda.so.1"), os.path.join(without, "libcuda.so.1"))
    for env, why in (
        (environment(lab, "taken"), "another profiler has CUPTI"),
        (environment(lab, "refuse=35"), "more rights"),
        (environment(lab, "refuse=15"), "driver is too old"),
        ({"LD_LIBRARY_PATH": without}, "libcupti was not found: pip install nvidia-cuda-cupti"),
    ):
        done = lab.record(program(lab, wheel), options=["--kernels"], env=env)
        note = done.recording.note("stopped")
        assert note["source"] == "kernels" and why in note["text"]
        assert not done.recording.of("kernel") and len(done.recording.operators) == 5 * OPERATORS


def test_what_a_killed_program_launched_last_is_said_to_be_unknown(lab, wheel):
    words = lab.python(wheel, "serve", lab.model("launches"), "--library", lab.binaries.shared("launch_ops"))
    command, path = lab.command(words, options=["--kernels"])
    process = lab.start(command, env=environment(lab), stdin=subprocess.PIPE)
    growing = Growing(path)
    wait_until(lambda: growing.now() and growing.now().of("kernel"), process)
    child = children_of(process.pid)[0]  # the recorder reads files in another one
    os.kill(child, signal.SIGKILL)
    process.wait(PATIENCE)
    recording = Recording(path)
    lab.recordings.append(recording)
    assert "may be missing" in recording.note("device clock")["text"]
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", path]).out)
    assert "kernels may be missing at the end" in report["verdict"] and "nothing lost" not in report["verdict"]
    (clock,) = report["device_clocks"]
    assert "may be missing" in clock["missing"] and 0 <= clock["error_ns"] < 1e6
    (said,) = [one["text"] for one in report["losses"]["remarks"] if one["kind"] == "unknown_at_end"]
    text = lab.plain([lab.inftrace, "report", "--all", path]).out
    assert said.split()[0] in text and "Times of kernels are off by" in text
    kernels = [kernel for kernel in kernels_of(recording) if "operator" in kernel.args]
    assert kernels and not [kernel for kernel in kernels if kernel.args["operator"] != node_of(kernel)]


def test_the_programs_own_profiler_gets_cupti(lab, wheel):
    """A program that subscribes itself, as torch.profiler does, is not refused, and our kernels end there."""
    done = lab.both(
        program(lab, wheel, name="profiles_itself"), options=["--kernels"], env=environment(lab), level="operator"
    )
    assert "subscribed 0" in done.out
    assert "cuptiSubscribe" in done.recording.note("stopped")["text"]
    kernels = kernels_of(done.recording)
    assert len(kernels) == 5 * sum(WHOLE.values()) and len(done.recording.inferences) == 10
    assert not [kernel for kernel in kernels if kernel.args["operator"] != node_of(kernel)]


def test_injection_begins_and_ends_it(lab, wheel):
    tell = lab.path("tell")
    server = python_server(
        lab,
        wheel,
        "launches",
        "--rest",
        0.01,
        "--library",
        lab.binaries.shared("launch_ops"),
        env=environment(lab, "tell=" + tell),
    )
    for _ in range(2):
        done = attach(lab, "--inject", "--kernels", server.pid, n=60)
        kernels = [kernel for kernel in kernels_of(done.recording) if "operator" in kernel.args]
        assert len(kernels) > 10 * sum(WHOLE.values())
        assert not [kernel for kernel in kernels if kernel.args["operator"] != node_of(kernel)]
    server.end()
    with open(tell) as file:
        words = file.read().split()
    counts = dict(zip(words[::2], map(int, words[1::2])))
    assert counts["finalized"] == 2 and not counts["subscribed"]
