# SPDX-License-Identifier: Apache-2.0
"""inftrace-run with real runtimes: versions, providers, inputs, load, crashes."""

import glob
import json
import os
import re
import resource
import shutil
import signal
import statistics
import struct
import subprocess
import time

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import envs
from conftest import environment

INFERENCE = r"then (\d+): min ([0-9.]+), p50 ([0-9.]+), p90 ([0-9.]+), p99 ([0-9.]+), max ([0-9.]+) ms"


class Run:
    """The output of inftrace-run."""

    def __init__(self, done):
        self.status, self.out, self.err = done.status, done.out, done.err

    def lines(self, kind):
        return [line[len(kind) :].strip() for line in self.out.splitlines() if line.startswith(kind + " ")]

    @property
    def counts(self):
        """The number of measured inferences of each group of shapes."""
        return [int(re.search(INFERENCE, line).group(1)) for line in self.lines("latency")]

    @property
    def placed(self):
        return {line.split()[-1]: int(line.split()[0]) for line in self.lines("placed") if line[0].isdigit()}


def runner(lab):
    return os.path.join(os.path.dirname(lab.inftrace), "inftrace-run")


def run(lab, model, *args, runtime=None, env=None, **more):
    path = model if "/" in model else lab.model(model)
    command = [runner(lab), path, *[str(arg) for arg in args]]
    if runtime:
        command += ["--runtime", runtime]
    return Run(lab.plain(command, env=env, **more))


def ok(lab, model, *args, **more):
    done = run(lab, model, *args, **more)
    assert done.status == 0, done.err
    return done


def parent(lab, model, *args, capacity=1000000, env=None, **more):
    """Runs inftrace-run with its result in memory shared with a parent."""
    path = model if "/" in model else lab.model(model)
    done = lab.plain(
        [lab.binaries.run_parent(), str(capacity), runner(lab), path, *[str(arg) for arg in args]], env=env, **more
    )
    assert done.status == 0, done.err
    return dict(line.split(" ", 1) for line in done.out.splitlines() if " " in line)


def save(lab, name, nodes, inputs, outputs, opset=13, initializers=()):
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 7 if opset < 20 else 10
    path = lab.path(name + ".onnx")
    onnx.save(model, path)
    return path


# ---- versions


@pytest.mark.in_turn(3)
def test_every_runtime_from_1_14_on_runs_a_model(lab, each_library):
    done = ok(lab, "cnn", "-t", "200ms", runtime=each_library)
    version, path = done.lines("runtime")[0].split()[:2]
    assert path == os.path.realpath(each_library)
    assert re.match(r"1\.\d+\.\d+$", version)
    assert done.lines("output") == ["y float32[1,10]"]
    assert done.counts[0] > 10
    phases = [
        line.split()[0] for line in done.out.splitlines() if re.match(r"[a-z-]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$", line)
    ]
    assert phases == [
        "load-runtime",
        "environment",
        "libraries",
        "session",
        "inputs",
        "first",
        "warm-up",
        "steady",
        "unload",
    ]
    if int(version.split(".")[1]) >= 24:
        assert done.placed == {"CPUExecutionProvider": 11}


@pytest.mark.parametrize("key", ["1.15", "1.18"])
def test_a_wheel_that_keeps_the_runtime_in_its_python_module_is_used_without_python(lab, key):
    wheel, node = environment(envs.wheel, key), environment(envs.node_package, "1.17")
    for named in (wheel.path, wheel.module):
        done = ok(lab, "cnn", "--iterations", 20, "--outputs", lab.path("of-" + os.path.basename(named)), runtime=named)
        assert done.lines("runtime")[0].startswith(wheel.version + " " + os.path.realpath(wheel.module))
        assert done.lines("provider") == ["CPUExecutionProvider"] and done.counts == [20]
    ok(lab, "cnn", "--iterations", 1, "--outputs", lab.path("of-node"), runtime=node.library)
    theirs, ours = (
        open(glob.glob(lab.path(folder) + "/*.npy")[0], "rb").read()
        for folder in ("of-node", "of-" + os.path.basename(wheel.path))
    )
    ours, theirs = struct.unpack("<10f", ours[-40:]), struct.unpack("<10f", theirs[-40:])
    assert max(map(abs, theirs)) > 0 and max(abs(a - b) for a, b in zip(ours, theirs)) < 1e-5


def test_a_module_that_is_none_is_refused(lab):
    module = lab.path("onnxruntime_pybind11_state.so")
    open(module, "w").write("no module")
    done = run(lab, "cnn", runtime=module)
    assert done.status == 3 and "its dynamic symbols cannot be read" in done.err
    shutil.copy(lab.binaries.shared("bad_library"), module)
    done = run(lab, "cnn", runtime=module)
    assert done.status == 3 and "C API table was not found in this Python module" in done.err


def test_what_a_version_does_not_have_is_said_with_the_version_that_has_it(lab):
    old = environment(envs.node_package, "1.14").library
    for args, since in (
        (["--policy", "prefer-npu"], "1.22"),
        (["--compile", "x.onnx"], "1.22"),
        (["--deterministic"], "1.17"),
        (["--ep-library", "qnn=/nowhere.so", "-e", "qnn"], "1.22"),
        (["--list-devices"], "1.22"),
    ):
        done = run(lab, "cnn", *args, runtime=old)
        assert done.status == 3
        assert "this needs ONNX Runtime %s, and this is 1.14.0" % since in done.err


