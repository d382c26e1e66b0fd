# SPDX-License-Identifier: Apache-2.0
"""Programs of OpenVINO: each inference with its nodes, counted against OpenVINO's own profile; the program answers the
same with and without the recorder."""

import collections
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

import envs
from attaching import Server, attach
from conftest import BETWEEN, environment
from lab import children_of, inside_own_times, own_times, wait_until
from recording import Growing, Recording
from test_usage import check_own_clock

KEYS = ["2023.3", "newest", *(pytest.param(key, marks=BETWEEN) for key in ("2024.1", "2024.6", "2025.3"))]


with open("/proc/cpuinfo") as cpus:
    # of the model cnn: a processor that computes in bfloat16 converts into it and back
    NODES = 10 if re.search(r"\b(avx512|amx)_bf16\b", cpus.read()) else 8


@pytest.fixture(params=KEYS)
def each_openvino(request):
    return environment(envs.openvino, request.param)


@pytest.fixture
def openvino():
    return environment(envs.openvino, "newest")


def names(slices):
    return collections.Counter((slice.name, slice.args["op_type"]) for slice in slices)


def report_of(lab, recording):
    text = lab.plain([lab.inftrace, "report", recording.path]).out
    return json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out), " ".join(text.split())


@pytest.mark.parametrize("model", ["cnn", "chain", "wide", "heavy"])
@pytest.mark.in_turn(4)
def test_nodes_are_those_of_its_own_profile(lab, each_openvino, model):
    program = lab.python(each_openvino, "ovprogram", "infer", lab.model(model), "--runs", 7)
    nodes = lab.path("nodes")
    recording = lab.both([*program, "--nodes", nodes, "--times", lab.path("times")]).recording
    with open(nodes) as file:
        own = [(name, kind, has_run) for name, kind, has_run in json.load(file)]
    ran = [operator for operator in recording.operators if operator.args.get("inference")]
    counted = names(ran)
    # its own profile takes nodes of less than a microsecond, on average, for nodes that did not run
    assert {(name, kind) for name, kind, has_run in own if has_run} <= set(counted)
    assert set(counted) <= {(name, kind) for name, kind, _ in own}
    assert len(counted) >= 4 and set(counted.values()) == {7}
    assert {operator.args["provider"] for operator in ran} == {"CPU"}
    assert len(recording.inferences) == 7
    assert not [slice for slice in recording.inferences if "pool_queue_ns" in slice.args]
    assert {slice.args["status"] for slice in recording.inferences} == {"ok"}
    assert {slice.args["model"] for slice in recording.inferences} == {model}
    assert inside_own_times(recording, own_times(lab.path("times"))) == []
    runs = {slice.args["inference"]: slice for slice in recording.inferences}
    for operator in ran:
        run = runs[operator.args["inference"]]
        assert run.start <= operator.start <= operator.end <= run.end


@pytest.mark.in_turn(2)
def test_the_report_names_runtime_version_model_and_passes(lab, each_openvino):
    program = lab.python(each_openvino, "ovprogram", "infer", lab.model("cnn"))
    recording = lab.both(program).recording
    report, text = report_of(lab, recording)
    (model,) = report["models"]
    assert (model["name"], model["path"]) == ("cnn", lab.model("cnn"))
    assert model["creation"]["sessions"] == 1 and model["inferences"]["count"] == 5
    assert model["sessions"][0]["creation_ns"] > 1e6
    assert "openvino %s" % each_openvino.version in text and "libopenvino_intel_cpu_plugin.so" in text
    left_out = {part.strip() for part in re.findall(r"not recorded: ([a-z ]+)", text)}
    assert "no runtime was loaded" not in text and left_out <= {"release of sessions"}, left_out
    passes = {slice.name for slice in recording.of("specialize")}
    assert {"CommonFusions", "ConstantFolding", "CommonOptimizations"} & passes and len(passes) > 15, passes
    # advice is of this runtime
    assert "intra_op_num_threads" not in text and "--optimized-model" not in text


TYPES = "float32 int64 uint8 bool float16 int32 uint16 uint32 uint64 int8 float64 int16".split()


