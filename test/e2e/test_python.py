# SPDX-License-Identifier: Apache-2.0
"""Python wheels of several versions: every run of each kind and every operator, compared with the runtime's own
profiler."""

import collections
import itertools
import json
import os
import shutil
import statistics
import subprocess

import pytest

import envs
import models
from attaching import attach
from conftest import BETWEEN, environment, often
from lab import PATIENCE, inside_own_times, names_and_types, own_times

MODES = ["run", "run_async", "iobinding", "ort_values"]


def times_hold(lab, recording, by_thread=True):
    assert inside_own_times(recording, own_times(lab.path("times")), by_thread) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.in_turn(4)
def test_every_way_to_run_is_seen_with_all_its_operators(lab, two_wheels, mode):
    if mode == "run_async" and two_wheels.minor < 16:
        pytest.skip("onnxruntime %s has no run_async" % two_wheels.version)
    done = lab.both(
        lab.python(two_wheels, "infer", mode, lab.model("chain"), "--pool", 2, "--times", lab.path("times"))
    )
    recording = done.recording
    assert len(recording.inferences) == done.counted[0] == 5
    assert {slice.args["status"] for slice in recording.inferences} == {"ok"}
    assert names_and_types(recording.operators) == sorted(
        ("link_%02d" % i, "Sin" if i % 2 else "Cos") for i in range(20) for _ in range(5)
    )
    times_hold(lab, recording, by_thread=mode != "run_async")


def test_run_async_has_its_time_in_the_queue(lab, two_wheels):
    """Four requests at a time, and one thread in the pool: three wait."""
    if two_wheels.minor < 16:
        pytest.skip("onnxruntime %s has no run_async" % two_wheels.version)
    program = lab.python(two_wheels, "infer", "run_async", lab.model("heavy"), "--pool", 2, "--threads", 4)
    done = lab.both(program + ["--runs", "25", "--times", lab.path("times")])
    queued = [slice.args["pool_queue_ns"] for slice in done.recording.inferences]
    asked = sorted(slice.start - slice.args["pool_queue_ns"] for slice in done.recording.inferences)
    took = [slice.end - slice.start for slice in done.recording.inferences]
    own = own_times(lab.path("times"))
    assert len(queued) == len(own) == 100
    # the program reads its clock before the call, and after it got the interpreter's lock again
    assert statistics.median(mine - begin for mine, begin in zip(asked, sorted(time[0] for time in own))) < 1e6
    assert sum(queued) > 1.5 * sum(took)
    report = lab.plain([lab.inftrace, "report", "--format", "json", done.recording.path]).out
    figures = json.loads(report)["models"][0]["inferences"]["pool_queue"]
    assert figures["count"] == 100 and figures["max_ns"] == max(queued)


def test_three_thousand_requests_at_once_have_their_time_in_the_queue(lab, wheel):
    done = lab.both(lab.python(wheel, "flood", lab.model("cnn"), "--runs", 3000, "--pool", 2))
    queued = [slice.args.get("pool_queue_ns") for slice in done.recording.inferences]
    assert len(queued) == 3000 and None not in queued
    assert max(queued) > 100 * min(queued)


@pytest.mark.parametrize(
    "name,key",
    [
        *(("cnn", key) for key in ["1.9", *envs.WHEELS]),
        *((name, key) for name in ("wide", "loop", "branch", "batch") for key in ("1.15", "newest")),
    ],
)
@pytest.mark.in_turn(4)
def test_operators_are_those_of_the_runtimes_own_profiler(lab, name, key):
    options = ["--parallel"] if name == "wide" else []
    program = lab.python(environment(envs.wheel, key), "infer", "run", lab.model(name), *options)
    recording = lab.both(program).recording
    assert names_and_types(recording.operators) == sorted(lab.profile(program + ["--profile", lab.path("profile")]))