def test_a_model_that_does_not_take_made_up_sizes_says_which_to_give(lab, wheel):
    like = lambda name, *dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    weights = numpy_helper.from_array(np.ones((3, 4), np.float32), "w")
    path = save(
        lab,
        "free",
        [helper.make_node("MatMul", ["x", "w"], ["m"], name="product"), helper.make_node("Add", ["m", "a"], ["y"])],
        [like("x", "batch", None), like("a", "batch", 4)],
        [like("y", None, None)],
        initializers=[weights],
    )
    done = run(lab, path, runtime=wheel.path)
    assert done.status == 3
    assert " node 'product" in done.err and "Non-zero" not in done.err
    assert (
        "(free dimensions default to size 1, here of x: batch, dimension 1; a: batch; set them with --dim or --shape)"
        in done.err
    )
    ok(lab, path, "--shape", "x=2x3", "--dim", "batch=2", "--iterations", 3, runtime=wheel.path)


# ---- where runtimes are found


def found(lab, env):
    done = run(lab, "tiny", "-r", 1, env=env)
    return done.lines("runtime")[0] if done.status == 0 else done.err


def test_a_runtime_is_found_where_it_is_installed(lab, wheel):
    node = environment(envs.node_package, "1.22")
    alone = {"PATH": "/usr/bin:/bin", "HOME": lab.folder}
    assert "INFTRACE_ORT" in found(lab, dict(alone, INFTRACE_ORT=wheel.path))
    assert "Python in %s" % wheel.path in found(lab, dict(alone, VIRTUAL_ENV=wheel.path))
    assert "Python in %s" % wheel.path in found(lab, dict(alone, PATH=wheel.path + "/bin:/usr/bin:/bin"))
    assert "Node in" in found(lab, dict(alone, NODE_PATH=os.path.join(node.path, "node_modules")))
    assert "the loader's path" in found(lab, dict(alone, LD_LIBRARY_PATH=os.path.dirname(node.library)))
    # an old wheel, which has the runtime inside its Python module
    old = environment(envs.wheel, "1.18")
    both = dict(alone, VIRTUAL_ENV=old.path, NODE_PATH=os.path.join(node.path, "node_modules"))
    assert os.path.realpath(old.module) in found(lab, both)


def test_a_runtime_that_was_named_is_not_replaced_by_another(lab, wheel):
    old = environment(envs.wheel, "1.18")
    done = ok(lab, "tiny", "-r", 1, runtime=old.path, env={"VIRTUAL_ENV": wheel.path})
    assert done.lines("runtime")[0].startswith("1.18.1 ")


def test_what_was_named_counts_and_not_the_environment(lab, wheel):
    assert ok(lab, "tiny", "-r", 1, runtime=wheel.path, env={"INFTRACE_ORT": "/nowhere"}).lines("runtime")
    done = run(lab, "tiny", "-r", 1, env={"INFTRACE_ORT": "/nowhere"})
    assert done.status == 3 and "cannot use /nowhere as the runtime (INFTRACE_ORT)" in done.err


def test_a_folder_may_have_any_name(lab, wheel):
    os.symlink(wheel.path, lab.path("[a]*?\\"))
    assert lab.path("") and ok(lab, "tiny", "-r", 1, runtime=lab.path("[a]*?\\")).lines("runtime")


def test_looking_for_a_runtime_reads_no_other_one(lab, wheel):
    """Time and memory are those of loading this runtime alone."""
    other = environment(envs.wheel, "1.22")
    traced = (
        lab.plain(
            [
                "strace",
                "-f",
                "-e",
                "trace=openat",
                "-o",
                lab.path("trace"),
                runner(lab),
                lab.model("tiny"),
                "-r",
                "1",
                "--warm-up-max",
                "0",
                "--runtime",
                wheel.path,
            ],
            env={"VIRTUAL_ENV": other.path},
        )
        if shutil.which("strace")
        else pytest.skip("no strace here")
    )
    assert traced.status == 0, traced.err
    opened = [line for line in open(lab.path("trace")) if "libonnxruntime.so" in line and "ENOENT" not in line]
    assert opened and not [line for line in opened if os.path.realpath(other.path) in line]


def test_all_runtimes_are_listed_and_a_broken_one_harms_nobody(lab, wheel):
    old, node = environment(envs.wheel, "1.18"), environment(envs.node_package, "1.22")
    crash = lab.binaries.shared("bad_library", ["-DAT_CALL"])
    empty = lab.path("libonnxruntime.so.1.99")
    open(empty, "w").write("no library")
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": lab.folder,
        "VIRTUAL_ENV": wheel.path,
        "PYTHONPATH": os.path.dirname(old.module) + "/../..",
        "NODE_PATH": os.path.join(node.path, "node_modules"),
        "LD_LIBRARY_PATH": lab.folder,
    }
    os.symlink(crash, lab.path("libonnxruntime.so.2"))
    done = Run(lab.plain([runner(lab), "--list-runtimes"], env=env))
    assert done.status == 0, done.err
    assert [line.split()[0] for line in done.lines("runtime")] == ["1.99", "?", wheel.version, "1.18.1", node.version]
    assert done.lines("provider").count("CPUExecutionProvider") == 3
    broken, text = [line for line in done.out.splitlines() if line.startswith("not usable")]
    assert {"signal 11" in broken, "signal 11" in text} == {True, False}


