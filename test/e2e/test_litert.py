# SPDX-License-Identifier: Apache-2.0
"""Programs of TensorFlow Lite (LiteRT): each inference with its operators, counted against the interpreter's own graph;
the program answers the same with and without the recorder."""

import collections
import glob
import json
import os
import re
import shutil
import signal
import sys

import pytest

import envs
from attaching import Server, attach
from conftest import BETWEEN, environment
from lab import children_of, inside_own_times, own_times, wait_until
from recording import Growing, Recording

KEYS = ["2.7", "newest", *(pytest.param(key, marks=BETWEEN) for key in ("2.11", "2.12", "2.14", "1.0", "1.4", "2.1"))]


@pytest.fixture(params=KEYS)
def each_litert(request):
    return environment(envs.litert, request.param)


@pytest.fixture
def litert():
    return environment(envs.litert, "newest")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("models"))
    environment(envs.litert_models, folder)
    return lambda name: os.path.join(folder, name + ".tflite")


def report_of(lab, recording):
    text = lab.plain([lab.inftrace, "report", recording.path]).out
    return json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out), " ".join(text.split())


def kinds(slices):
    return collections.Counter(slice.args["op_type"] for slice in slices)


@pytest.mark.in_turn(2)
def test_operators_are_those_of_the_graph(lab, each_litert, models):
    """Without a delegate the interpreter lists exactly what it executes."""
    nodes, times = lab.path("nodes"), lab.path("times")
    program = lab.python(each_litert, "liteprogram", "infer", models("cnn"), "--plain", "--runs", 7)
    recording = lab.both([*program, "--nodes", nodes, "--times", times], level="detail").recording
    with open(nodes) as file:
        graph = [tuple(node) for node in json.load(file)]
    assert len(graph) == 7 and len(recording.inferences) == 7
    for run in recording.inferences:
        mine = sorted(
            (one for one in recording.operators if one.args["inference"] == run.args["inference"]),
            key=lambda one: one.start,
        )
        assert [(one.name, one.args["op_type"]) for one in mine] == graph
        assert run.start <= mine[0].start and mine[-1].end <= run.end
        assert (run.args["model"], run.args["status"]) == ("cnn", "ok")
        assert run.args["shapes"] == "float32[1x32x32x3]"
    assert {one.args["provider"] for one in recording.operators} == {"CPU"}
    shapes = {one.name: one.args["shapes"] for one in recording.operators}
    assert shapes["conv1"] == "float32[1x16x16x8],float32[16x3x3x8],float32[16]"
    assert shapes["dense"] == "float32[1x1024],float32[10x1024],-"
    assert inside_own_times(recording, own_times(times)) == []


@pytest.mark.in_turn(2)
def test_a_delegate_is_one_operator(lab, each_litert, models):
    recording = lab.both(lab.python(each_litert, "liteprogram", "infer", models("cnn"))).recording
    assert len(recording.inferences) == 5
    if each_litert.version == "2.7.0":  # built without it
        assert {one.args["provider"] for one in recording.operators} == {"CPU"}
    else:
        assert kinds(recording.operators) == {"TfLiteXNNPackDelegate": 5}
        assert {one.args["provider"] for one in recording.operators} == {"XNNPACK"}


@pytest.mark.in_turn(2)
def test_the_report_names_runtime_version_model_and_parts(lab, each_litert, models):
    recording = lab.both(lab.python(each_litert, "liteprogram", "infer", models("cnn"))).recording
    report, text = report_of(lab, recording)
    (model,) = report["models"]
    assert (model["name"], model["path"]) == ("cnn", models("cnn"))
    assert model["creation"]["sessions"] == 1 and model["inferences"]["count"] == 5
    (session,) = recording.of("session")
    assert session.end < min(run.start for run in recording.inferences)
    parts = {slice.name for slice in recording.of("specialize")}
    assert "allocate tensors" in parts and parts <= {"allocate tensors", "compile by delegates"}
    (load,) = recording.of("load")
    assert session.start <= load.start < load.end < session.end
    assert "litert %s" % each_litert.version in text and "not recorded:" not in text
    assert "intra_op_num_threads" not in text


