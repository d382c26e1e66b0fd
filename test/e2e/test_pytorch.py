# SPDX-License-Identifier: Apache-2.0
"""Programs of PyTorch: each outermost call of a module is an inference, with the modules and operators inside it,
counted against PyTorch's own profile; the program answers the same with and without the recorder."""

import collections
import glob
import json
import os
import re
import signal
import subprocess

import pytest

import envs
from attaching import Server, attach
from conftest import environment
from lab import children_of, inside_own_times, own_times, wait_until
from recording import Growing, Recording


@pytest.fixture
def torch():
    return environment(envs.torch, "debian")


def report_of(lab, recording):
    text = lab.plain([lab.inftrace, "report", recording.path]).out
    return json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out), " ".join(text.split())


def query(lab, recording, sql):
    return json.loads(lab.plain([lab.inftrace, "query", "--format", "json", recording.path, sql]).out)


def of_inferences(recording):
    return [operator for operator in recording.operators if operator.args.get("inference")]


def is_operator(slice):
    return "::" in slice.name


@pytest.mark.in_turn(2)
def test_numbers_of_operators_are_not_taken_for_tensors(lab, torch):
    done = lab.both(lab.python(torch, "torchprogram", "stale"), level="detail")
    rows = query(
        lab,
        done.recording,
        "select shapes, count(*) as n from operators where inference_id is not null and name = 'aten::view' group by 1",
    )
    assert {row["shapes"] for row in rows} <= {None, "float32[4096x1]"}
    assert sum(row["n"] for row in rows if row["shapes"]) >= 5 * 40 - 40, rows


@pytest.mark.in_turn(2)
def test_operators_are_those_of_its_own_profiler_which_runs_too(lab, torch):
    program = lab.python(torch, "torchprogram", "infer", "--runs", 7)
    recording = lab.both([*program, "--profile", lab.path("profile"), "--times", lab.path("times")]).recording
    with open(lab.path("profile")) as file:
        own = {name: n for name, n in json.load(file)[0].items() if name.startswith("aten::")}
    counted = collections.Counter(slice.name for slice in of_inferences(recording) if is_operator(slice))
    assert len(own) > 15 and counted == own
    assert len(recording.inferences) == 7
    assert {slice.args["status"] for slice in recording.inferences} == {"ok"}
    assert {slice.args["model"] for slice in recording.inferences} == {"Net"}
    assert inside_own_times(recording, own_times(lab.path("times"))) == []
    layers = collections.Counter(
        (slice.name, slice.args["op_type"]) for slice in of_inferences(recording) if not is_operator(slice)
    )
    assert layers == {
        pair: 7
        for pair in [
            ("stem", "Conv2d"),
            ("blocks", "Sequential"),
            ("blocks.0", "Block"),
            ("blocks.0.conv", "Conv2d"),
            ("blocks.0.act", "ReLU"),
            ("blocks.1", "Block"),
            ("blocks.1.conv", "Conv2d"),
            ("blocks.1.act", "ReLU"),
            ("head", "Linear"),
        ]
    }
    runs = {slice.args["inference"]: slice for slice in recording.inferences}
    for operator in of_inferences(recording):
        run = runs[operator.args["inference"]]
        assert run.start <= operator.start <= operator.end <= run.end


def dims_of(shapes):
    """Of tensors with any, as PyTorch's profiler has them."""
    return [[int(dim) for dim in dims.split("x")] for dims in re.findall(r"\[([^\]]+)\]", shapes or "")]


@pytest.mark.in_turn(2)
def test_a_build_whose_classes_are_unknown_is_known_by_its_door(lab, torch):
    """A copy of its library in which the class by which versions are told has another name."""
    (path,) = glob.glob("/usr/lib/*/libtorch_cpu.so.*.*.*")
    with open(path, "rb") as file:
        data = file.read()
    name = b"\0N5torch3jit13GraphFunctionE\0"
    assert data.count(name) == 1
    soname = ".".join(os.path.basename(path).split(".")[:4])
    with open(lab.path(soname), "wb") as file:
        file.write(data.replace(name, name.replace(b"Function", b"Functiom")))
    program = lab.python(torch, "torchprogram", "infer", "--runs", 7, "--profile", lab.path("profile"))
    recording = lab.both(program, env={"LD_LIBRARY_PATH": os.path.dirname(lab.path(soname))}).recording
    with open(lab.path("profile")) as file:
        own = {name: n for name, n in json.load(file)[0].items() if name.startswith("aten::")}
    assert own == collections.Counter(slice.name for slice in of_inferences(recording) if is_operator(slice))
    assert "runtime pytorch %s" % torch.version in report_of(lab, recording)[1]