# ---- providers


def test_the_provider_inside_a_runtime_takes_the_nodes(lab):
    openvino = environment(envs.wheel, "openvino")
    done = ok(lab, "cnn", "-e", "openvino", "-i", "device_type=CPU", "-t", "300ms", runtime=openvino.path)
    assert done.placed == {"OpenVINOExecutionProvider": 11}
    # With a device that does not exist, the provider is listed and every node runs on the CPU.
    done = ok(lab, "cnn", "-e", "openvino", "-i", "device_type=NONSENSE", "-r", 5, runtime=openvino.path)
    assert "no node on OpenVINOExecutionProvider" in done.lines("placed")
    done = run(lab, "cnn", "-e", "openvino", "-i", "nonsense=1", runtime=openvino.path)
    assert done.status == 3 and "Invalid provider_option key: nonsense" in done.err


def test_a_plugin_in_a_python_package_is_found_and_takes_the_nodes(lab):
    qnn = environment(envs.plugin, "qnn")
    done = ok(
        lab,
        "cnn",
        "-e",
        "qnn",
        "-t",
        "200ms",
        "--warm-up-max",
        "1s",
        "--ep-profile",
        "detailed",
        "--ep-profile-dir",
        "profile",
        runtime=qnn.path,
    )
    assert list(done.placed) == ["QNNExecutionProvider"]
    assert "libQnnHtp.so" in done.lines("provider")[0]
    table = open(lab.path("profile/qnn-profile.csv")).read()
    assert "FINALIZE" in table and ",NODE," in table


def test_operators_of_a_plugin_are_seen_when_it_is_recorded(lab):
    qnn = environment(envs.plugin, "qnn")
    done = lab.record(
        [runner(lab), lab.model("cnn"), "-e", "qnn", "-r", "10", "--warm-up-max", "0.2s", "--runtime", qnn.path]
    )
    assert done.status == 0, done.err
    assert {operator.args["provider"] for operator in done.recording.operators} == {"QNNExecutionProvider"}


def test_a_model_is_compiled_once_and_run(lab):
    qnn = environment(envs.plugin, "qnn")
    args = ["-e", "qnn", "-r", 5, "--warm-up-max", "0.2s"]
    done = ok(lab, "cnn", *args, "--compile", "compiled.onnx", runtime=qnn.path)
    compiled = onnx.load(lab.path("compiled.onnx"))
    assert [node.op_type for node in compiled.graph.node] == ["EPContext"]
    assert done.placed == {"QNNExecutionProvider": 1}
    assert ok(lab, lab.path("compiled.onnx"), *args, runtime=qnn.path).placed == {"QNNExecutionProvider": 1}


def test_the_openvino_plugin_runs_where_its_hardware_is(lab):
    openvino = environment(envs.plugin, "openvino")
    done = run(lab, "cnn", "-e", "openvino", "-t", "200ms", runtime=openvino.path)
    if done.status and "finds no device" in done.err:
        pytest.skip("the OpenVINO plugin wants a processor of Intel")
    assert done.status == 0, done.err
    assert list(done.placed) == ["OpenVINOExecutionProvider"]


def test_extensions_that_the_runtime_was_built_without_are_refused(lab, wheel):
    done = run(lab, "custom", "-X", runtime=wheel.path)
    assert done.status == 3 and "give their library to --custom-ops" in done.err


def test_a_plugin_whose_device_is_missing_is_refused(lab):
    webgpu = environment(envs.plugin, "webgpu")
    if glob.glob("/sys/class/drm/card*"):
        pytest.skip("there is a GPU")
    done = run(lab, "cnn", "-e", "webgpu", runtime=webgpu.path)
    assert done.status == 3 and "libonnxruntime_providers_webgpu.so finds no device for it on this machine" in done.err


def test_devices_are_listed_with_their_provider(lab):
    qnn = environment(envs.plugin, "qnn")
    done = Run(lab.plain([runner(lab), "--list-devices", "--runtime", qnn.path]))
    devices = [line for line in done.out.splitlines() if line.startswith("device")]
    assert any("CPUExecutionProvider on cpu" in line for line in devices)
    assert any("QNNExecutionProvider on cpu" in line for line in devices)


def test_filters_that_leave_no_device_are_refused(lab):
    qnn = environment(envs.plugin, "qnn")
    for args in (["--filter-device", "type=npu"], ["--select-devices", "0"]):
        done = run(lab, "cnn", "-e", "qnn", *args, runtime=qnn.path)
        assert done.status == 3 and "exclude all of its 1 device" in done.err