@pytest.mark.parametrize("key", ["newest", "cann"])
@pytest.mark.parametrize("name", ["cnn", "wide", "loop", "branch"])
@pytest.mark.in_turn(4)
def test_operators_of_a_run_lie_inside_it_and_subgraphs_inside_their_operator(lab, key, name):
    wheel = environment(envs.wheel, key)
    recording = lab.record(lab.python(wheel, "infer", "run", lab.model(name))).recording
    runs = {slice.args["inference"]: slice for slice in recording.inferences}
    assert len(runs) == 5
    for operator in recording.operators:
        run = runs[operator.args["inference"]]
        assert run.start <= operator.start <= operator.end <= run.end
    inner = [operator for operator in recording.operators if operator.inside("operator")]
    # A Loop has ten iterations of two operators, an If one operator.
    assert len(inner) == {"loop": 5 * 20, "branch": 5}.get(name, 0)


@pytest.mark.parametrize(
    "key", ["1.15", "newest", *envs.OTHER_WHEELS, *(pytest.param(key, marks=BETWEEN) for key in ("1.18", "1.22"))]
)
@pytest.mark.in_turn(3)
def test_two_sessions_are_told_apart(lab, key):
    """Sessions of a build for training share a provider."""
    each_wheel = environment(envs.wheel, key)
    recording = lab.both(
        lab.python(each_wheel, "infer", "run", lab.model("chain"), "--sessions", 2, "--threads", 2, "--runs", 7)
    ).recording
    created = recording.of("session")
    assert len(created) == 2 and all(slice.end and slice.args["status"] == "ok" for slice in created)
    counts = {}
    for slice in recording.inferences:
        counts[slice.args["session"]] = counts.get(slice.args["session"], 0) + 1
    assert counts == {1: 14, 2: 14}
    for session in (1, 2):
        mine = [slice for slice in recording.inferences if slice.args["session"] == session]
        mine.sort(key=lambda slice: slice.args["id"])
        assert [slice.args["id"] for slice in mine] == list(range(1, 15))
        # of two that overlap, either is first: a thread may lose its CPU between its clock and its record
        assert not any(later.end < slice.start for slice, later in itertools.combinations(mine, 2))
        (first,) = [slice for slice in mine if slice.args.get("first")]
        assert not any(slice.end < first.start for slice in mine)


@pytest.mark.parametrize("key", ["newest", *envs.OTHER_WHEELS])
@pytest.mark.in_turn(2)
def test_sessions_that_run_in_turn_are_told_apart(lab, key):
    models = [lab.model("chain"), lab.model("cnn")]
    recording = lab.both(lab.python(environment(envs.wheel, key), "turns", *models, "--runs", 9)).recording
    inside = collections.Counter(operator.args["inference"] for operator in recording.operators)
    kinds = collections.defaultdict(set)
    for run in recording.inferences:
        kinds[run.args["model"], run.args["session"]].add(inside[run.args["inference"]])
    assert set(kinds) == {("chain", 1), ("cnn", 2)} and kinds["chain", 1] == {20} and len(kinds["cnn", 2]) == 1
    assert len(recording.inferences) == 38


@pytest.mark.in_turn(2)
def test_64_threads_on_one_session_are_all_seen(lab, two_wheels):
    done = lab.both(
        lab.python(
            two_wheels, "infer", "run", lab.model("chain"), "--threads", 64, "--runs", 20, "--times", lab.path("times")
        )
    )
    assert len(done.recording.inferences) == done.counted[0] == 1280
    assert len(done.recording.operators) == 1280 * 20
    assert len({slice.args["tid"] for slice in done.recording.inferences}) == 64
    by_number = sorted(done.recording.inferences, key=lambda slice: slice.args["id"])
    assert [slice.args["id"] for slice in by_number] == list(range(1, 1281))
    # Inferences are numbered as they begin. A later one may come first only if a thread has to wait for a CPU just
    # then.
    ended = 0
    for slice in reversed(by_number):
        assert not ended or slice.start < ended
        ended = min(ended or slice.end, slice.end)
    times_hold(lab, done.recording)


@pytest.mark.in_turn(2)
def test_a_parallel_executor_with_many_callers_loses_no_operator(lab, two_wheels):
    done = lab.both(
        lab.python(two_wheels, "infer", "run", lab.model("wide"), "--parallel", "--threads", 4, "--runs", 100)
    )
    recording = done.recording
    assert len(recording.inferences) == 400
    assert len(recording.of("operator")) == 400 * 33 and recording.lost == 0
    runs = {slice.args["inference"]: slice for slice in recording.inferences}
    per_run = collections.Counter(operator.args["inference"] for operator in recording.operators)
    # A thread of the pool may serve any of several concurrent runs: that may be unknown, but never wrong.
    assert max(per_run.values(), default=0) <= 33
    for operator in recording.operators:
        assert runs[operator.args["inference"]].start <= operator.start
        assert operator.end <= runs[operator.args["inference"]].end