@pytest.mark.in_turn(2)
def test_operators_have_the_shapes_of_its_own_profiler(lab, torch):
    program = lab.python(torch, "torchprogram", "infer", "--runs", 30)
    recording = lab.both([*program, "--profile", lab.path("profile")], level="detail").recording
    with open(lab.path("profile")) as file:
        own = collections.Counter(json.dumps(row) for row in json.load(file)[1] if row[0].startswith("aten::"))
    rows = query(
        lab, recording, "select name, shapes from operators where inference_id is not null and name like 'aten::%'"
    )
    counted = collections.Counter(json.dumps([row["name"], *dims_of(row["shapes"])]) for row in rows)
    # those before the agent knows where a runtime keeps them have none
    assert sum((own - counted).values()) == sum((counted - own).values()) < 40, (own - counted, counted - own)
    assert '["aten::conv2d", [2, 3, 16, 16], [4, 3, 3, 3], [4]]' in counted


@pytest.mark.in_turn(2)
def test_the_report_names_runtime_version_model_and_layers(lab, torch):
    recording = lab.both(lab.python(torch, "torchprogram", "infer", "--runs", 20)).recording
    report, text = report_of(lab, recording)
    (model,) = report["models"]
    assert model["name"] == "Net" and model["inferences"]["count"] == 20
    assert model["inferences"]["with_gradients"] == model["inferences"]["in_training_mode"] == 0
    assert "pytorch %s" % torch.version in text and "not recorded" not in text
    # what contains others takes no part of their time: all of them, and the rest, are the whole
    operators = model["operators"]
    assert {"Conv2d", "Block", "aten::conv2d"} <= {row["op_type"] for row in operators["types"]}
    assert sum(row["share_ns"] for row in operators["types"]) == operators["operators_ns"]
    assert operators["operators_ns"] + operators["unattributed_ns"] == operators["wall_ns"]


def by_model(recording):
    runs = collections.defaultdict(list)
    for slice in sorted(recording.inferences, key=lambda slice: slice.start):
        runs[slice.args["model"]].append(slice)
    return runs


@pytest.mark.in_turn(2)
def test_failures_recursion_generators_training_threads_and_scripts(lab, torch):
    recording = lab.both(lab.python(torch, "torchprogram", "tour")).recording
    runs = by_model(recording)
    statuses = [slice.args["status"] for slice in runs["Fussy"]]
    assert [status == "ok" for status in statuses] == [True, False, True, True]
    assert statuses[1].startswith("RuntimeError: mat1 and mat2 shapes cannot be multiplied"), statuses
    inner = [slice for slice in of_inferences(recording) if slice.name == "inner"]
    assert [slice.args.get("status", "ok") == "ok" for slice in inner] == [True, False, True, False]
    assert [slice.args["status"] for slice in runs["Picky"]] == ["ValueError: nothing but zeroes"]
    # 15 calls, of which one is the outermost
    (tree,) = runs["Tree"]
    assert sum(slice.args["inference"] == tree.args["inference"] for slice in of_inferences(recording)) == 14
    # each step of a generator is a call of its own
    assert len(runs["Stream"]) == 1 and len(runs["Linear"]) == 4
    assert len(runs["Trainee"]) == 3
    assert query(lab, recording, "select inference_id as inside from operators where name = 'AddmmBackward0'") == 3 * [
        {"inside": None}
    ]
    per_thread = collections.Counter(slice.args["tid"] for slice in runs["Shared"])
    assert len(per_thread) == 8 and set(per_thread.values()) == {25}
    linear = collections.Counter(slice.args["inference"] for slice in of_inferences(recording))
    assert {linear[slice.args["inference"]] for slice in runs["Shared"]} == {
        linear[runs["Shared"][0].args["inference"]]
    }
    # one model each, however many objects of a class there were
    assert len(runs["Tanh"]) == len(runs["Sigmoid"]) == 50
    assert len({slice.args["session"] for slice in runs["Tanh"]}) <= 33
    script, *checks, traced = runs["Sequential (TorchScript)"]  # torch.jit.trace compares what it has made
    assert len({slice.args["session"] for slice in (script, checks[0], traced)}) == 3
    assert "aten::linear" in {
        slice.name for slice in of_inferences(recording) if slice.args["inference"] == script.args["inference"]
    }