def test_the_runtime_may_choose(lab, wheel):
    done = ok(lab, "cnn", "--policy", "max-efficiency", "-r", 10, runtime=wheel.path)
    assert done.placed == {"CPUExecutionProvider": 11}


def test_a_provider_that_the_runtime_chooses_gets_its_options(lab):
    qnn = environment(envs.plugin, "qnn")
    args = ["--policy", "prefer-npu", "-r", 5, "--warm-up-max", 0]
    # its backend is beside its library
    assert list(ok(lab, "cnn", *args, runtime=qnn.path).placed) == ["QNNExecutionProvider"]
    # an option reaches it: without a backend it accepts no node
    assert list(ok(lab, "cnn", *args, "-i", "qnn:backend_path=/nowhere.so", runtime=qnn.path).placed) == [
        "CPUExecutionProvider"
    ]


def test_an_option_that_is_nobodys_is_refused(lab, wheel):
    for args, words in (
        (["-e", "cpu", "-i", "qnn:x=y"], "--ep does not name this provider"),
        (["--policy", "prefer-cpu", "-i", "x=y"], "NAME:KEY=VALUE"),
        (["--policy", "prefer-cpu", "-i", "qnn:x=y"], "whose library is registered"),
        (["--policy", "prefer-cpu", "--select-devices", "0"], "--policy with --select-devices"),
    ):
        done = run(lab, "cnn", *args, runtime=wheel.path)
        assert done.status in (2, 3) and words in done.err and done.err.count("\n") == 1, done.err


def test_providers_that_are_not_there_are_refused_by_name(lab, wheel):
    for name, words in (
        ("openvno", "did you mean openvino?"),
        ("cuda", "offers only AzureExecutionProvider, CPUExecutionProvider"),
        ("nonsense", "cannot use the provider 'nonsense'"),
        ("qnn", "the Python package onnxruntime-qnn is not installed"),
    ):
        done = run(lab, "cnn", "-e", name, runtime=wheel.path)
        assert done.status == 3 and words in done.err, done.err


# ---- inputs and outputs


def reference(wheel, model, feeds, folder):
    """The outputs of the runtime's own Python package."""
    code = (
        "import sys, numpy as np, onnxruntime as ort; feeds = dict(np.load(sys.argv[2])); "
        "s = ort.InferenceSession(sys.argv[1], providers=['CPUExecutionProvider']); "
        "[np.save('%s/%d.npy' % (sys.argv[3], i), y) for i, y in enumerate(s.run(None, feeds))]"
    )
    os.makedirs(folder)
    subprocess.run(
        [wheel.python, "-c", code, model, feeds, folder], check=True, env=dict(os.environ, ORT_DISABLE_TELEMETRY="1")
    )


@pytest.mark.parametrize("model", ["cnn", "wide", "loop", "batch", "heavy", "many"])
@pytest.mark.in_turn(3)
def test_outputs_are_those_of_the_runtimes_own_python(lab, wheel, model):
    feeds = lab.model(model).replace(".onnx", ".npz")
    reference(wheel, lab.model(model), feeds, lab.path("expected"))
    ok(lab, model, "--data", feeds, "--outputs", "out", "-r", 1, runtime=wheel.path)
    expected = sorted(os.listdir(lab.path("expected")))
    assert expected and sorted(os.listdir(lab.path("out"))) == expected
    for name in expected:
        np.testing.assert_array_equal(np.load(lab.path("out/" + name)), np.load(lab.path("expected/" + name)))


TYPES = [
    "FLOAT",
    "UINT8",
    "INT8",
    "UINT16",
    "INT16",
    "INT32",
    "INT64",
    "STRING",
    "BOOL",
    "FLOAT16",
    "DOUBLE",
    "UINT32",
    "UINT64",
    "BFLOAT16",
]


def test_every_type_of_element_goes_in_and_comes_out_as_it_was(lab, wheel):
    types = [getattr(TensorProto, name) for name in TYPES]
    model = save(
        lab,
        "types",
        [helper.make_node("Identity", ["x_" + name], ["y_" + name]) for name in TYPES],
        [helper.make_tensor_value_info("x_" + name, kind, [3]) for name, kind in zip(TYPES, types)],
        [helper.make_tensor_value_info("y_" + name, kind, [3]) for name, kind in zip(TYPES, types)],
    )
    folder = lab.path("test_data_set_0")
    os.makedirs(folder)
    for i, (name, kind) in enumerate(zip(TYPES, types)):
        values = (
            [b"a", b"", "\u00e4\u00f6".encode()] if name == "STRING" else [1, 0, 1] if name == "BOOL" else [1, 2, 3]
        )
        for side, letter in (("input", "x_"), ("output", "y_")):
            tensor = helper.make_tensor(letter + name, kind, [3], values)
            open(os.path.join(folder, "%s_%d.pb" % (side, i)), "wb").write(tensor.SerializeToString())
    done = ok(lab, model, "--data", folder, "-r", 1, runtime=wheel.path)
    assert len(done.lines("output")) == len(TYPES)
    for line in done.lines("output"):
        assert "as expected: at most 0 off" in line, line