@pytest.mark.in_turn(2)
def test_operators_of_control_flow_nest(lab, each_litert, models):
    recording = lab.both(lab.python(each_litert, "liteprogram", "loop", models("loop"), "--plain")).recording
    assert len(recording.inferences) == 5
    assert kinds(recording.operators) == {"WHILE": 5, "LESS": 30, "ADD": 50, "GREATER": 5, "IF": 5, "NEG": 5}
    outer = [one for one in recording.operators if one.args["op_type"] in ("WHILE", "IF")]
    for one in recording.operators:
        inside = any(o.start <= one.start and one.end <= o.end and o is not one for o in outer)
        assert inside == (one.args["op_type"] in ("LESS", "ADD", "NEG"))
    program = lab.python(each_litert, "liteprogram", "loop", models("loop"), "--plain")
    recording = lab.both(program, level="inference", name="less").recording
    assert [run.args["status"] for run in recording.inferences] == ["ok"] * 5 and not recording.operators


@pytest.mark.in_turn(2)
def test_two_models_one_from_memory_are_told_apart(lab, each_litert, models):
    recording = lab.both(
        lab.python(each_litert, "liteprogram", "two", models("cnn"), models("chain"), "--runs", 6)
    ).recording
    assert collections.Counter(run.args["model"] for run in recording.inferences) == {"cnn": 6, "chain": 6}
    assert len(recording.of("session")) == 2
    recording = lab.both(lab.python(each_litert, "liteprogram", "bytes", models("cnn")), name="bytes").recording
    size = os.path.getsize(models("cnn"))
    assert {run.args["model"] for run in recording.inferences} == {"model from memory (%s bytes)" % format(size, ",")}


def test_eight_threads_with_an_interpreter_each(lab, each_litert, models):
    program = lab.python(each_litert, "liteprogram", "threads", models("chain"), "--plain", "--runs", 30)
    recording = lab.both(program).recording
    per_thread = collections.Counter(run.args["tid"] for run in recording.inferences)
    assert len(per_thread) == 8 and set(per_thread.values()) == {30}
    assert len({run.args["session"] for run in recording.inferences}) == 8
    assert "side by side" not in report_of(lab, recording)[1]  # an interpreter cannot be shared
    per_run = collections.Counter(one.args["inference"] for one in recording.operators)
    assert len(per_run) == 240 and set(per_run.values()) == {100}


def test_an_inference_that_fails_ends_with_its_message(lab, each_litert, models):
    times = lab.path("times")
    program = lab.python(each_litert, "liteprogram", "fails", models("reshaper"), "--times", times)
    recording = lab.both(program).recording
    ended = [run.args["status"] for run in sorted(recording.inferences, key=lambda run: run.start)]
    assert [status == "ok" for status in ended] == [True, False, True, False, True]
    assert all("num_output_elements" in status for status in ended if status != "ok"), ended
    assert inside_own_times(recording, own_times(times)) == []
    (model,) = report_of(lab, recording)[0]["models"]
    assert (model["name"], model["inferences"]["failed"]) == ("reshaper", 2)


@pytest.mark.in_turn(2)
def test_other_shapes_signatures_and_many_interpreters(lab, each_litert, models):
    program = lab.python(each_litert, "liteprogram", "resized", models("chain"), "--plain", "--runs", 6)
    recording = lab.both(program).recording
    shapes = [run.args["shapes"] for run in sorted(recording.inferences, key=lambda run: run.start)]
    assert shapes == ["float32[%dx16]" % (1 + turn % 3) for turn in range(6)]
    assert len(recording.of("session")) == 1 and len(recording.operators) == 600
    if each_litert.version > "2.7.0" or "ai_edge" in each_litert.path:
        recording = lab.both(lab.python(each_litert, "liteprogram", "signatures", models("twice")), name="s").recording
        assert {run.args["model"] for run in recording.inferences} == {"twice"} and len(recording.inferences) == 10
        assert len({run.args["session"] for run in recording.inferences}) == 1
    program = lab.python(each_litert, "liteprogram", "again", models("cnn"), models("chain"), "--runs", 20, "--plain")
    recording = lab.both(program, name="again").recording
    assert len(recording.of("session")) == 20 and len({run.args["session"] for run in recording.inferences}) == 20
    assert collections.Counter(run.args["model"] for run in recording.inferences) == {"cnn": 10, "chain": 10}
    assert kinds(recording.operators)["TANH"] == 1000