@pytest.mark.in_turn(2)
def test_a_model_from_memory_is_named_and_measured_like_one_from_a_file(lab, two_wheels):
    from_file = lab.both(lab.python(two_wheels, "infer", "run", lab.model("cnn"))).recording
    from_memory = lab.both(lab.python(two_wheels, "infer", "run", lab.model("cnn"), "--bytes"), name="memory").recording
    assert from_file.note("created")["model_path"] == lab.model("cnn")
    assert "model_path" not in from_memory.note("created")
    assert names_and_types(from_file.operators) == names_and_types(from_memory.operators)
    assert {slice.args["model"].split()[0] for slice in from_memory.inferences} == {"cnn"}


CONVERT = """
import sys, onnxruntime
options = onnxruntime.SessionOptions()
options.optimized_model_filepath = sys.argv[2]
options.add_session_config_entry("session.save_model_format", "ORT")
onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
"""


@pytest.mark.parametrize("key", ["1.13", *envs.WHEELS])
@pytest.mark.in_turn(2)
def test_sessions_of_a_model_in_ort_format_are_told_apart_and_named(lab, key):
    wheel, path = environment(envs.wheel, key), lab.path("converted.ort")
    assert lab.plain([wheel.python, "-c", CONVERT, lab.model("chain"), path]).status == 0
    shutil.copy(lab.model("chain")[:-5] + ".npz", path[:-4] + ".npz")
    program = lab.python(wheel, "infer", "run", path, "--sessions", 2, "--threads", 2, "--runs", 6)
    recording = lab.both(program).recording
    runs = collections.Counter(slice.args["session"] for slice in recording.inferences)
    assert len(runs) == 2 and set(runs.values()) == {12}
    assert {slice.args["model"] for slice in recording.inferences} == {"converted"}
    assert {slice.args["provider"] for slice in recording.operators} == {"CPUExecutionProvider"}
    assert len(recording.operators) == 24 * 20


def test_long_names_of_nodes_stay_different(lab, two_wheels):
    recording = lab.both(lab.python(two_wheels, "infer", "run", lab.model("verbose"))).recording
    assert {slice.name for slice in recording.operators} == {"a.module/" * 200 + end for end in "01"}


def test_a_model_at_a_long_path_is_called_by_it(lab, two_wheels):
    path = lab.path(os.path.join(*["a folder with a name of some length %d" % i for i in range(8)], "far.onnx"))
    os.makedirs(os.path.dirname(path))
    for suffix in (".onnx", ".npz"):
        shutil.copy(lab.model("tiny")[:-5] + suffix, path[:-5] + suffix)
    created = lab.both(lab.python(two_wheels, "infer", "run", path)).recording.note("created")
    assert created["model_path"] == path and created["model"] == "far"


def test_a_model_from_a_relative_path_has_its_absolute_path(lab, wheel):
    for end in (".onnx", ".npz"):
        shutil.copy(os.path.join(lab.models, "cnn" + end), lab.path("moved" + end))
    recording = lab.both(lab.python(wheel, "infer", "run", "moved.onnx")).recording
    assert recording.note("created")["model_path"] == lab.path("moved.onnx")


def test_a_run_tag_is_on_the_inference(lab, two_wheels):
    if two_wheels.minor < 17:
        pytest.skip("onnxruntime %s does not hand the run's options to its provider" % two_wheels.version)
    recording = lab.both(lab.python(two_wheels, "infer", "run", lab.model("tiny"), "--tag", 'request 7 "x"')).recording
    assert {slice.args.get("tag") for slice in recording.inferences} == {'request 7 "x"'}


@pytest.mark.in_turn(2)
def test_shapes_of_operators_are_those_of_their_inputs(lab, each_wheel):
    recording = lab.both(lab.python(each_wheel, "infer", "run", lab.model("batch")), level="detail").recording
    shapes = {operator.name: operator.args["shapes"].split("->")[0] for operator in recording.operators}
    assert shapes["add"] == "float32[5x3],float32[3]"
    assert shapes["project"].startswith("float32[5x8]")


