# SPDX-License-Identifier: Apache-2.0
"""Programs of llama.cpp: each batch with its operators, counted against the nodes of its graphs; the program answers
the same with and without the recorder."""

import collections
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess

import pytest

import envs
from attaching import Server, attach
from conftest import BETWEEN, environment
from lab import children_of, made_once, wait_until
from recording import Growing, Recording

KEYS = ["3.1.1", "newest", *(pytest.param(key, marks=BETWEEN) for key in ("3.4", "3.7", "3.9", "3.14"))]
WITHOUT_WORK = {"NONE", "VIEW", "RESHAPE", "PERMUTE", "TRANSPOSE"}
NODES = 39  # of a graph of the small model, without those that compute nothing and those that are fused
LEFT_OUT = "not recorded: operators (this version does not call them by their names)"


@pytest.fixture(params=KEYS)
def each_llama(request):
    return environment(envs.llama, request.param)


@pytest.fixture
def llama():
    return environment(envs.llama, "newest")


@pytest.fixture(scope="session")
def made(shared):
    """A function that makes a small model, once for all tests: of float32, or of quantized weights."""

    def make(kind):
        tools = environment(envs.gguf)
        options = ["--quantized", "--width", "128"] if kind == "quantized" else []
        program = [tools.python, os.path.join(envs.PROGRAMS, "tinygguf.py")]
        return str(
            made_once(shared / (kind + ".gguf"), lambda path: subprocess.run([*program, path, *options], check=True))
        )

    return make


def command(lab, llama, how, model, *more):
    return lab.python(environment(envs.gguf), "llamaprogram", how, llama.libraries, model, *more)


def report_of(lab, recording):
    text = lab.plain([lab.inftrace, "report", recording.path]).out
    return json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out), " ".join(text.split())


def graphs_of(path):
    """For each graph, how often a type and a name come, of nodes that compute; a fused one goes by its first."""
    with open(path) as file:
        graphs = [
            [line.split("\t") for line in part.splitlines()] for part in file.read().split("\n\n") if part.strip()
        ]
    found = []
    for graph in graphs:
        nodes, skip = [], False
        for i, (kind, name) in enumerate(graph):
            if skip or kind in WITHOUT_WORK:
                skip = False
                continue
            skip = kind == "RMS_NORM" and i + 1 < len(graph) and graph[i + 1][0] == "MUL"
            nodes.append((name, "rms_norm_mul_fused" if skip else kind.lower()))
        found.append(collections.Counter(nodes))
    return found


def test_sizes_of_its_types_are_those_of_the_library(llama):
    base = ctypes.CDLL(llama.base)
    base.ggml_type_name.restype, base.ggml_type_size.restype = ctypes.c_char_p, ctypes.c_size_t
    base.ggml_blck_size.restype = ctypes.c_int64
    own = {}
    with open(os.path.join(envs.HERE, "..", "..", "src", "analyze", "store", "matrix_bytes.c")) as file:
        for name, elements, size in re.findall(r'\{ "(\w+)", (\d+), (\d+) \}', file.read()):
            own[name] = (int(elements), int(size))
    library = {}
    for number in range(40):  # the last one of them is 42
        name = base.ggml_type_name(number)
        if name and base.ggml_blck_size(number):
            library[name.decode()] = (base.ggml_blck_size(number), base.ggml_type_size(number))
    assert len(own) > 25 and {name: library.get(name) for name in own} == own