def test_types_of_less_than_a_byte(lab, wheel):
    model = save(
        lab,
        "nibbles",
        [
            helper.make_node("DequantizeLinear", ["x", "one"], ["f"]),
            helper.make_node("QuantizeLinear", ["f", "one", "zero"], ["y"]),
        ],
        [helper.make_tensor_value_info("x", TensorProto.INT4, [5])],
        [helper.make_tensor_value_info("y", TensorProto.INT4, [5])],
        opset=21,
        initializers=[
            helper.make_tensor("one", TensorProto.FLOAT, [], [1]),
            helper.make_tensor("zero", TensorProto.INT4, [], [0]),
        ],
    )
    folder = lab.path("test_data_set_0")
    os.makedirs(folder)
    for name, letter in (("input_0.pb", "x"), ("output_0.pb", "y")):
        open(os.path.join(folder, name), "wb").write(
            helper.make_tensor(letter, TensorProto.INT4, [5], [-8, -1, 0, 1, 7]).SerializeToString()
        )
    done = ok(lab, model, "--data", folder, "--outputs", "out", "-r", 1, runtime=wheel.path)
    assert "as expected" in done.lines("output")[0]
    assert np.load(lab.path("out/0.npy")).tolist() == [-8, -1, 0, 1, 7]


def write_set(folder, number, x, y):
    path = os.path.join(folder, "test_data_set_%d" % number)
    os.makedirs(path)
    for name, value in (("input_0.pb", x), ("output_0.pb", y)):
        open(os.path.join(path, name), "wb").write(numpy_helper.from_array(value).SerializeToString())


def test_outputs_that_are_not_as_expected_are_told(lab, wheel):
    x = np.array([-1, 2, -3, 4], np.float32)
    write_set(lab.path("good"), 0, x, np.maximum(x, 0))
    write_set(lab.path("bad"), 0, x, np.maximum(x, 0))
    write_set(lab.path("bad"), 1, x, np.maximum(x, 0) + np.array([0, 0, 0.5, 0], np.float32))
    write_set(lab.path("shape"), 0, x, np.zeros(3, np.float32))
    os.makedirs(lab.path("g"), exist_ok=True)
    (line,) = ok(lab, "tiny", "--data", lab.path("good"), "-r", 1, runtime=wheel.path).lines("output")
    assert "as expected: at most 0 off" in line
    (line,) = ok(lab, "tiny", "--data", lab.path("bad"), "-r", 1, runtime=wheel.path).lines("output")
    assert "not as expected: 1 of 4 elements beyond the tolerance, the first at [2]" in line
    (line,) = ok(
        lab, "tiny", "--data", lab.path("bad"), "-r", 1, "--absolute-tolerance", "1", runtime=wheel.path
    ).lines("output")
    assert "not as expected" not in line
    (line,) = ok(lab, "tiny", "--data", lab.path("shape"), "-r", 1, runtime=wheel.path).lines("output")
    assert "not as expected" in line
    # of several sets the worst is reported: at most as many elements as exist, and NaN stays NaN
    for number, bad in enumerate(([9, 9, 9, 9], [0, 0, np.nan, 0], [9, 9, 9, 0], [0, 0, 0, 0])):
        write_set(lab.path("several"), number, x, np.maximum(x, 0) + np.array(bad, np.float32))
    (line,) = ok(lab, "tiny", "--data", lab.path("several"), "-r", 1, runtime=wheel.path).lines("output")
    assert "not as expected: 4 of 4 elements" in line
    result = parent(lab, "tiny", "--data", lab.path("several"), "-r", 1, "--runtime", wheel.path)
    assert result["output.y"].split() == ["4", "nan"]


def test_data_in_a_folder_are_called_by_its_name(lab, wheel):
    x = np.array([-1, 2, -3, 4], np.float32)
    write_set(lab.path("good"), 0, x, np.maximum(x, 0))
    for path in ("good", "good/", "good/test_data_set_0", "good/test_data_set_0///"):
        assert (
            ok(lab, "tiny", "--data", lab.path(path), "-r", 1, runtime=wheel.path)
            .lines("latency")[0]
            .startswith("test_data_set_0: ")
        )


def test_a_model_is_not_written_over_itself(lab, wheel):
    path = lab.path("own.onnx")
    shutil.copy(lab.model("tiny"), path)
    os.symlink("own.onnx", lab.path("link.onnx"))
    for args in (["-u", lab.path("link.onnx")], ["--compile", path]):
        done = run(lab, path, *args, runtime=wheel.path)
        assert done.status == 3 and "that file is the model" in done.err, done.err
    assert open(path, "rb").read() == open(lab.model("tiny"), "rb").read()


@pytest.mark.in_turn(2)
def test_a_seed_makes_the_same_inputs_in_every_runtime(lab, each_library):
    ok(lab, "tiny", "--outputs", "out", "--seed", 7, "-r", 1, runtime=each_library)
    once = np.load(lab.path("out/0.npy")).tolist()
    ok(lab, "tiny", "--outputs", "out", "--seed", 7, "-r", 1, runtime=each_library)
    assert np.load(lab.path("out/0.npy")).tolist() == once
    ok(lab, "tiny", "--outputs", "out", "--seed", 8, "-r", 1, runtime=each_library)
    assert np.load(lab.path("out/0.npy")).tolist() != once