@pytest.mark.in_turn(2)
def test_operators_with_others_inside_have_shapes_too(lab, two_wheels):
    expected = {
        "loop": {"loop": "int64[],-,float32[4]", "body_add": "float32[4],float32[4]", "body_go": "bool[]"},
        "scan": {"scan": "float32[4],float32[5x4]", "body_add": "float32[4],float32[4]"},
        "branch": {"choice": "bool[]", "then_op": "float32[4]"},
        "deep": {"if_%d" % depth: "bool[]" for depth in range(1, 18)},
    }
    for model, shapes in expected.items():
        recording = lab.record(
            lab.python(two_wheels, "infer", "run", lab.model(model)), level="detail", name=model
        ).recording
        seen = {name: set() for name in shapes}
        for operator in recording.operators:
            seen.get(operator.name, set()).add(operator.args.get("shapes", "none").split("->")[0])
        assert seen == {name: {text} for name, text in shapes.items()}
        assert all("shapes" in operator.args for operator in recording.operators)


@pytest.mark.in_turn(2)
def test_operators_that_fail_have_shapes_too(lab, each_wheel):
    recording = lab.both(lab.python(each_wheel, "fail", lab.models), level="detail").recording
    failed = [operator for operator in recording.operators if operator.args.get("status", "ok") != "ok"]
    assert {operator.name for operator in failed} == {"thrower", "refuser"}
    assert all("shapes" in operator.args for operator in failed)


def test_what_a_run_cost_its_thread_is_what_it_took(lab, wheel):
    """One thread computes without blocking: its CPU time plus its waits for a CPU equal the elapsed time. The clock and
    the kernel's account are read one after the other. A wait between the two reads, at begin or end, is in only one of
    them."""
    recording = lab.record(
        lab.python(wheel, "infer", "run", lab.model("heavy"), "--runs", 100), level="detail"
    ).recording
    took = sum(slice.end - slice.start for slice in recording.inferences)
    cpu = sum(slice.args["thread_cpu_ns"] for slice in recording.inferences)
    waited = sum(slice.args["run_queue_ns"] for slice in recording.inferences)
    assert 0.7 * took < cpu + waited < 1.3 * took
    assert all(slice.args["thread_cpu_ns"] > 0 for slice in recording.inferences)


def test_strange_names_of_nodes_come_through_unchanged(lab, two_wheels):
    """Except for their length: a name is cut after its first 500 characters."""
    recording = lab.both(lab.python(two_wheels, "infer", "run", lab.model("strange"), "--runs", 2)).recording
    names = {operator.name for operator in recording.operators}
    assert names & set(models.STRANGE_NAMES[:-4] + models.STRANGE_NAMES[-3:]) == names - {
        n for n in names if n[:500] == "a" * 500
    }
    assert len(names) == len(models.STRANGE_NAMES)


def test_nodes_without_a_name_are_seen_with_their_type(lab, two_wheels):
    recording = lab.both(lab.python(two_wheels, "infer", "run", lab.model("unnamed"))).recording
    assert sorted(operator.args["op_type"] for operator in recording.operators) == ["Cos"] * 5 + ["Sin"] * 5
    assert all(operator.name for operator in recording.operators)