@pytest.mark.in_turn(2)
def test_inferences_have_the_shapes_of_their_inputs(lab, each_openvino):
    """As they are at the call: given as arrays or tensors, made longer in place, in a queue; a part of a larger tensor,
    and several that become one in the call, have none here, and of 20 inputs the first 16 are recorded."""
    program = lab.python(each_openvino, "ovprogram", "shapes", lab.model("cnn"))
    recording = lab.both(program, level="inference").recording
    found = collections.defaultdict(list)
    for slice in sorted(recording.inferences, key=lambda slice: slice.start):
        found[slice.args["model"]].append(slice.args["shapes"])
    assert sorted(found.pop("typed")) == [
        ",".join("%s[%dx%d]" % (of, n, i + 1) for i, of in enumerate(TYPES)) for n in range(3, 9)
    ]
    assert found.pop("own") == ["float32[4x2],float32[5x2]", "float32[2x2],float32[3x2]", "float32[2x2],-"]
    assert found.pop("batched") == ["-", "-", "float32[7x3]"]
    assert found.pop("scalar") == ["float32[]"] and found.pop("many") == ["float32[9]," * 16 + "float32[9]*4"]
    (cnn,) = found.values()
    assert len(cnn) == 2 and len(set(cnn)) == 1 and cnn[0].startswith("float32["), found
    sizes = lab.plain([lab.inftrace, "report", recording.path, "--all"]).out
    assert "float32[4x2],float32[5x2]" in sizes.replace("\n", ""), sizes


def shapes_of(text):
    """None: one that may change."""
    return [dims and [int(dim) for dim in dims.split("x")] for dims in re.findall(r"-|\?\[([^\]]*)\]", text)]


@pytest.mark.in_turn(2)
def test_nodes_have_the_shapes_of_inputs_that_stay_the_same(lab, each_openvino):
    """Without their types; in models of other operators, and in one with dimensions that the inputs choose."""
    for model, n_least in (("wide", 32), ("cnn", 7), ("decoder", 0)):
        nodes = lab.path(model)
        program = lab.python(each_openvino, "ovprogram", "sizes", lab.model(model), "--nodes", nodes)
        recording = lab.both(program, level="detail").recording
        with open(nodes) as file:
            own = json.load(file)
        ran = [operator for operator in recording.operators if operator.args.get("inference")]
        told = {operator.name: shapes_of(operator.args["shapes"]) for operator in ran if "shapes" in operator.args}
        assert len(told) >= n_least, (model, len(told), len({operator.name for operator in ran}))
        for name, shapes in told.items():
            assert any(shapes) and len(shapes) == len(own[name]), (name, shapes, own[name])
            # what may change has the shape of the last inference there
            assert all(mine in ("", None, theirs) for mine, theirs in zip(shapes, own[name])), (name, shapes, own[name])


@pytest.mark.in_turn(2)
def test_its_own_profile_that_was_left_on_is_found(lab, each_openvino):
    recording = lab.both(lab.python(each_openvino, "ovprogram", "tiny", "--runs", 60)).recording
    report, _ = report_of(lab, recording)
    found = [insight for insight in report["insights"] if insight["kind"] == "profiled"]
    timed = {slice.args["model"] for slice in recording.inferences if slice.args.get("timed")}
    assert timed == {"timed YES"}
    assert [report["models"][insight["model"]]["name"] for insight in found] == ["timed YES"], found
    assert found[0]["figures"]["operators_each"] == 100 and "PERF_COUNT" in found[0]["next"]


@pytest.mark.in_turn(2)
def test_requests_of_two_models_are_told_apart(lab, each_openvino):
    program = lab.python(each_openvino, "ovprogram", "two", lab.model("cnn"), lab.model("chain"), "--runs", 6)
    recording = lab.both(program).recording
    assert collections.Counter(slice.args["model"] for slice in recording.inferences) == {"cnn": 6, "chain": 6}
    assert len({slice.args["session"] for slice in recording.inferences}) == 2
    assert len(recording.of("session")) == 2


