# SPDX-License-Identifier: Apache-2.0
"""inftrace model with real runtimes and providers: what is run, compared and reported, and what is said when it cannot be."""
import ctypes.util
import glob
import html.parser
import json
import os
import re
import signal
import subprocess
import sys
import time

import onnx
import pytest

import envs
import judge
from conftest import environment
from recording import Recording


def command(lab, model, *args, runtime):
    path = model if "/" in model else lab.model(model)
    return [lab.inftrace, "model", path, "--runtime", runtime, "-o", lab.path("run.pftrace"), *[str(arg) for arg in args]]


def profile(lab, model, *args, runtime, status=0):
    """The report as JSON; nothing else may be on standard output."""
    done = lab.plain(command(lab, model, *args, "--json", runtime=runtime))
    assert done.status == status, done.err
    return json.loads(done.out)


@pytest.fixture
def openvino():
    return environment(envs.wheel, "openvino").library


# ---- one provider

def test_a_report_has_what_was_measured(lab, each_library):
    report = profile(lab, "cnn", "-t", "300ms", runtime=each_library)
    run, = report["runs"]
    assert run["label"] == "cpu" and run["error"] is None
    assert re.match(r"1\.\d+\.\d+$", run["version"]) and run["runtime_path"] == os.path.realpath(each_library)
    samples = run["samples"]["duration_ns"]
    assert run["latency"]["count"] == len(samples) > 10
    assert abs(run["latency"]["mean_ns"] - sum(samples) / len(samples)) < 1
    assert run["latency"]["min_ns"] == min(samples) and run["latency"]["max_ns"] == max(samples)
    assert [step["name"] for step in run["steps"]] == ["load-runtime", "environment", "libraries", "session", "inputs",
                                                      "first", "warm-up", "steady", "unload"]
    assert run["first_inference_ns"] > 0 and run["peak_rss_bytes"] > 1 << 20 and run["cpus_in_use"] > 0
    creation = run["creation"]
    assert creation["duration_ns"] == sum(part["self_ns"] for part in creation["phases"]) + creation["unattributed_ns"]


def test_operators_add_up_and_belong_to_nodes_of_the_model(lab, library):
    report = profile(lab, "chain", "-t", "300ms", runtime=library)
    operators = report["runs"][0]["operators"]
    assert operators["inferences"] > 0
    assert sum(op["share_ns"] for op in operators["list"]) + operators["unattributed_ns"] == pytest.approx(operators["wall_ns"])
    assert sorted(op["name"] for op in operators["list"]) == ["link_%02d" % i for i in range(20)]
    assert {node["name"] for node in report["nodes"]} == {op["name"] for op in operators["list"]}
    assert operators["model_nodes_found"] == 20 and operators["model_nodes_not_found"] == 0


def test_both_recordings_are_kept_and_hold_what_the_report_says(lab, library):
    run, = profile(lab, "chain", "-t", "300ms", runtime=library)["runs"]
    timing, operators = Recording(run["recording"]), Recording(run["operator_recording"])
    assert {os.path.basename(run[key]) for key in ("recording", "operator_recording")} == {
        "run-cpu.pftrace", "run-cpu-operators.pftrace"}
    assert timing.operators == [] and len(operators.operators) == 20 * len(operators.inferences)
    # every latency that was reported is an inference of the recording, and lies around it
    samples = run["samples"]
    starts = [at for at, round in zip(samples["start_monotonic_ns"], samples["round"]) if round == 0]
    durations = samples["duration_ns"]
    seen = {slice.start: slice for slice in timing.inferences}
    at = sorted(seen)
    assert len(at) >= len(starts)
    for path in (run["recording"], run["operator_recording"]):
        assert not judge.import_errors(path)
    assert min(durations) > 0 and sorted(starts) == starts


def test_without_operators_nothing_is_run_twice(lab, library):
    report = profile(lab, "chain", "-t", "200ms", "--level", "inference", runtime=library)
    assert report["runs"][0]["operator_recording"] is None
    assert report["runs"][0]["operators_missing"].startswith("not asked for")
    assert not glob.glob(lab.path("*operators*"))


def test_rounds_are_processes_of_their_own_that_share_the_time(lab, library):
    report = profile(lab, "chain", "-r", 50, "--rounds", 4, "--level", "inference", runtime=library)
    run, = report["runs"]
    assert [run["samples"]["round"].count(n) for n in range(4)] == [12, 13, 12, 13] and run["rounds"] == 4
    assert len({tuple(Recording(path).pids) for path in glob.glob(lab.path("*.pftrace"))}) == 4
    run, = profile(lab, "chain", "-r", 2, "--rounds", 4, "--level", "inference", runtime=library)["runs"]
    assert run["samples"]["round"] == [0, 1]


def test_options_of_the_runner_are_passed_on(lab, library):
    report = profile(lab, "batch", "--dim", "n=4", "-r", 50, "-c", 2, "-S", 7, runtime=library)
    run, = report["runs"]
    assert run["concurrency"] == 2 and run["latency"]["count"] == 50
    assert run["shapes"][0]["shape"].startswith("x float[4,8]")
    settings = {setting["name"]: setting["value"] for setting in report["settings"]}
    assert settings["seed"] == "7" and settings["concurrency"] == "2" and settings["dim"] == "n=4"