@pytest.mark.in_turn(2)
def test_3000_operators_keep_their_names(lab, wheel):
    recording = lab.both(lab.python(wheel, "infer", "run", lab.model("many"), "--runs", 20)).recording
    assert recording.lost == 0
    assert names_and_types(recording.operators) == sorted(
        ("block_%d/node_%d" % (i // 100, i), "Sin" if i % 2 else "Cos") for i in range(3000) for _ in range(20)
    )


@pytest.mark.parametrize(
    "level,key", [("inference", "newest"), ("operator", "newest"), *(("detail", key) for key in envs.WHEELS)]
)
@pytest.mark.in_turn(2)
def test_a_level_shows_what_it_says(lab, key, level):
    wheel = environment(envs.wheel, key)
    recording = lab.both(lab.python(wheel, "infer", "run", lab.model("cnn")), level=level).recording
    assert len(recording.inferences) == 5 and len(recording.of("session")) == 1
    assert bool(recording.operators) == (level != "inference")
    assert recording.note("recording")["level"] == level
    if level == "detail":
        assert all("shapes" in operator.args for operator in recording.operators)


def test_a_session_shows_what_its_creation_was_spent_on(lab, each_wheel):
    recording = lab.record(lab.python(each_wheel, "infer", "run", lab.model("cnn"))).recording
    (session,) = recording.of("session")
    parts = {slice.kind for slice in recording.slices if slice.inside("session") is session}
    assert {"load", "specialize"} <= parts
    for slice in recording.slices:
        if slice.inside("session") is session:
            assert session.start <= slice.start <= slice.end <= session.end
    first = min(recording.inferences, key=lambda slice: slice.start)
    assert session.end <= first.start


@pytest.mark.parametrize("n", often(300, 1000))
def test_sessions_by_the_hundred_are_created_used_and_released(lab, wheel, n):
    done = lab.both(lab.python(wheel, "churn", lab.model("tiny"), "--sessions", n))
    recording = done.recording
    assert recording.lost == 0
    assert len(recording.of("session")) == len(recording.notes("created")) == len(recording.notes("released")) == n
    assert sorted(slice.args["session"] for slice in recording.of("session")) == list(range(1, n + 1))
    assert sorted(slice.args["session"] for slice in recording.inferences) == list(range(1, n + 1))
    assert len(recording.operators) == n


@pytest.mark.in_turn(2)
def test_the_wheel_and_a_second_copy_of_the_runtime_are_both_seen(lab, each_wheel, library):
    recording = lab.both(lab.python(each_wheel, "two_copies", lab.model("chain"), library)).recording
    assert len(recording.of("session")) == 2 and len(recording.inferences) == 10
    assert len(recording.operators) == 10 * 20
    paths = {note.args["path"] for note in recording.notes("runtime")}
    assert paths == {each_wheel.module, library}
    assert {slice.args["session"] for slice in recording.inferences} == {1, 2}


def test_a_program_that_reads_its_input_gets_it(lab, wheel):
    done = lab.both(lab.python(wheel, "read_stdin", lab.model("tiny")), stdin=b"one\ntwo\nthree\n")
    assert [line.split()[0] for line in done.out.splitlines()] == ["one", "two", "three"]
    assert len(done.recording.inferences) == 3


def test_the_runtime_is_named_with_its_version_and_path(lab, each_wheel):
    recording = lab.record(lab.python(each_wheel, "infer", "run", lab.model("tiny"))).recording
    runtime = recording.note("runtime")
    assert (runtime["runtime"], runtime["version"], runtime["path"]) == (
        "onnxruntime",
        each_wheel.version,
        each_wheel.module,
    )
    assert "status" not in runtime, runtime["status"]


def test_profiling_by_the_runtime_itself_goes_on_undisturbed(lab, wheel):
    program = lab.python(wheel, "infer", "run", lab.model("cnn"), "--profile", lab.path("mine"))
    lab.both(program)
    assert lab.profile(program, prefix="mine")


@pytest.mark.parametrize("how", ["wrong", "interrupted", "imported", "traced"])
def test_calls_that_nobody_expects_end_as_without_us(lab, wheel, how):
    """Calls are recorded through the binding's own functions: what these refuse, and what raises, stays the same."""
    done = lab.both(lab.python(wheel, "odd_calls", how, lab.model("cnn"), "--times", lab.path("times")))
    with open(lab.path("times")) as file:
        n = int(file.read())
    ok = [run for run in done.recording.inferences if run.args["status"] == "ok"]
    if how == "interrupted":  # the handler may raise when the call has returned
        assert n <= len(ok) <= n + 20
    else:
        assert len(ok) == n - 1 == 20


def test_recordings_begin_and_end_in_the_calls_of_many_threads(lab, wheel):
    server = lab.start(
        lab.python(wheel, "odd_calls", "many", lab.model("cnn")), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdout.readline() == b"ready\n"
    for _ in range(3):
        done = attach(lab, "--inject", server.pid, n=200)
        assert len(done.recording.inferences) >= 200
        assert {run.args["status"] for run in done.recording.inferences if "status" in run.args} == {"ok"}
    assert server.communicate(timeout=PATIENCE) == (b"done\n", None) and server.returncode == 0