@pytest.mark.alone("it compares medians of microseconds")
@pytest.mark.in_turn(2)
def test_devices_inputs_training_and_habits(lab, torch):
    recording = lab.both(lab.python(torch, "torchprogram", "habits")).recording
    report, _ = report_of(lab, recording)
    models = {model["name"]: model for model in report["models"]}
    kinds = collections.defaultdict(set)
    for insight in report["insights"]:
        kinds[report["models"][insight["model"]]["name"]].add(insight["kind"])
    assert {"gradients", "training_mode"} <= kinds["Careless"]
    assert not {"gradients", "training_mode", "small_operators"} & kinds["Careful"]
    assert "small_operators" in kinds["Chatty"]
    assert "small_operators" not in kinds["Converts"] | kinds["Computes"]
    assert "moves_layout" in kinds["Converts"] and "moves_layout" not in kinds["Chatty"]
    advice = " ".join(insight["next"] for insight in report["insights"])
    assert "torch.inference_mode()" in advice and "model.eval()" in advice
    # two inferences went into each backward pass
    training = models["Careful"]["training"]
    assert (training["inferences"], training["backward_passes"]) == (10, 5) and training["backward_ns"] > 0
    assert {name for name, model in models.items() if model["training"]} == {"Careful"}
    text = lab.plain([lab.inftrace, "report", "--model", "Careful", recording.path]).out
    assert "Careful: 40 inferences (10 of training) on cpu" in text
    assert "10 of 40 inferences went into 5 backward passes" in text
    sizes = query(lab, recording, "select shapes, count(*) as n from inferences where model = 'Careful' group by 1")
    assert {row["shapes"]: row["n"] for row in sizes} == {"float32[2x64]": 30, "float32[32x64]": 10}
    devices = query(
        lab,
        recording,
        "select o.name as name, o.provider as device, count(*) as n from operators o join inferences i on i.id = "
        "o.inference_id where i.model = 'Mixed' and o.name in ('here', 'away') group by 1, 2",
    )
    assert {(row["name"], row["device"]): row["n"] for row in devices} == {
        ("here", "cpu"): 30,
        ("here", "meta"): 3,
        ("away", "meta"): 33,
    }
    marks = query(
        lab,
        recording,
        "select model, sum(has_gradients) as gradients, sum(is_training_mode) as trains from inferences group by 1",
    )
    assert {row["model"]: (row["gradients"], row["trains"]) for row in marks} == {
        "Careless": (30, 30),
        "Careful": (10, 10),
        "Chatty": (0, 0),
        "Computes": (0, 0),
        "Converts": (0, 0),
        "Mixed": (0, 0),
    }


def test_children_of_fork_and_workers_of_a_loader(lab, torch):
    recording = lab.both(lab.python(torch, "torchprogram", "fork")).recording
    per_process = collections.Counter(slice.track.pid for slice in recording.inferences)
    assert sorted(per_process.values()) == [2, 5, 5]
    # the workers put batches together
    stacks = query(lab, recording, "select count(*) as n from operators where name = 'aten::stack' group by process_id")
    assert [row["n"] for row in stacks] == [1, 1]


@pytest.mark.in_turn(2)
def test_level_inference_leaves_out_what_is_inside(lab, torch):
    recording = lab.both(lab.python(torch, "torchprogram", "infer"), level="inference").recording
    assert len(recording.inferences) == 5 and not recording.operators