@pytest.mark.parametrize("kind, threads", [("tiny", 1), ("tiny", 3), ("quantized", 2)])
@pytest.mark.in_turn(3)
def test_operators_are_the_nodes_of_its_graphs(lab, llama, made, kind, threads):
    nodes = lab.path("nodes")
    graphs = lab.binaries.shared("llama_graphs")
    program = command(lab, llama, "infer", made(kind), "--threads", threads, "--graphs", graphs, "--nodes", nodes)
    recording = lab.both(program, level="detail").recording
    own = graphs_of(nodes)
    runs = {slice.args["inference"]: slice for slice in recording.inferences}
    by_run = collections.defaultdict(collections.Counter)
    for operator in recording.operators:
        by_run[operator.args["inference"]][operator.name, operator.args["op_type"]] += 1
        run = runs[operator.args["inference"]]
        assert run.start <= operator.start <= operator.end <= run.end
    assert len(own) == 6 and [by_run[number] for number in sorted(by_run)] == own
    assert {operator.args["provider"] for operator in recording.operators} == {"CPU"}
    assert {operator.args["tid"] for operator in recording.inferences} == {recording.inferences[0].args["tid"]}
    width = 128 if kind == "quantized" else 64
    weights = "q4_0" if kind == "quantized" else "f32"
    shapes = {operator.args["shapes"] for operator in recording.operators if operator.name == "Vcur-0"}
    assert shapes == {"%s[%dx%d],f32[%d%s]" % (weights, width, width, width, n) for n in ("", "x8")}
    report, _ = report_of(lab, recording)
    (multiply,) = [row for row in report["models"][0]["operators"]["nodes"] if row["name"] == "Vcur-0"]
    size = width * width // 32 * 18 if kind == "quantized" else width * width * 4
    calls = multiply["calls"]
    assert multiply["matrix_bytes"] == calls * (size + 4 * width) + (4 * 7 * width if calls == 6 else 0)
    assert multiply["matrix_bytes_per_s"] == pytest.approx(multiply["matrix_bytes"] * 1e9 / multiply["self_ns"], 1e-4)


@pytest.mark.in_turn(2)
def test_batches_contexts_and_models_of_each_version(lab, each_llama, made):
    recording = lab.both(command(lab, each_llama, "infer", made("tiny"))).recording
    batches = [slice.args for slice in sorted(recording.inferences, key=lambda slice: slice.start)]
    assert [(args["batch"], args["shapes"]) for args in batches] == [(8, "int32[8]"), *[(1, "int32[1]")] * 5]
    assert {args["status"] for args in batches} == {"ok"} and {args["model"] for args in batches} == {"tiny"}
    (session,) = recording.of("session")
    (load,) = recording.of("load")
    assert session.start <= load.start <= load.end <= session.end
    report, text = report_of(lab, recording)
    (model,) = report["models"]
    assert (model["name"], model["path"]) == ("tiny", made("tiny"))
    assert model["inferences"]["count"] == 6 and model["creation"]["sessions"] == 1
    assert "runtime llama.cpp" in text and "no runtime was loaded" not in text and "also loaded" not in text
    assert (LEFT_OUT in text) == (not each_llama.calls_operators_by_name)
    assert (len(recording.operators) > 200) == each_llama.calls_operators_by_name
    assert "intra_op_num_threads" not in text


@pytest.mark.in_turn(2)
def test_a_program_that_is_linked_with_it(lab, llama, made):
    binary = lab.path("llama-server")
    source = os.path.join(envs.PROGRAMS, "llama_linked.c")
    libraries = [llama.library, llama.ggml, llama.base, "-Wl,-rpath," + llama.libraries]
    subprocess.run(["cc", "-g", "-o", binary, source, *libraries], check=True)
    recording = lab.both([binary, made("tiny"), llama.libraries]).recording
    batches = sorted(recording.inferences, key=lambda slice: slice.start)
    assert [slice.args["batch"] for slice in batches] == [5, 1, 1]
    assert {slice.args["model"] for slice in batches} == {"tiny"}
    assert len(recording.of("load")) == 1 and len(recording.operators) == 3 * NODES
    assert not report_of(lab, recording)[0]["other_runtimes"]
    with open(source) as file:
        lines = file.read().split("\n")
    called = [re.fullmatch(r"main \(\S*/llama_linked\.c:(\d+)\)", slice.args["caller"]) for slice in batches]
    assert ["llama_decode(" in lines[int(line[1]) - 1] for line in called] == [True] * 3
    assert len({line[1] for line in called}) == 3
    (created,) = [slice.args["caller"] for slice in recording.of("session")]
    assert "llama_init_from_model(" in lines[int(re.fullmatch(r"main \(\S*:(\d+)\)", created)[1]) - 1]