@pytest.mark.in_turn(2)
def test_a_queue_of_requests_on_two_streams(lab, each_openvino):
    times = lab.path("times")
    program = lab.python(each_openvino, "ovprogram", "queue", lab.model("heavy"), "--runs", 60, "--times", times)
    recording = lab.both(program).recording
    assert len(recording.inferences) == 60
    # the time in the queue goes back to the call that asked for the inference
    asked = sorted(slice.start - slice.args["pool_queue_ns"] for slice in recording.inferences)
    calls = sorted(tuple(map(int, line.split()[:2])) for line in open(times))
    assert all(start <= at <= end for at, (start, end) in zip(asked, calls, strict=True))
    nodes = [operator for operator in recording.operators if operator.args.get("inference")]
    per_node = collections.Counter(operator.name for operator in nodes)
    assert len(per_node) >= 5 and set(per_node.values()) == {60}
    # one thread for each stream; on a busy machine they may take turns
    assert len({slice.args["tid"] for slice in recording.inferences}) == 2
    assert report_of(lab, recording)[0]["models"][0]["inferences"]["max_concurrent"] <= 2


@pytest.mark.in_turn(2)
def test_a_model_from_the_cache_is_a_session_of_its_own(lab, each_openvino):
    recording = lab.both(lab.python(each_openvino, "ovprogram", "cached", lab.model("cnn"))).recording
    compiled, imported = sorted(recording.of("session"), key=lambda slice: slice.start)
    for session in (compiled, imported):
        runs = [slice for slice in recording.inferences if slice.args["session"] == session.args["session"]]
        assert len(runs) == 5 and all(slice.start > session.end for slice in runs)
    passes = [slice.start for slice in recording.of("specialize")]
    assert sum(start < compiled.end for start in passes) > 2 * sum(start > imported.start for start in passes)


@pytest.mark.in_turn(2)
def test_a_model_given_as_a_text_is_of_no_file(lab, each_openvino):
    recording = lab.both(lab.python(each_openvino, "ovprogram", "texts", lab.model("cnn"), "--runs", 8)).recording
    rows = lab.plain([lab.inftrace, "query", "--format", "json", recording.path, "select session, path from sessions"])
    paths = {row["session"]: row["path"] for row in json.loads(rows.out)}
    assert [paths[number + 1] for number in range(16)] == [lab.model("cnn"), None] * 8


@pytest.mark.in_turn(2)
def test_new_shapes_that_are_compiled_are_said_to_be_slow(lab, openvino):
    for runs in (6, 1):  # of eight sizes; of one
        program = lab.python(openvino, "ovprogram", "pictures", lab.model("convolutions"), "--runs", runs)
        report, text = report_of(lab, lab.record(program, judged=False).recording)
        found = {insight["kind"]: insight["figures"] for insight in report["insights"]}
        assert ("slow_new_shapes" in found) == (runs > 1), text
        if runs > 1:
            assert found["slow_new_shapes"]["shapes"] == 7 and found["slow_new_shapes"]["times"] >= 2


@pytest.mark.parametrize("each_openvino", ["newest", pytest.param("2024.6", marks=BETWEEN)], indirect=True)
def test_thirty_two_threads_with_a_request_each(lab, each_openvino):
    """2023.3 may lock up by itself: who creates a request waits for TBB, with a mutex that TBB's threads want."""
    recording = lab.both(lab.python(each_openvino, "ovprogram", "threads", lab.model("cnn"), "--runs", 20)).recording
    per_thread = collections.Counter(slice.args["tid"] for slice in recording.inferences)
    assert sorted(per_thread.values()) == [1] + [20] * 32
    nodes = collections.Counter(node.args["inference"] for node in recording.operators if node.args.get("inference"))
    assert len(nodes) == 641 and set(nodes.values()) == {NODES}


@pytest.mark.in_turn(2)
def test_callers_of_one_stream_are_told_that_they_wait_for_each_other(lab, openvino):
    program = lab.python(openvino, "ovprogram", "threads", lab.model("long"), "--runs", 2)
    report, _ = report_of(lab, lab.record(program, judged=False).recording)
    (found,) = [insight for insight in report["insights"] if insight["kind"] == "unattributed"]
    assert "NUM_STREAMS" in found["next"] and "each waits" in found["evidence"], found
    parts = report["models"][0]["operators"]
    assert 0.5 * parts["unattributed_ns"] < parts["turn_ns"] < parts["unattributed_ns"]