def test_arrivals_wait_when_they_come_too_fast(lab, library):
    run, = profile(lab, "heavy", "-t", "500ms", "--rate", 2000, "--level", "inference", runtime=library)["runs"]
    assert run["requests_per_second"] == 2000
    assert run["response"]["p50_ns"] > 2 * run["latency"]["p50_ns"]


# ---- several

def test_two_providers_are_compared_by_what_ran(lab, openvino):
    report = profile(lab, "cnn", "--ep", "cpu,openvino", "-t", "300ms", runtime=openvino)
    cpu, other = report["runs"]
    assert [cpu["label"], other["label"]] == ["cpu", "openvino"]
    assert [row["provider"] for row in cpu["operators"]["providers"]] == ["CPUExecutionProvider"]
    assert "OpenVINOExecutionProvider" in [row["provider"] for row in other["operators"]["providers"]]
    assert other["operators"]["model_nodes_on_provider"] == sum(node["is_of_model"] for node in report["nodes"])
    assert other["outputs_against"] == "cpu"
    output, = other["outputs"]
    assert output["agrees"] and output["max_absolute"] < 1e-3
    assert other["speed"]["ratio"] > 0


def software_gpu(lab):
    """The environment in which Vulkan runs on the CPU, with the library that Debian's Chromium brings."""
    library = "/usr/lib/chromium/libvk_swiftshader.so"
    if not os.path.exists(library) or not ctypes.util.find_library("vulkan"):
        pytest.skip("no SwiftShader and Vulkan here (Debian: chromium, libvulkan1)")
    path = lab.path("icd.json")
    with open(path, "w") as out:
        json.dump({"file_format_version": "1.0.0", "ICD": {"library_path": library, "api_version": "1.1.0"}}, out)
    return {"VK_ICD_FILENAMES": path}


def test_webgpu_runs_without_a_gpu(lab):
    library = environment(envs.node_package, "newest").library
    done = lab.plain(command(lab, "chain", "--ep", "cpu,webgpu", "-r", 3, "--json", runtime=library), env=software_gpu(lab))
    assert done.status == 0, done.err
    run = json.loads(done.out)["runs"][1]
    assert "WebGpuExecutionProvider" in [row["provider"] for row in run["operators"]["providers"]]
    assert run["outputs"][0]["agrees"]


def test_a_provider_that_took_nothing_is_called_so(lab):
    qnn = environment(envs.plugin, "qnn")
    report = profile(lab, "batch", "--ep", "cpu,qnn", "-r", 20, runtime=qnn.library)
    run = report["runs"][1]
    assert run["error"] is None
    assert [row["provider"] for row in run["operators"]["providers"]] == ["CPUExecutionProvider"]
    assert any(insight["run"] == 1 and "ran no node" in insight["finding"] for insight in report["insights"])


def test_a_provider_that_fails_is_a_row_and_the_others_are_run(lab, library):
    report = profile(lab, "cnn", "--ep", "cpu,nothere", "-t", "200ms", runtime=library, status=1)
    good, bad = report["runs"]
    assert good["error"] is None and good["latency"]["count"] > 0
    assert "nothere" in bad["error"] and bad["latency"] is None


def test_the_only_provider_that_fails_is_one_clear_error(lab, library):
    done = lab.plain(command(lab, "cnn", "--ep", "nothere", "--report", lab.path("r.html"), runtime=library))
    assert done.status == 3 and done.out == ""
    assert done.err.count("\n") == 1 and "nothere" in done.err and lab.model("cnn") in done.err
    assert not os.path.exists(lab.path("r.html"))


def test_outputs_are_kept_where_they_are_asked_for_and_nowhere_else(lab, openvino):
    os.mkdir(lab.path("tmp"))
    profile(lab, "cnn", "--ep", "cpu,openvino", "-r", 5, "--level", "inference", "--outputs", lab.path("kept"), runtime=openvino)
    assert sorted(glob.glob(lab.path("kept/*/*"))) == [lab.path("kept/cpu/0.npy"), lab.path("kept/openvino/0.npy")]
    done = lab.plain(command(lab, "cnn", "--ep", "cpu,openvino", "-r", 5, "--level", "inference", runtime=openvino),
                     env={"TMPDIR": lab.path("tmp")})
    assert done.status == 0 and os.listdir(lab.path("tmp")) == []


# ---- reports

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for key, value in attrs if key in ("src", "href", "xlink:href") and value]


@pytest.mark.parametrize("suffix,begins", [("html", "<!doctype html>"), ("json", "{"), ("csv", "run,"), ("txt", "cnn: cpu takes ")])
def test_a_report_goes_into_a_file_of_its_suffix(lab, library, suffix, begins):
    path = lab.path("report." + suffix)
    done = lab.plain(command(lab, "cnn", "-t", "200ms", "--report", path, runtime=library))
    assert (done.status, done.out) == (0, ""), done.err
    text = open(path).read()
    assert text.lower().startswith(begins.lower()), text[:200]
    again = lab.plain(command(lab, "cnn", "-t", "200ms", "--report", path, runtime=library))
    assert again.status == 3 and "--force" in again.err and open(path).read() == text
    if suffix == "html":
        page = Page()
        page.feed(text)
        assert page.tags.count("svg") > 3 and "script" not in page.tags
        assert all(link.startswith("#") for link in page.links)