def whole(lab, *options):
    """A program that contains llama.cpp."""
    binary = lab.path("serving")
    source = os.path.join(envs.PROGRAMS, "whole_llama.cpp")
    subprocess.run(["c++", "-std=c++17", "-O1", "-g", *options, "-o", binary, source], check=True)
    return binary


@pytest.mark.parametrize("options", [[], ["-no-pie"], ["-static-libstdc++", "-fcf-protection"]], ids="".join)
def test_a_program_that_contains_it_and_the_names_of_its_functions(lab, options):
    program = [whole(lab, *options), "models/small.gguf"]
    recording = lab.both(program).recording
    batches = sorted(recording.inferences, key=lambda slice: slice.start)
    assert [(slice.args["model"], slice.args["batch"]) for slice in batches] == [("small", n) for n in (5, 1, 1)]
    for run in batches:
        inside = [slice for slice in recording.operators if slice.args["inference"] == run.args["inference"]]
        assert [(slice.name, slice.args["op_type"]) for slice in sorted(inside, key=lambda slice: slice.start)] == [
            ("node-0", "mul_mat"),
            ("node-1", "add"),
        ]
        assert all(run.start <= slice.start <= slice.end <= run.end for slice in inside)
    (session,) = recording.of("session")
    (load,) = recording.of("load")
    assert session.start <= load.start <= load.end <= session.end
    report, text = report_of(lab, recording)
    assert "runtime llama.cpp (ggml 0.0.1)" in text and not report["other_runtimes"]
    (created,) = report["models"][0]["sessions"]
    assert created["released_at_ns"]
    with open(os.path.join(envs.PROGRAMS, "whole_llama.cpp")) as file:
        lines = file.read().split("\n")
    called = [re.fullmatch(r"main \(\S*/whole_llama\.cpp:(\d+)\)", slice.args["caller"]) for slice in batches]
    assert ["llama_decode(" in lines[int(line[1]) - 1] for line in called] == [True] * 3


def test_of_a_program_that_contains_it_level_inference_has_no_operators(lab):
    recording = lab.both([whole(lab), "models/small.gguf"], level="inference").recording
    assert len(recording.inferences) == 3 and not recording.operators


def test_a_program_that_contains_it_without_names_is_named(lab):
    binary = whole(lab, "-s")
    lab.record([binary, "models/small.gguf"], judged=False)
    recording = Recording(lab.path("recording.pftrace"))
    assert not recording.inferences
    assert [found["runtime"] for found in report_of(lab, recording)[0]["other_runtimes"]] == [
        "statically linked llama.cpp"
    ]


def test_a_build_whose_tensors_have_another_layout_runs_untouched(lab, llama, made):
    """A copy in which the function that describes an operator reads it elsewhere, as if it had moved."""
    own = lab.path("libraries")
    shutil.copytree(llama.libraries, own)
    path = os.path.join(own, os.path.basename(llama.base))
    with open(path, "rb") as file:
        data = file.read()
    begin = b"\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x44\x8b\x47"  # mov at(%rdi), %r8d
    if data.count(begin + b"\x50") != 1:
        pytest.skip("this build of ggml_op_desc is another one")
    with open(path, "wb") as file:
        file.write(data.replace(begin + b"\x50", begin + b"\x54"))
    program = lab.python(environment(envs.gguf), "llamaprogram", "infer", own, made("tiny"))
    recording = lab.both(program).recording
    assert len(recording.inferences) == 6 and not recording.operators
    report, text = report_of(lab, recording)
    assert "runtime llama.cpp" in text
    assert "not recorded: operators (tensors have another layout in this version)" in text
    assert any(one["version"] for one in report["runtimes"])


def test_a_program_without_its_library_is_named(lab):
    binary = lab.path("llama-server")
    subprocess.run(["cc", "-x", "c", "-", "-o", binary], input="int main(void) { return 0; }", text=True, check=True)
    lab.record([binary], judged=False)
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", lab.path("recording.pftrace")]).out)
    assert [found["runtime"] for found in report["other_runtimes"]] == ["statically linked llama.cpp"]
    assert report["verdict"].startswith("No inference was recorded: the program loaded statically linked llama.cpp")