@pytest.mark.in_turn(2)
def test_an_inference_of_another_runtime_lies_inside(lab, torch, wheel):
    (folder,) = glob.glob(os.path.join(wheel.path, "lib/python3*/site-packages"))
    program = lab.python(torch, "torchprogram", "nested", "--folder", folder, "--model", lab.model("cnn"))
    recording = lab.both(program).recording
    runs = by_model(recording)
    assert {name: len(slices) for name, slices in runs.items()} == {"Asks": 5, "cnn": 5}
    operators = collections.defaultdict(set)
    for operator in of_inferences(recording):
        operators[operator.args["inference"]].add(operator.args["provider"])
    for outer, inner in zip(runs["Asks"], runs["cnn"], strict=True):
        assert outer.start <= inner.start <= inner.end <= outer.end
        assert operators[outer.args["inference"]] == {"cpu"}
        assert operators[inner.args["inference"]] == {"CPUExecutionProvider"}
    # what ONNX Runtime refuses inside is no failure of the module around it
    assert {run.args["status"] for slices in runs.values() for run in slices} == {"ok"}
    (refused,) = query(lab, recording, "select count(*) as n from sessions where is_failed = 1")
    assert refused["n"] == 5


def serve(lab, torch):
    times = lab.path("times")
    return Server(lab, lab.python(torch, "torchprogram", "serve", "--times", times), times=times)


@pytest.mark.root
def test_a_running_program(lab, torch):
    server = serve(lab, torch)
    listed = json.loads(lab.plain([lab.inftrace, "ps", "--json"]).out)["programs"]
    (row,) = [row for row in listed if row["pid"] == server.pid]
    (runtime,) = row["runtimes"]
    assert runtime["name"] == "pytorch" and runtime["version"].startswith(torch.version)
    done = lab.plain([lab.inftrace, "attach", str(server.pid), "-o", lab.path("probes.pftrace")])
    assert done.status == 3 and "probes cannot see PyTorch; add --inject" in done.err
    # it finds its way through the program's modules first; what runs meanwhile is called partial
    done = attach(lab, "--inject", server.pid, n=600)
    runs, failed = server.end()
    whole = [slice for slice in done.recording.inferences if not slice.args.get("partial")]
    assert runs >= 100 and not failed and len(whole) >= 90
    assert {slice.args["model"] for slice in whole} == {"Net"}
    counted = collections.Counter(slice.args["inference"] for slice in of_inferences(done.recording))
    assert len({counted[slice.args["inference"]] for slice in whole[1:-1]}) == 1


def test_a_killed_recorder_leaves_the_program_and_what_it_wrote(lab, torch):
    times = lab.path("times")
    command, path = lab.command(lab.python(torch, "torchprogram", "serve", "--times", times))
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


WHEELS = pytest.mark.full("a wheel of PyTorch has more than 500 MB")


@pytest.fixture(params=[pytest.param(key, marks=WHEELS) for key in envs.TORCH_WHEELS])
def torch_wheel(request):
    return environment(envs.torch, request.param)


def test_a_wheel_has_the_operators_of_its_own_profiler(lab, torch_wheel):
    program = lab.python(torch_wheel, "torchprogram", "infer", "--runs", 7)
    recording = lab.both([*program, "--profile", lab.path("profile")]).recording
    with open(lab.path("profile")) as file:
        own = {name: n for name, n in json.load(file)[0].items() if name.startswith("aten::")}
    assert own == collections.Counter(slice.name for slice in of_inferences(recording) if is_operator(slice))
    assert [slice.args["model"] for slice in recording.inferences] == ["Net"] * 7
    assert "pytorch %s" % torch_wheel.version in report_of(lab, recording)[1]