def in_c(lab, how, model, *more):
    """A program in C that opens the library of `how`; the version that the report has."""
    if how == "compiled":
        newest = environment(envs.litert, "newest")
        (library,) = glob.glob(os.path.join(newest.path, "lib/python3*/site-packages/ai_edge_litert/libLiteRt.so"))
        version = newest.version
    else:
        library, version = environment(envs.lite_c)
    binary = lab.binaries.plain("lite_opened", ["-ldl"])
    return [binary, how, library, model, *[str(one) for one in more]], version


@pytest.mark.parametrize("how", ["interpreter", "xnnpack", "compiled"])
def test_a_program_in_c(lab, models, how):
    times = lab.path("times")
    program, version = in_c(lab, how, models("cnn"), 5, times)
    recording = lab.both(program, level="detail").recording
    assert len(recording.inferences) == 5 and len(recording.of("session")) == 1
    if how == "interpreter":
        kinds_of_cnn = {"CONV_2D": 10, "MAX_POOL_2D": 10, "RESHAPE": 5, "FULLY_CONNECTED": 5, "SOFTMAX": 5}
        assert kinds(recording.operators) == kinds_of_cnn
        assert {one.args["provider"] for one in recording.operators} == {"CPU"}
    else:
        assert kinds(recording.operators) == {"TfLiteXNNPackDelegate": 5}
        assert {one.args["provider"] for one in recording.operators} == {"XNNPACK"}
    assert {run.args["shapes"] for run in recording.inferences} == {"float32[1x32x32x3]"}
    assert inside_own_times(recording, own_times(times)) == []
    report, text = report_of(lab, recording)
    (model,) = report["models"]
    assert (model["name"], model["path"]) == ("cnn", models("cnn"))
    assert "litert %s" % version in text and "not recorded:" not in text


@pytest.mark.parametrize("how", ["file", "bytes", "apart"])
def test_models_that_are_loaded_before_interpreters_are_built_keep_their_names(lab, models, how):
    names = "cnn", "twice", "chain"
    library, _ = environment(envs.lite_c)
    program = [sys.executable, os.path.join(envs.PROGRAMS, "litemany.py"), library, how, *map(models, names)]
    recording = lab.both(program).recording
    if how != "file":
        sizes = [format(os.path.getsize(models(name)), ",") for name in names]
        names = ["model from memory (%s bytes)" % size for size in sizes]
    assert collections.Counter(run.args["model"] for run in recording.inferences) == dict.fromkeys(names, 5)
    sessions = {session.args["session"]: session.args["model"] for session in recording.of("session")}
    assert [sessions[number] for number in sorted(sessions)] == list(names)


def test_a_compiled_model_in_python(lab, litert, models):
    recording = lab.both(lab.python(litert, "liteprogram", "compiled", models("cnn"))).recording
    assert [run.args["model"] for run in recording.inferences] == ["cnn"] * 5
    assert kinds(recording.operators) == {"TfLiteXNNPackDelegate": 5}


def test_a_child_of_fork_is_seen_too(lab, litert, models):
    recording = lab.both(lab.python(litert, "liteprogram", "forked", models("chain"), "--plain")).recording
    per_process = collections.Counter(run.args["tid"] for run in recording.inferences)
    assert sorted(per_process.values()) == [5, 6] and len(recording.operators) == 1100