@pytest.mark.in_turn(2)
def test_failures_have_the_words_of_the_library(lab, each_llama, made):
    done = lab.both(command(lab, each_llama, "fails", made("tiny")))
    recording = done.recording
    ended = collections.Counter(slice.args["status"] for slice in recording.inferences)
    # b4980 returns -3 where the others return 1
    full = "could not find a KV slot for the batch" if "[0, 0, 1]" in done.out else "fatal error"
    assert ended == {"ok": 8, "invalid input batch": 1, full: 1}
    refused = [slice for slice in recording.of("session") if slice.args["status"] != "ok"]
    assert [slice.args["status"] for slice in refused] == ["the model was not loaded"]


def test_contexts_on_threads_and_in_a_child(lab, llama, made):
    recording = lab.both(command(lab, llama, "threads", made("tiny"), "--threads", 1)).recording
    per_session = collections.Counter(slice.args["session"] for slice in recording.inferences)
    assert sorted(per_session.values()) == [6] * 4
    per_run = collections.Counter(operator.args["inference"] for operator in recording.operators)
    assert len(per_run) == 24 and set(per_run.values()) == {NODES}
    recording = lab.both(command(lab, llama, "fork", made("tiny"), "--threads", 1)).recording
    assert collections.Counter(slice.args["status"] for slice in recording.inferences) == {"ok": 2 + 6 + 6}
    assert len({slice.args["tid"] for slice in recording.inferences}) == 2


def test_a_copy_that_calls_the_functions_of_the_first_one_comes_and_goes(lab, llama, made):
    recording = lab.both(command(lab, llama, "twins", made("tiny"), "--threads", 1)).recording
    per_run = collections.Counter(operator.args["inference"] for operator in recording.operators)
    assert len(per_run) == 18 and set(per_run.values()) == {NODES}


@pytest.mark.root
def test_a_running_program_is_seen_by_injection(lab, llama, made):
    ready = lab.path("ready")
    server = Server(lab, command(lab, llama, "serve", made("tiny"), "--ready", ready, "--threads", 1))
    listed = json.loads(lab.plain([lab.inftrace, "ps", "--json"]).out)["programs"]
    (runtime,) = [row for row in listed if row["pid"] == server.pid][0]["runtimes"]
    assert runtime["name"] == "llama.cpp"
    done = attach(lab, "--inject", server.pid, n=60)
    open(ready, "w").close()
    assert re.search(r"^differ 0$", server.process.stdout.read(), re.M)
    # the recording ends inside the last one, unless the program is between two
    whole = [slice for slice in done.recording.inferences if slice.end and not slice.args.get("partial")]
    per_run = collections.Counter(operator.args["inference"] for operator in done.recording.operators)
    assert len(whole) >= 55 and {per_run[slice.args["inference"]] for slice in whole} == {NODES}
    assert {slice.args["batch"] for slice in whole} == {1, 8}
    assert {slice.args["model"] for slice in whole} == {"tiny"}


def test_a_killed_recorder_leaves_the_program_and_what_it_wrote(lab, llama, made):
    ready = lab.path("ready")
    args, path = lab.command(command(lab, llama, "serve", made("tiny"), "--ready", ready))
    server = Server(lab, args)
    child = children_of(server.pid)[0]  # the recorder reads files in another one
    growing = Growing(path)
    wait_until(lambda: (now := growing.now()) and len(now.inferences) > 50)
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: server.process.poll() is not None)
    os.stat("/proc/%d" % child)
    open(ready, "w").close()
    assert re.search(r"^differ 0$", server.process.stdout.read(), re.M)
    assert len(Recording(path).inferences) > 50


def test_a_prompt_that_was_refused_has_not_been_computed(lab, llama, made):
    """It goes in again, shorter, and is new then; the next one begins as it did."""
    done = lab.both(lab.python(environment(envs.gguf), "llamaagain", llama.libraries, made("tiny")))
    assert done.out.split() == ["False", "True", "True"]
    query = [lab.inftrace, "query", "--format", "json", done.recording.path, "SELECT * FROM generations"]
    rows = json.loads(lab.plain(query).out)
    assert [(row["prompt_tokens"], row["seen_tokens"]) for row in rows] == [(200, None), (200, 192)]
