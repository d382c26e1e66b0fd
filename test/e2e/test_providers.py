# SPDX-License-Identifier: Apache-2.0
"""Providers and operators in separate libraries."""

import glob
import json
import os
import shutil

import pytest

import envs
from conftest import environment


@pytest.fixture
def openvino():
    return environment(envs.wheel, "openvino")


def test_a_provider_in_its_own_library_is_seen_loading_compiling_and_running(lab, openvino):
    recording = lab.both(
        lab.python(openvino, "infer", "run", lab.model("cnn"), "--provider", "OpenVINOExecutionProvider")
    ).recording
    ready = [slice for slice in recording.of("provider_ready") if "openvino" in slice.name]
    assert len(ready) == 1 and ready[0].end > ready[0].start
    compiled = [slice for slice in recording.of("specialize") if slice.name == "compile OpenVINOExecutionProvider"]
    assert len(compiled) == 1 and compiled[0].inside("session")
    assert compiled[0].end - compiled[0].start > 1e6
    outer = [operator for operator in recording.operators if operator.args["provider"] == "OpenVINOExecutionProvider"]
    runs = [slice for slice in recording.inferences if slice.args["model"] == "cnn"]
    assert len(outer) == len(runs) == 5
    # below each of these operators: OpenVINO's own inference, with its nodes
    inner = [slice for slice in recording.inferences if slice.args["model"] != "cnn"]
    assert len(inner) == 5
    for operator, run in zip(*(sorted(slices, key=lambda slice: slice.start) for slices in (outer, inner))):
        assert operator.start <= run.start <= run.end <= operator.end
    nodes = [node for node in recording.operators if node.args["provider"] == "CPU" and node.args.get("inference")]
    assert len(nodes) == 5 * 8 and {node.args["inference"] for node in nodes} == {
        run.args["inference"] for run in inner
    }
    assert recording.note("created")["providers"].split(",")[0] == "OpenVINOExecutionProvider"
    # what runs in another inference is time of that one alone: shares of models and of runtimes add up
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out)
    times = [model["inferences"] for model in report["models"]]
    own = sum(time["wall_ns"] - time["inner_ns"] for time in times)
    assert own == sum(run.end - run.start for run in runs) and {time["inner_ns"] for time in times} == {
        0,
        sum(run.end - run.start for run in inner),
    }


@pytest.mark.parametrize("key", ["1.22", "newest"])
def test_a_provider_opened_by_a_bare_name_or_a_path_is_seen_loading(lab, key):
    """Up to 1.23 the runtime gives the loader a name alone, and the file beside the runtime is found by its RUNPATH."""
    runtime = environment(envs.wheel, key).library
    folder = lab.path("capi")
    os.mkdir(folder)
    for name in (os.path.basename(runtime), "libonnxruntime_providers_shared.so"):
        shutil.copy(os.path.join(os.path.dirname(runtime), name), folder)
    shutil.copy(lab.binaries.shared("no_provider"), os.path.join(folder, "libonnxruntime_providers_cuda.so"))
    done = lab.both(lab.native("append_cuda", os.path.join(folder, os.path.basename(runtime))))
    assert done.status == 0 and "Failed to load" in done.out
    ready = {slice.name: slice for slice in done.recording.of("provider_ready")}
    assert set(ready) == {"libonnxruntime_providers_shared.so", "libonnxruntime_providers_cuda.so"}
    assert all(slice.end > slice.start for slice in ready.values())


@pytest.mark.parametrize("key", ["1.22", "newest"])
def test_a_provider_that_is_not_there_is_not_seen(lab, key):
    done = lab.both(lab.native("append_cuda", environment(envs.wheel, key).library))
    assert done.status == 0 and "Failed to load" in done.out
    assert {slice.name for slice in done.recording.of("provider_ready")} <= {"libonnxruntime_providers_shared.so"}


def test_operators_of_a_custom_library_are_seen_by_name_and_type(lab, openvino):
    (library,) = glob.glob(os.path.join(openvino.path, "lib/python3*/site-packages/onnxruntime_extensions/*.so"))
    recording = lab.both(lab.python(openvino, "infer", "run", lab.model("custom"), "--library", library)).recording
    assert [(operator.name, operator.args["op_type"]) for operator in recording.operators] == [
        ("upper", "StringUpper")
    ] * 5


def test_a_plugin_provider_is_known_by_the_name_that_the_runtime_gives_it(lab):
    plugin = environment(envs.plugin, "cpu_ep")
    (library,) = glob.glob(os.path.join(plugin.package, "*plugin.so"))
    program = [plugin.python, os.path.join(envs.PROGRAMS, "by_devices.py"), library, "cpu_ep"]
    recording = lab.both([*program, lab.model("chain")]).recording
    assert recording.note("created")["providers"] == "cpu_ep,CPUExecutionProvider"
    used = {operator.args["provider"] for operator in recording.operators}
    assert "cpu_ep" in used and used <= {"cpu_ep", "CPUExecutionProvider"}, used
    assert "compile cpu_ep" in {slice.name for slice in recording.of("specialize")}
    # which took nothing of another model
    done = lab.record([*program, lab.model("chain"), lab.model("cnn")], name="both", judged=False)
    first = " ".join(lab.plain([lab.inftrace, "report", done.recording.path]).out.split("\n\n")[0].split())
    assert "cpu_ep was asked for but ran nothing of cnn;" in first, first