def test_ranges_and_fills_are_kept(lab, wheel):
    ok(lab, "tiny", "--range", "x=3:4", "--outputs", "out", "-r", 1, runtime=wheel.path)
    values = np.load(lab.path("out/0.npy"))
    assert ((values >= 3) & (values <= 4)).all()
    ok(lab, "tiny", "--fill", "ones", "--outputs", "out", "-r", 1, runtime=wheel.path)
    assert np.load(lab.path("out/0.npy")).tolist() == [1] * 4


def test_one_input_comes_from_a_file_and_the_others_are_made_up(lab, wheel):
    np.save(lab.path("z.npy"), np.array([100, 200, 300], np.float32))
    ok(lab, "batch", "--input", "z=" + lab.path("z.npy"), "-b", 4, "--outputs", "out", "-r", 1, runtime=wheel.path)
    values = np.load(lab.path("out/0.npy"))
    assert values.shape == (4, 3) and (abs(values - [100, 200, 300]) <= 1).all()
    done = run(lab, "batch", "--input", "x=" + lab.path("z.npy"), runtime=wheel.path)
    assert done.status == 3 and "cannot give 'x' 1 dimension: the model has 2" in done.err


def test_shapes_and_batch_sizes_take_turns(lab, wheel):
    done = ok(lab, "batch", "--batch-size", "1,8,32", "-r", 300, runtime=wheel.path)
    assert done.counts == [100, 100, 100]
    assert [line.split(":")[0] for line in done.lines("latency")] == [
        "x float32[%d,8] z float32[3]" % n for n in (1, 8, 32)
    ]
    done = ok(lab, "batch", "--shape", "x=2x8/4x8", "-r", 100, runtime=wheel.path)
    assert done.counts == [50, 50]


def test_inputs_that_cannot_be_made_are_refused(lab, wheel):
    sequence = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
    model = save(
        lab,
        "sequence",
        [helper.make_node("SequenceLength", ["s"], ["n"])],
        [sequence],
        [helper.make_tensor_value_info("n", TensorProto.INT64, [])],
    )
    np.save(lab.path("long.npy"), np.ones(5, np.float32))
    for args, words in (
        (["--shape", "nonsense=1"], "the model has no input 'nonsense'; its first input is 'x'"),
        (["--shape", "x=5"], "cannot give 'x' the size 5 in dimension 0: the model has 4"),
        (["--shape", "x=4x4"], "cannot give 'x' 2 dimensions: the model has 1"),
        (["-b", 8], "cannot use --batch-size 8: no input has a free first dimension; that of 'x' is 4"),
        (["--input", "x=%s" % lab.path("long.npy")], "cannot give 'x' the size 5 in dimension 0"),
        (["--data", lab.path("long.npy")], "cannot give 'x' the size 5 in dimension 0"),
        (["--data", "nowhere"], "nowhere"),
    ):
        done = run(lab, "tiny", *args, runtime=wheel.path)
        assert done.status == 3 and words in done.err, done.err
    done = run(lab, model, runtime=wheel.path)
    assert done.status == 3 and "cannot create input 's': it is a sequence" in done.err


# ---- load


def test_the_measured_part_lasts_as_long_as_asked(lab, wheel):
    done = ok(lab, "heavy", "-t", "1s", runtime=wheel.path)
    (line,) = [line for line in done.out.splitlines() if line.startswith("steady ")]
    longest = float(re.search(INFERENCE, done.lines("latency")[0]).group(6))
    # the last one may begin at the very end, and wait for a processor before its time is written
    assert 1000 <= float(line.split()[1]) < 2000 + longest
    assert "steady after" in done.lines("warm-up")[1] or "not " in done.lines("warm-up")[1]


@pytest.mark.parametrize("threads", [1, 4])
def test_the_number_of_inferences_is_the_one_asked_for(lab, wheel, threads):
    result = parent(lab, "cnn", "-r", 1000, "-c", threads, "--runtime", wheel.path)
    assert int(result["steady"]) == int(result["n_steady"]) == 1000
    assert int(result["first"]) == 1 and int(result["warm_up"]) == int(result["n_warm_up"]) >= threads
    assert int(result["ok"]) == 1001 + int(result["warm_up"])
    assert result["outcome"] == "1" and result["status"] == "0"


def test_every_inference_is_one_that_a_recording_sees(lab, wheel):
    done = lab.record(
        [runner(lab), lab.model("cnn"), "-r", "200", "--warm-up-max", "0.3s", "--runtime", wheel.path],
        level="inference",
    )
    assert done.status == 0, done.err
    warm = (
        int(re.search(r" and (\d+) inferences", done.out).group(1))
        if " and " in done.out
        else int(re.search(r": (\d+) inferences are too few", done.out).group(1))
    )
    assert len(done.recording.inferences) == 1 + warm + 200