def test_what_torch_compile_compiles(lab, torch_wheel):
    recording = lab.both([*lab.python(torch_wheel, "torchcompile"), "--profile", lab.path("profile")]).recording
    with open(lab.path("profile")) as file:
        own = json.load(file)
    rows = query(
        lab,
        recording,
        "select p.name as name, p.model as model, p.status as status, p.reason as reason, i.begin_ns <= p.begin_ns and "
        "p.end_ns <= i.end_ns as inside from phases p join inferences i on i.id = p.parent_id where kind = "
        "'specialize' order by p.begin_ns",
    )
    assert all(row["inside"] and row["name"].startswith("torch.compile ") for row in rows)
    done = collections.Counter(row["model"] for row in rows if row["status"] == "ok")
    functions = ("add", "Runner.step")
    known = {name + " (torch.compile)": own[name] for name in ("Net", "Pieces", *functions)}
    assert {**known, "Plain": own["Plain"]}.items() <= done.items()
    runs = query(lab, recording, "select model, status, shapes from inferences")
    counted = collections.Counter((run["model"], run["status"]) for run in runs)
    assert [counted[name + " (torch.compile)", "ok"] for name in functions] == [2, 2]
    assert counted["Plain", "ok"] == 3 and counted["broken (torch.compile)", "ValueError: no luck"] == 2
    assert sum(counted.values()) == 7 + 3 + 2 + 2 * 2 + 3 + 2
    assert {run["shapes"] for run in runs if run["model"] == "add (torch.compile)"} == {"float32[2x8]"}
    refused = [row["status"] for row in rows if row["model"] == "Refused (torch.compile)"]
    assert refused and all(status.startswith("Unsupported") for status in refused)
    first, *again = [row for row in rows if row["model"] == "Net (torch.compile)"]
    assert first["name"] == "torch.compile forward (torchcompile.py)"
    if torch_wheel.version != "2.0":  # which keeps the reason to itself
        assert not first["reason"] and all("size mismatch at index 0" in row["reason"] for row in again)
    report, text = report_of(lab, recording)
    (net,) = [model for model in report["models"] if model["name"] == "Net (torch.compile)"]
    assert net["compilations"]["count"] == own["Net"] and net["compilations"]["total_ns"] > 0
    assert "compiled 3 times while inferences ran" in text


@pytest.mark.root
def test_a_running_program_of_a_compiled_function(lab, torch_wheel):
    """It is in a call when the agent comes, whose rest is no inference: what it calls inside has not failed."""
    server = Server(lab, lab.python(torch_wheel, "torchcompile", "--serve"))
    done = attach(lab, "--inject", server.pid)
    assert server.end()[0] >= 200
    runs = query(lab, done.recording, "select distinct model, status from inferences where status is not null")
    assert runs == [{"model": "Runner.step (torch.compile)", "status": "ok"}]


SCRIPT_FAILED = "The following operation failed in the TorchScript interpreter."
COMPILED = "select model, name, count(*) as n from phases where kind = 'specialize' group by 1, 2 order by 1, 2"


def script_of(lab, torch):
    path = lab.path("net.ts")
    lab.plain(lab.python(torch, "torchscript", path, "make"))
    return path


def judge_scripts(lab, torch):
    recording = lab.both(lab.python(torch, "torchscript", script_of(lab, torch))).recording
    rows = query(lab, recording, "select model, shapes, status from inferences order by begin_ns")
    net, twice, add, outer, inner = (name + " (TorchScript)" for name in ("Net", "Net.twice", "add", "outer", "inner"))
    assert [(row["model"], row["shapes"], row["status"] == "ok") for row in rows] == [
        *((net, "float32[%dx8]" % n, True) for n in (2, 2, 3)),
        (twice, "float32[3]", True),
        *((add, "float32[%dx8]" % n, True) for n in (2, 2, 3)),
        (net, "float32[2x9]", False),
        *((outer, "float32[%dx4]" % n, True) for n in (2, 2, 3)),
        (inner, "float32[5]", True),
    ]
    assert rows[7]["status"].startswith("RuntimeError: " + SCRIPT_FAILED)
    compiled = query(lab, recording, COMPILED)
    both = ("TorchScript optimized", "TorchScript to profile")
    assert [(row["model"], row["name"]) for row in compiled] == [
        *((net, name) for name in both),
        (twice, both[1]),
        *((add, name) for name in both),
        (inner, both[1]),
        *((outer, name) for name in both),
    ]


@pytest.mark.in_turn(2)
def test_scripts_and_what_compiles_them(lab, torch):
    judge_scripts(lab, torch)


def test_scripts_of_a_wheel(lab, torch_wheel):
    judge_scripts(lab, torch_wheel)