def test_a_killed_recorder_leaves_the_program_and_what_it_wrote(lab, litert, models):
    times = lab.path("times")
    command, path = lab.command(lab.python(litert, "liteprogram", "serve", models("cnn"), "--times", times))
    server = Server(lab, command, times=times)
    child = children_of(server.pid)[0]  # the recorder reads files in another one
    growing = Growing(path)
    wait_until(lambda: (now := growing.now()) and len(now.inferences) > 50)
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: server.process.poll() is not None)
    os.stat("/proc/%d" % child)
    server.process.stdin.close()
    assert re.search(r"^differ 0$", server.process.stdout.read(), re.M)
    assert len(Recording(path).inferences) > 50


def serve(lab, litert, model, *more):
    times = lab.path("times")
    program = lab.python(litert, "liteprogram", "serve", model, "--times", times, *more)
    return Server(lab, program, times=times)


@pytest.mark.root
def test_a_running_program_is_seen_by_injection(lab, each_litert, models):
    """Also operators of interpreters that were there before."""
    server = serve(lab, each_litert, models("cnn"), "--plain")
    done = attach(lab, "--inject", server.pid, n=100)
    runs, failed = server.end()
    # the last one may be cut off by the end of the recording
    whole = [run for run in done.recording.inferences if run.end and not run.args.get("partial")]
    assert runs >= 100 and not failed and len(whole) >= 90
    assert {run.args["model"] for run in whole} == {"cnn"}
    nodes = collections.Counter(one.name for one in done.recording.operators if one.args.get("inference"))
    assert len(nodes) == 7 and all(n >= len(whole) for n in nodes.values()), nodes


@pytest.mark.root
@pytest.mark.parametrize("how", ["interpreter", "compiled"])
def test_a_running_program_in_c_is_seen_by_injection(lab, models, how):
    times = lab.path("times")
    program, version = in_c(lab, how, models("cnn"), 0, times)
    server = Server(lab, program, times=times)
    listed = json.loads(lab.plain([lab.inftrace, "ps", "--json"]).out)["programs"]
    runtimes = [row for row in listed if row["pid"] == server.pid][0]["runtimes"]
    assert {(one["name"], one["version"]) for one in runtimes} == {("litert", version)}
    done = attach(lab, "--inject", server.pid, n=100)
    server.end()
    whole = [run for run in done.recording.inferences if run.end and not run.args.get("partial")]
    assert len(whole) >= 90 and {run.args["model"] for run in whole} == {"cnn"}
    nodes = collections.Counter(one.name for one in done.recording.operators if one.args.get("inference"))
    assert len(nodes) == (7 if how == "interpreter" else 1) and all(n >= len(whole) for n in nodes.values()), nodes


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_a_running_program_is_seen_from_outside(lab, litert, models):
    server = serve(lab, litert, models("cnn"))
    listed = json.loads(lab.plain([lab.inftrace, "ps", "--json"]).out)["programs"]
    runtimes = [row for row in listed if row["pid"] == server.pid][0]["runtimes"]
    assert {(one["name"], one["version"]) for one in runtimes} == {("litert", litert.version)}
    done = attach(lab, server.pid, n=100)
    server.end()
    assert len(done.recording.inferences) >= 90
    assert "not recorded: operators" in report_of(lab, done.recording)[1]


@pytest.mark.in_turn(2)
def test_a_build_whose_classes_are_unknown_runs_untouched(lab, models):
    """A copy in which the class that leads to the graph has another name: the report says what is left out."""
    oldest = environment(envs.litert, "2.7")
    own = lab.path("environment")
    shutil.copytree(oldest.path, own, symlinks=True)
    (path,) = glob.glob(os.path.join(own, "lib/python3*/site-packages/tflite_runtime/_pywrap*.so"))
    with open(path, "rb") as file:
        data = file.read()
    changed = data.replace(b"InterpreterInfoE", b"InterpreterInfaE")
    assert changed != data
    with open(path, "wb") as file:
        file.write(changed)
    program = lab.python(oldest, "liteprogram", "infer", models("cnn"))
    program[0] = os.path.join(own, "bin", "python")
    recording = lab.both(program).recording
    assert not recording.inferences and not recording.operators
    assert re.search(r"not recorded: [^;]*\(not recognised in this version\)", report_of(lab, recording)[1])