@pytest.mark.in_turn(2)
def test_requests_arrive_at_their_rate_and_wait_when_there_are_too_many(lab, wheel):
    done = ok(lab, "cnn", "--rate", 200, "-t", "3s", runtime=wheel.path)
    # on a busy machine some are not served and many wait, but not all
    assert 500 < done.counts[0] + sum(int(line.split()[0]) for line in done.lines("unserved")) < 700
    fastest, usual = map(float, re.search(INFERENCE, done.lines("latency")[0]).group(2, 3))
    done = ok(lab, "heavy", "--rate", 20000, "-t", "500ms", runtime=wheel.path)
    waited = float(re.search(INFERENCE, done.lines("latency")[0]).group(3))
    assert waited > 100 > 5 > fastest and waited > usual


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.in_turn(2)
def test_the_time_is_over_for_requests_that_wait_too(lab, wheel, threads):
    """400,000 a second are far more than the model can serve. Requests that are not served in the time are counted,
    without waiting for them."""
    done = ok(lab, "heavy", "--rate", 400000, "-t", "500ms", "-c", threads, runtime=wheel.path)
    (steady,) = [line for line in done.out.splitlines() if line.startswith("steady ")]
    assert 500 <= float(steady.split()[1]) < 20000  # serving all of them would take minutes
    unserved = int(done.lines("unserved")[0].split()[0])
    assert 1.95e5 < done.counts[0] + unserved < 2.05e5 and unserved > 1e5
    # with a number of inferences, time does not matter
    done = ok(lab, "heavy", "--rate", 20000, "-r", 300, "-c", threads, runtime=wheel.path)
    assert done.counts == [300] and not done.lines("unserved")


@pytest.mark.in_turn(2)
def test_a_million_arrivals_a_second_come_to_an_end(lab, wheel):
    begin = time.monotonic()
    done = ok(lab, "heavy", "--rate", 1e9, "-t", "3s", "--warm-up-max", 0, runtime=wheel.path)
    assert time.monotonic() - begin < 40  # counting them one by one would take longer
    assert 2.8e9 < int(done.lines("unserved")[0].split()[0]) < 3.1e9


def test_a_full_result_ends_the_run_and_says_so(lab, wheel):
    result = parent(lab, "tiny", "-t", "60s", "--runtime", wheel.path, "--warm-up-max", "0", capacity=500)
    assert result["stop"] == "3" and result["ok"] == "500" and result["outcome"] == "1"


def test_a_warm_up_leaves_room_for_the_measured_part(lab, wheel):
    # so few that times cannot become steady before they are over
    result = parent(lab, "tiny", "-t", "60s", "--runtime", wheel.path, "--warm-up-max", "60s", capacity=500)
    assert result["stop"] == "3" and 240 <= int(result["n_warm_up"]) <= 250 and int(result["n_steady"]) >= 240


def test_a_signal_ends_the_run_in_good_order(lab, wheel):
    done = lab.plain(
        [
            lab.binaries.run_parent(),
            "1000000",
            runner(lab),
            lab.model("cnn"),
            "-t",
            "1h",
            "--warm-up-max",
            "0",
            "--runtime",
            wheel.path,
        ],
        env={"KILL_AFTER": "300", "KILL_WITH": str(int(signal.SIGINT))},
    )
    result = dict(line.split(" ", 1) for line in done.out.splitlines() if " " in line)
    assert (result["status"], result["outcome"], result["phase"]) == ("0", "1", "unload")
    assert int(result["ok"]) >= 300 and int(result["n_steady"]) == int(result["steady"]) >= 298


def test_knobs_reach_the_runtime(lab, wheel):
    done = ok(
        lab,
        "cnn",
        "-x",
        2,
        "-y",
        1,
        "-P",
        "-o",
        "basic",
        "-M",
        "-l",
        "-z",
        "-D",
        "-Z",
        "--spin-duration",
        100,
        "--spin-backoff-max",
        8,
        "--deterministic",
        "--shrink-arena",
        "cpu:0",
        "-C",
        "session.disable_prepacking=1",
        "-T",
        "1",
        "-p",
        "profile",
        "-u",
        "optimized.onnx",
        "-r",
        20,
        runtime=wheel.path,
    )
    optimized = onnx.load(lab.path("optimized.onnx"))
    assert "QuickGelu" not in [node.op_type for node in optimized.graph.node]
    (profile,) = glob.glob(lab.path("profile*.json"))
    assert profile == lab.path(done.lines("profile")[0])
    events = json.load(open(profile))
    assert len([event for event in events if event["name"] == "model_run"]) > 20
    sizes = []
    for more in ([], ["--optimized-prepacked"]):
        ok(
            lab,
            "cnn",
            "-u",
            "o.onnx",
            "--optimized-data",
            "w%d.bin" % len(more),
            "--optimized-data-min",
            1,
            "-r",
            5,
            *more,
            runtime=wheel.path,
        )
        sizes.append(os.path.getsize(lab.path("w%d.bin" % len(more))))
    assert wheel.version < "1.21" or sizes[1] > sizes[0]
    ok(lab, "cnn", "-u", "all.onnx", "-A", "-g", "Cpu", "-r", 20, runtime=wheel.path)
    assert "QuickGelu" in [node.op_type for node in onnx.load(lab.path("all.onnx")).graph.node]