@pytest.fixture
def three_runtimes(lab, openvino, wheel, tmp_path):
    environment(envs.litert_models, str(tmp_path))
    folders = [glob.glob(os.path.join(one.path, "lib/python3*/site-packages"))[0] for one in (wheel, openvino)]
    return lab.python(
        environment(envs.litert, "newest"), "threeruntimes", tmp_path / "cnn.tflite", lab.model("cnn"), *folders
    )


@pytest.mark.root
def test_injection_waits_in_every_runtime_of_a_program(lab, three_runtimes):
    program = lab.start([*three_runtimes, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert program.stdout.readline() == b"ok\n"
    for name in ("openvino", "litert", "onnxruntime"):
        program.stdin.write(name.encode() + b"\n")
        program.stdin.flush()
        done = attach(lab, "--inject", program.pid, n=20)
        models = report_of(lab, done.recording)[0]["models"]
        assert [(model["runtime"], model["inferences"]["count"] >= 15) for model in models] == [(name, True)]
    program.stdin.close()
    assert program.wait(30) == 0


@pytest.mark.in_turn(2)
def test_three_runtimes_in_one_program_are_told_apart(lab, three_runtimes):
    recording = lab.both(three_runtimes).recording
    report, text = report_of(lab, recording)
    models = {model["runtime"]: model for model in report["models"]}
    assert [model["inferences"]["count"] for model in report["models"]] == [20] * 3
    assert set(models) == {"litert", "onnxruntime", "openvino"}
    assert {model["inferences"]["with_gradients"] for model in report["models"]} == {None}
    versions = {runtime["runtime"]: runtime["version"] for runtime in report["runtimes"] if runtime["version"]}
    assert {name: model["runtime_version"] for name, model in models.items()} == versions
    assert {name: model["operators"]["providers"][0]["provider"] for name, model in models.items()} == {
        "litert": "XNNPACK",
        "onnxruntime": "CPUExecutionProvider",
        "openvino": "CPU",
    }
    # each runtime once in the head, with what its models ran
    for name in models:
        assert re.search(rf"{name} {versions[name]}[^:]*: 20 inferences, [0-9.]+ % of their time", text)
        assert f"cnn ({name}): 20 inferences on" in text
    assert " on -" not in text
    # the options of one of them are advice for its own model alone
    for finding in report["insights"]:
        own = report["models"][finding["model"]]["runtime"]
        assert own == "onnxruntime" or "--optimized-model" not in json.dumps(finding)
        assert own == "openvino" or "CACHE_DIR" not in json.dumps(finding)
    sql = "select m.runtime model, s.runtime session from models m join sessions s on s.model_id = m.id order by 1"
    rows = json.loads(lab.plain([lab.inftrace, "query", "--format", "json", recording.path, sql]).out)
    assert rows == [{"model": name, "session": name} for name in sorted(models)]
    shown = json.loads(lab.plain([lab.inftrace, "top", "--json", "--", *three_runtimes]).out.splitlines()[-1])
    assert {(row["model"], row["runtime"], row["runtime_version"], row["inferences"]) for row in shown["models"]} == {
        ("cnn", name, versions[name], 20) for name in models
    }
    assert all(f"{name} {versions[name]}" in shown["processes"][0]["runtime"] for name in models)
    diff = json.loads(lab.plain([lab.inftrace, "diff", "--json", recording.path, recording.path]).out)
    assert [(pair["base_runtime"], pair["new_runtime"]) for pair in diff["models"]] == [
        (model["runtime"],) * 2 for model in report["models"]
    ]


def test_a_killed_recorder_leaves_the_program_and_what_it_wrote(lab, openvino):
    times = lab.path("times")
    program = lab.python(openvino, "ovprogram", "serve", lab.model("cnn"), "--times", times)
    command, path = lab.command(program)
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


def test_an_inference_that_throws_ends_there_with_its_message(lab, each_openvino):
    recording = lab.both(lab.python(each_openvino, "ovprogram", "fails", "--times", lab.path("times"))).recording
    ended = [slice.args["status"] for slice in sorted(recording.inferences, key=lambda slice: slice.start)]
    assert [status == "ok" for status in ended] == [True, False, True, False, True]
    assert all("shape" in status.lower() for status in ended if status != "ok"), ended
    assert inside_own_times(recording, own_times(lab.path("times"))) == []
    (model,) = report_of(lab, recording)[0]["models"]
    assert (model["name"], model["inferences"]["failed"]) == ("reshaper", 2)


def test_a_program_in_cpp_calls_and_starts_inferences_and_some_throw(lab, openvino):
    program, include = lab.path("ovnative"), os.path.join(os.path.dirname(openvino.libs), "include")
    (library,) = glob.glob(os.path.join(openvino.libs, "libopenvino.so.*"))
    flags = ["-std=c++17", "-g", "-I" + include, "-Wl,-rpath," + openvino.libs]
    source = os.path.join(envs.PROGRAMS, "ovnative.cpp")
    subprocess.run(["c++", *flags, "-o", program, source, library], check=True)
    done = lab.both([program, lab.model("cnn")])
    runs = sorted(done.recording.inferences, key=lambda slice: slice.start)
    # OpenVINO keeps the error of `infer` for itself, and its next call repeats the one that failed, before its own
    called = [True, False] * 2 if done.out.count("threw") == 4 else [True, False, True, True, False]
    assert [slice.args["model"] for slice in runs] == ["cnn"] * 10 + ["reshaper"] * (4 + len(called))
    assert ["pool_queue_ns" in slice.args for slice in runs] == [False] * 5 + [True] * 9 + [False] * len(called)
    assert [slice.args["status"] == "ok" for slice in runs] == [True] * 10 + [True, False] * 2 + called
    nodes = collections.Counter(
        node.args["inference"] for node in done.recording.operators if node.args.get("inference")
    )
    assert [nodes[slice.args["inference"]] for slice in runs] == [NODES] * 10 + [1] * (4 + len(called))
    # the lines that asked, below OpenVINO's own frames; of requests that its threads run, too
    with open(source) as file:
        lines = file.read().split("\n")
    told = [slice for slice in runs if "caller" in slice.args]
    assert len(runs) - len(told) <= len(called) - 4  # nobody asked for what is repeated
    pattern = r"(\w+)(?:\(.*\))? \(%s:(\d+)\)" % re.escape(source)
    asked = [re.fullmatch(pattern, slice.args["caller"]) for slice in told]
    assert {match[1] for match in asked} == {"infer"}
    for match, slice in zip(asked, told):
        assert ("start_async" if "pool_queue_ns" in slice.args else "request.infer") in lines[int(match[2]) - 1]
    made = [slice.args["caller"] for slice in done.recording.of("session")]
    assert made and all(re.match(r"request_of\b.* \(%s:\d+\)" % re.escape(source), caller) for caller in made), made


@pytest.mark.in_turn(2)
def test_a_program_in_c_calls_and_starts_inferences(lab, openvino):
    program, include = lab.path("ovnative"), os.path.join(os.path.dirname(openvino.libs), "include")
    libraries = [*glob.glob(os.path.join(openvino.libs, "libopenvino_c.so.*")), "-Wl,-rpath," + openvino.libs]
    source = os.path.join(envs.PROGRAMS, "ovnative.c")
    flags = ["-g", "-I" + include, "-Wl,-rpath-link," + openvino.libs]
    subprocess.run(["cc", *flags, "-o", program, source, *libraries], check=True)
    done = lab.both([program, lab.model("cnn")], level="detail")
    recording = done.recording
    runs = sorted(recording.inferences, key=lambda slice: slice.start)
    assert [slice.args["model"] for slice in runs] == ["cnn"] * 15
    assert ["pool_queue_ns" in slice.args for slice in runs] == [False] * 5 + [True] * 10
    assert len({slice.args["shapes"] for slice in runs}) == 1 and runs[0].args["shapes"].startswith("float32[")
    nodes = collections.Counter(node.args["inference"] for node in recording.operators if node.args.get("inference"))
    executed = int(re.search(r"^executed (\d+)$", done.out, re.M)[1])
    assert executed > 5 and [nodes[slice.args["inference"]] for slice in runs] == [executed] * 15
    with open(source) as file:
        lines = file.read().split("\n")
    asked = [re.fullmatch(r"main \(%s:(\d+)\)" % re.escape(source), slice.args["caller"]) for slice in runs]
    for match, slice in zip(asked, runs):
        assert ("start_async" if "pool_queue_ns" in slice.args else "request_infer") in lines[int(match[1]) - 1]
    assert len(recording.of("session")) == 1 and recording.of("specialize")


@pytest.mark.in_turn(2)
def test_what_auto_and_hetero_run_on_cpus_is_seen_once(lab, each_openvino):
    recording = lab.both(lab.python(each_openvino, "ovprogram", "devices", lab.model("cnn"))).recording
    assert collections.Counter(slice.args["session"] for slice in recording.inferences) == {1: 5, 2: 5, 3: 5}
    nodes = collections.Counter(node.args["inference"] for node in recording.operators if node.args.get("inference"))
    assert list(nodes.values()) == [NODES] * 15


@pytest.mark.alone("it loads every CPU")
@pytest.mark.in_turn(2)
def test_times_are_those_of_the_program_on_busy_cpus(lab, openvino):
    """The thread that calls may lose its CPU when it leaves OpenVINO's own threads, after the request has run."""
    times = lab.path("times")
    program = lab.python(openvino, "ovprogram", "infer", lab.model("long"), "--runs", 60, "--times", times)
    hogs = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3 * len(os.sched_getaffinity(0)))
    ]
    try:
        done = lab.record(program, judged=False)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    check_own_clock(done.recording, own_times(times))