def test_ctrl_c_ends_the_measurement_and_reports_it(lab, library):
    process = lab.start(command(lab, "cnn", "-t", "1h", "--json", runtime=library), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    deadline = time.monotonic() + 30
    while not os.path.exists(lab.path("run-cpu.pftrace")) or os.path.getsize(lab.path("run-cpu.pftrace")) < 20000:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    report = json.loads(out)
    assert report["runs"][0]["latency"]["count"] > 10, err
    assert report["runs"][0]["operators_missing"] == "it was interrupted before that"


# ---- energy

@pytest.mark.root
def test_energy_is_what_the_meters_of_the_packages_have_counted(lab, library):
    """The first meter starts again at 0 after two seconds."""
    report = metered(lab, "-t", "4s", "--rounds", 1, "--interval", "100ms", "--level", "inference", runtime=library)
    run, = report["runs"]
    assert run["energy_scope"] == "package-0+package-1, whole machine" and run["energy_missing"] is None
    assert run["energy_joules"] / (run["steady_ns"] / 1e9) == pytest.approx(60, rel=0.02)
    assert run["energy_joules_per_inference"] == pytest.approx(run["energy_joules"] / run["latency"]["count"])
    values = {(row["name"], row["unit"]): row for row in
              json.loads(lab.plain([lab.inftrace, "report", "--json", run["recording"]]).out)["resources"]}
    assert values["package-0 power", "W"]["mean"] == pytest.approx(50, rel=0.02)
    assert values["package-1 power", "W"]["mean"] == pytest.approx(10, rel=0.02)
    assert values["package-0 energy", "J"]["last"] > 200 and values["package-0 energy", "J"]["mean"] is None


@pytest.mark.root
def test_energy_of_too_short_a_run_is_not_known(lab, library):
    run, = metered(lab, "-t", "500ms", "--interval", "1s", "--level", "inference", runtime=library)["runs"]
    assert run["energy_joules"] is None and "run longer" in run["energy_missing"]


def metered(lab, *args, runtime):
    done = lab.plain(["unshare", "-m", sys.executable, os.path.join(envs.PROGRAMS, "meters.py"),
                      *command(lab, "cnn", *args, "--json", runtime=runtime)])
    if done.status == 77 or "unshare" in done.err:
        pytest.skip("cannot mount over /sys/class here")
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_why_energy_is_not_known_is_said(lab, library):
    done = lab.plain(command(lab, "cnn", "-t", "300ms", runtime=library))
    run, = profile(lab, "cnn", "-t", "300ms", "--level", "inference", runtime=library)["runs"]
    if run["energy_missing"]:
        assert run["energy_joules"] is None and re.search("modprobe|run as root|run longer", run["energy_missing"])
        assert "Energy is not known: " in done.out
    else:
        assert run["energy_joules"] > 0 and "Energy is that of package-0" in done.out


# ---- bad input

def test_what_is_no_model_is_one_clear_error(lab, library):
    good = open(lab.model("cnn"), "rb").read()
    for name, data, words in (("empty", b"", "empty"), ("text", b"hello world, this is text\n", "ONNX"),
                              ("cut", good[:len(good) // 2], "byte")):
        path = lab.path(name + ".onnx")
        with open(path, "wb") as out:
            out.write(data)
        done = lab.plain(command(lab, path, runtime=library))
        assert (done.status, done.out) == (3, "") and done.err.count("\n") == 1, done.err
        assert words in done.err and path in done.err, done.err
    assert lab.plain(command(lab, lab.path("none.onnx"), runtime=library)).status == 3
    assert glob.glob(lab.path("*.pftrace")) == []


def test_a_model_of_many_free_dimensions_is_run_and_analysed(lab, library):
    helper, names = onnx.helper, ["x%d" % i for i in range(40)]
    inputs = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [name + "_rows", name + "_columns"]) for name in names]
    nodes = [helper.make_node("Relu", [name], ["y" + name]) for name in names]
    outputs = [helper.make_tensor_value_info("y" + name, onnx.TensorProto.FLOAT, [None, None]) for name in names]
    model = helper.make_model(helper.make_graph(nodes, "dims", inputs, outputs), opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7
    onnx.save(model, lab.path("dims.onnx"))
    dims = [word for name in names for word in ("--dim", name + "_rows=2")]
    assert lab.plain([lab.inftrace, "model", lab.path("dims.onnx"), "--dry-run", *dims]).status == 0
    for given in ([], dims):
        run, = profile(lab, lab.path("dims.onnx"), "-r", 5, "--rounds", 1, *given, runtime=library)["runs"]
        assert run["latency"]["count"] == 5 and len(run["operators"]["list"]) == 40