@pytest.mark.in_turn(2)
def test_thousands_of_scripts_have_their_names(lab, torch):
    n = 4200  # more than the agent has room for
    recording = lab.record(lab.python(torch, "torchmany", lab.path(""), n), level="inference").recording
    runs = collections.Counter((slice.args["model"], slice.args.get("session")) for slice in recording.inferences)
    assert {name for name, _ in runs} == {"torchmany_functions.f%d (TorchScript)" % number for number in range(n)}
    assert len(runs) == n and set(runs.values()) == {2}


@pytest.mark.full("a program that includes PyTorch's headers takes a minute to compile")
def test_scripts_of_a_program_in_cpp(lab, torch):
    if not os.path.exists("/usr/include/torch/script.h"):
        pytest.skip("PyTorch's headers are not installed")
    binary = lab.path("scripted")
    source = os.path.join(envs.PROGRAMS, "torchscript.cpp")
    subprocess.run(["c++", "-o", binary, source, "-ltorch", "-ltorch_cpu", "-lc10"], check=True)
    recording = lab.both([binary, script_of(lab, torch)]).recording
    rows = query(lab, recording, "select model, shapes, status from inferences order by begin_ns")
    net = "Net (TorchScript)"
    assert [(row["model"], row["shapes"], row["status"].split("\n")[0]) for row in rows] == [
        *((net, "float32[%dx8]" % n, "ok") for n in (2, 2, 4)),
        (net, "float32[2x9]", SCRIPT_FAILED),
        ("Net.twice (TorchScript)", "float32[2x8]", "ok"),
    ]
    assert [row["n"] for row in query(lab, recording, COMPILED)] == [1, 1, 1]
    counted = collections.Counter(slice.name for slice in of_inferences(recording))
    assert (counted["aten::linear"], counted["aten::relu"]) == (4, 3)


@pytest.mark.parametrize("key", [pytest.param(key, marks=WHEELS) for key in ("2.6", "newest")])
def test_a_model_that_was_compiled_ahead_of_time(lab, key):
    wheel, package = environment(envs.torch, key), lab.path("small.pt2")
    lab.plain(lab.python(wheel, "torchahead", "make", package))
    recording = lab.both(lab.python(wheel, "torchahead", "run", package)).recording
    rows = query(lab, recording, "select model, shapes, status from inferences order by begin_ns")
    name = "model (AOTInductor)" if key == "2.6" else "small (AOTInductor)"  # which has no folder of the file's name
    failed = "the compiled model failed"
    alone = [("2x8", "ok"), ("2x8", "ok"), ("3x8", "ok"), ("2x9", failed)]
    assert [tuple(row.values()) for row in rows] == [
        *((name, "float32[%s]" % shape, status) for shape, status in alone),
        ("Around", "float32[4x8]", "ok"),
        ("GraphModule", "float32[2x8]", "ok"),
        ("GraphModule", "float32[3x8]", "ok"),
    ]
    (made,) = query(lab, recording, "select status, inferences from sessions where model like '%AOTInductor%'")
    assert made == {"status": "ok", "inferences": 4}
    inside = query(lab, recording, "select distinct model from operators where inference_id is not null")
    assert {row["model"] for row in inside} == {name, "Around", "GraphModule"}
    many = lab.both(lab.python(wheel, "torchahead", "many", package), name="many").recording
    assert 10 < len(many.inferences) < 25
    assert many.note("stopped")["source"] == "further models of AOTInductor"


def test_arguments_that_nobody_expects(lab, torch):
    """Each tensor is found once, however it comes, and no code of the program runs for it."""
    recording = lab.both(lab.python(torch, "torchodd"), level="inference").recording
    rows = query(lab, recording, "select shapes from inferences order by begin_ns")
    alone = {n: "float32[%dx2]" % n for n in range(2, 11)}
    alone[7] += ",float32[7x3]"
    # behind 16 each shape once; of more than 8 the rest as of no shape
    many = [",".join("float32[11x%d]" % i for i in range(23)) + ",-*17", "float32[12x2]," * 16 + "float32[12x2]*84"]
    assert [row["shapes"] for row in rows] == [*alone.values(), *many]