def serve(lab, openvino, model="cnn"):
    times = lab.path("times")
    return Server(lab, lab.python(openvino, "ovprogram", "serve", lab.model(model), "--times", times), times=times)


@pytest.mark.root
def test_a_running_program_is_seen_by_injection(lab, each_openvino):
    server = serve(lab, each_openvino)
    done = attach(lab, "--inject", server.pid, n=100)
    runs, failed = server.end()
    # the last one may go on when the recording ends
    whole = [slice for slice in done.recording.inferences if slice.end and not slice.args.get("partial")]
    assert runs >= 100 and not failed and len(whole) >= 90
    nodes = collections.Counter(
        operator.name for operator in done.recording.operators if operator.args.get("inference")
    )
    assert len(nodes) == NODES and all(name and n >= len(whole) for name, n in nodes.items()), nodes
    # no name that every model of a frontend has
    assert all(re.fullmatch(r"Model\d+ \(onnx\)|chain_net|cnn", slice.args["model"]) for slice in whole)


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_a_running_program_is_seen_from_outside(lab, openvino):
    server = serve(lab, openvino)
    listed = json.loads(lab.plain([lab.inftrace, "ps", "--json"]).out)["programs"]
    (runtime,) = [row for row in listed if row["pid"] == server.pid][0]["runtimes"]
    assert (runtime["name"], runtime["version"]) == ("openvino", openvino.version)
    done = attach(lab, server.pid, n=100)
    server.end()
    assert len(done.recording.inferences) >= 90
    text = report_of(lab, done.recording)[1]
    assert "not recorded: operators" in text


def test_a_build_whose_classes_are_unknown_runs_untouched(lab, openvino):
    """Every class of a node has another name: nothing fits, and the report says so."""
    own = lab.path("environment")
    shutil.copytree(openvino.path, own, symlinks=True)
    path = os.path.join(openvino.libs.replace(openvino.path, own), "libopenvino_intel_cpu_plugin.so")
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data.replace(b"N2ov9intel_cpu4NodeE", b"N2ov9intel_cpu4NudeE"))
    program = lab.python(openvino, "ovprogram", "infer", lab.model("cnn"))
    program[0] = os.path.join(own, "bin", "python")
    recording = lab.both(program).recording
    assert len(recording.inferences) == 5 and not recording.operators
    assert re.search(r"not recorded: operators \(not recognised in this version\)", report_of(lab, recording)[1])