def test_dimensions_are_set_by_name(lab, wheel):
    done = ok(
        lab,
        "batch",
        "-f",
        "%s=6" % onnx.load(lab.model("batch")).graph.input[0].type.tensor_type.shape.dim[0].dim_param,
        "-r",
        5,
        runtime=wheel.path,
    )
    assert "x float32[6,8]" in done.lines("input")[0]


# ---- errors


def test_a_run_that_fails_is_one_clear_error(lab, wheel):
    result = parent(lab, "throws", "--runtime", wheel.path)
    assert (result["status"], result["outcome"], result["phase"]) == ("3", "2", "first")
    assert result["error"].startswith("cannot run the model on ") and "thrower" in result["error"]
    assert result["failed"] == "1" and result["state.first"] == "3"


def test_models_that_cannot_be_loaded(lab, wheel):
    future = helper.make_model(onnx.load(lab.model("tiny")).graph, opset_imports=[helper.make_opsetid("", 99)])
    future.ir_version = 7
    onnx.save(future, lab.path("future.onnx"))
    for model, words in (
        (lab.path("future.onnx"), "Opset 99 is under development"),
        (lab.model("garbage"), "cannot create the session"),
        (lab.path("nowhere.onnx"), "cannot read the model"),
    ):
        done = run(lab, model, runtime=wheel.path)
        assert done.status == 3 and words in done.err and len(done.err.splitlines()) == 1, done.err


def test_a_library_that_crashes_when_it_is_loaded(lab, wheel):
    library = lab.binaries.shared("bad_library", ["-DAT_LOAD"])
    result = parent(lab, "tiny", "-R", library, "--runtime", wheel.path)
    assert (result["status"], result["outcome"], result["phase"]) == ("3", "2", "session")
    assert result["error"].startswith(
        "cannot create the session: killed by a segmentation fault (SIGSEGV), in the code of bad_library"
    )
    done = run(lab, "tiny", "-R", library, runtime=wheel.path)
    assert done.status == 3 and "killed by" in done.err


def test_a_library_that_ends_the_process(lab, wheel):
    library = lab.binaries.shared("bad_library", ["-DAT_LOAD", "-DEXIT"])
    result = parent(lab, "tiny", "-R", library, "--runtime", wheel.path)
    assert (result["status"], result["outcome"], result["phase"]) == ("3", "2", "session")
    assert result["error"] == "cannot create the session: a library ended the process by calling exit"


def test_a_library_that_crashes_when_it_is_unloaded_leaves_all_figures(lab, wheel):
    library = lab.binaries.shared("bad_library", ["-DAT_UNLOAD"])
    result = parent(lab, "tiny", "-R", library, "-r", 50, "--runtime", wheel.path)
    assert (result["status"], result["outcome"], result["phase"], result["steady"]) == ("3", "1", "unload", "50")
    assert "all figures were complete before" in result["error"]


def test_a_library_that_hangs_when_it_is_unloaded_is_left_behind(lab, wheel):
    library = lab.binaries.shared("bad_library", ["-DAT_UNLOAD", "-DHANG"])
    result = parent(lab, "tiny", "-R", library, "-r", 50, "--runtime", wheel.path)
    assert (result["status"], result["outcome"], result["phase"], result["steady"]) == ("3", "1", "unload", "50")
    assert "cannot unload the runtime: timed out" in result["error"]


def test_a_runner_that_is_killed_leaves_what_it_had(lab, wheel):
    result = parent(lab, "heavy", "-t", "60s", "--runtime", wheel.path, env={"KILL_AFTER": "300"})
    assert (result["status"], result["outcome"]) == ("-9", "0")
    assert int(result["ok"]) + int(result["in_flight"]) >= 300 and int(result["in_flight"]) <= 1


@pytest.mark.in_turn(2)
def test_a_model_larger_than_memory(lab, wheel):
    """The limit applies to this process's address space, so the machine is not affected."""
    big = helper.make_tensor("w", TensorProto.FLOAT, [64 << 20], np.ones(64 << 20, np.float32).tobytes(), raw=True)
    model = save(
        lab,
        "big",
        [helper.make_node("Add", ["x", "w"], ["y"])],
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [64 << 20])],
        initializers=[big],
    )
    limit = 600 << 20
    # one thread: the runtime makes one per processor, and each takes address space
    done = run(
        lab,
        model,
        "-r",
        1,
        "-x",
        1,
        runtime=wheel.path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.status == 3 and "out of memory" in done.err and "0.25 GiB" in done.err, done.err
    # weights in a separate file count
    loaded = onnx.load(model)
    onnx.save(loaded, lab.path("outside.onnx"), save_as_external_data=True, location="weights.bin")
    assert os.path.getsize(lab.path("outside.onnx")) < 10000
    limit = 390 << 20
    done = run(
        lab,
        lab.path("outside.onnx"),
        "-r",
        1,
        "-x",
        1,
        "-l",
        runtime=wheel.path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.status == 3 and "out of memory" in done.err and "0.25 GiB with its weights" in done.err, done.err


def test_warnings_of_the_runtime_stay_silent_unless_asked_for(lab, wheel):
    quiet = run(lab, "unnamed", "-C", "session.nonsense=1", "-r", 1, runtime=wheel.path)
    assert quiet.status == 0 and quiet.err == ""
