# SPDX-License-Identifier: Apache-2.0
"""inftrace model with real runtimes and providers: what it runs, compares and reports, and its errors."""

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

import numpy
import onnx
import pytest

import envs
import judge
from conftest import environment
from lab import PATIENCE, wait_until
from recording import Growing, Recording


def command(lab, model, *args, runtime, is_short=True):
    """is_short: with few rounds and a short warm-up, unless the arguments say otherwise."""
    path = model if "/" in model else lab.model(model)
    few = ["--rounds", "2", "--warm-up-max", "0.3s"] if is_short else []
    return [
        lab.inftrace,
        "model",
        path,
        "--runtime",
        runtime,
        "-o",
        lab.path("run.pftrace"),
        *few,
        *[str(arg) for arg in args],
    ]


def profile(lab, model, *args, runtime, status=0, is_short=True):
    """The report as JSON. Standard output must contain nothing else."""
    done = lab.plain(command(lab, model, *args, "--json", runtime=runtime, is_short=is_short))
    assert done.status == status, done.err
    return json.loads(done.out)


@pytest.fixture
def openvino():
    return environment(envs.wheel, "openvino").library


# ---- one provider


@pytest.mark.in_turn(3)
def test_a_report_has_what_was_measured(lab, few_libraries):
    report = profile(lab, "cnn", "-d", "300ms", runtime=few_libraries)
    (run,) = report["runs"]
    assert run["label"] == "cpu" and run["error"] is None
    assert re.match(r"1\.\d+\.\d+$", run["version"]) and run["runtime_path"] == os.path.realpath(few_libraries)
    samples = run["samples"]["duration_ns"]
    assert run["latency"]["count"] == len(samples) > 10
    assert abs(run["latency"]["mean_ns"] - sum(samples) / len(samples)) < 1
    assert run["latency"]["min_ns"] == min(samples) and run["latency"]["max_ns"] == max(samples)
    assert [step["name"] for step in run["steps"]] == [
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
    assert run["first_inference_ns"] > 0 and run["peak_rss_bytes"] > 1 << 20 and run["cpus_in_use"] > 0
    creation = run["creation"]
    assert creation["duration_ns"] == sum(part["self_ns"] for part in creation["phases"]) + creation["unattributed_ns"]


@pytest.mark.alone("it takes every CPU several times over")
@pytest.mark.in_turn(2)
def test_a_busy_machine_is_told_from_an_idle_one(lab, library):
    """Other processes load every CPU several times over."""
    others = [lab.start(["sh", "-c", "while :; do :; done"]) for _ in range(3 * os.cpu_count())]
    try:
        report = profile(
            lab, "cnn", "-d", "1s", "--rounds", 1, "--level", "inference", "--intra-op-threads", 1, runtime=library
        )
    finally:
        for other in others:
            other.kill()
            other.wait()
    (run,) = report["runs"]
    assert run["run_queue_ns"] > 0.2 * run["steady_ns"]
    (busy,) = [insight for insight in report["insights"] if insight["kind"] == "busy_machine"]
    assert "it waited for a CPU for " in busy["evidence"] and busy == report["insights"][0]
    assert "Other programs kept the machine busy" in report["verdict"]


@pytest.mark.in_turn(2)
def test_operators_add_up_and_belong_to_nodes_of_the_model(lab, library):
    report = profile(lab, "chain", "-d", "300ms", runtime=library)
    operators = report["runs"][0]["operators"]
    assert operators["inferences"] > 0
    assert sum(op["share_ns"] for op in operators["list"]) + operators["unattributed_ns"] == pytest.approx(
        operators["wall_ns"]
    )
    assert sorted(op["name"] for op in operators["list"]) == ["link_%02d" % i for i in range(20)]
    assert {node["name"] for node in report["nodes"]} == {op["name"] for op in operators["list"]}
    assert operators["model_nodes_found"] == 20 and operators["model_nodes_not_found"] == 0


@pytest.mark.in_turn(2)
def test_both_recordings_are_kept_and_hold_what_the_report_says(lab, library):
    (run,) = profile(lab, "chain", "-n", 500, runtime=library)["runs"]
    timing, operators = Recording(run["recording"]), Recording(run["operator_recording"])
    assert {os.path.basename(run[key]) for key in ("recording", "operator_recording")} == {
        "run-cpu.pftrace",
        "run-cpu-operators.pftrace",
    }
    assert timing.operators == [] and len(operators.operators) == 20 * len(operators.inferences)
    # every reported latency is an inference of the recording, and contains it
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
    report = profile(lab, "chain", "-d", "200ms", "--level", "inference", runtime=library)
    assert report["runs"][0]["operator_recording"] is None
    assert report["runs"][0]["operators_missing"].startswith("not asked for")
    assert not glob.glob(lab.path("*operators*"))


def test_rounds_are_processes_of_their_own_that_share_the_time(lab, library):
    report = profile(lab, "chain", "-n", 50, "--rounds", 4, "--level", "inference", runtime=library)
    (run,) = report["runs"]
    assert [run["samples"]["round"].count(n) for n in range(4)] == [12, 13, 12, 13] and run["rounds"] == 4
    assert len({tuple(Recording(path).pids) for path in glob.glob(lab.path("*.pftrace"))}) == 4
    (run,) = profile(lab, "chain", "-n", 2, "--rounds", 4, "--level", "inference", runtime=library)["runs"]
    assert run["samples"]["round"] == [0, 1]


@pytest.mark.in_turn(2)
def test_options_of_the_runner_are_passed_on(lab, library):
    report = profile(lab, "batch", "--dim", "n=4", "-n", 50, "-c", 2, "-S", 7, runtime=library)
    (run,) = report["runs"]
    assert run["concurrency"] == 2 and run["latency"]["count"] == 50
    assert run["shapes"][0]["shape"].startswith("x float32[4,8]")
    settings = {setting["name"]: setting["value"] for setting in report["settings"]}
    assert settings["seed"] == "7" and settings["concurrency"] == "2" and settings["dim"] == "n=4"


def costs(report):
    return report["model"]["flops"] if not report["model"]["nodes_of_unknown_flops"] else None


def test_the_time_that_the_session_takes_can_be_measured_alone(lab, library):
    report = profile(lab, "chain", "--session-only", "--hold", "300ms", runtime=library, is_short=False)
    (run,) = report["runs"]
    assert run["error"] is None and run["creation"]["duration_ns"] > 0 and run["latency"] is None
    assert run["operators_missing"] == "no inference was asked for" and glob.glob(lab.path("*.pftrace")) == [
        lab.path("run-cpu.pftrace")
    ]
    assert {setting["name"] for setting in report["settings"]} == {"runtime", "session-only", "hold"}


def test_settings_are_those_that_were_not_left_alone(lab, library):
    few = ["--level", "inference", "--rounds", 1]
    for args, names in (
        (["-n", 5], {"iterations"}),
        (["-d", "200ms", "--warm-up-max", 0], {"duration", "warm-up-max"}),
    ):
        report = profile(lab, "tiny", *few, *args, runtime=library, is_short=False)
        assert {setting["name"] for setting in report["settings"]} == names | {"runtime"}
    assert report["runs"][0]["warmup_inferences"] == 1


def test_files_that_each_run_writes_have_its_name(lab):
    newest = environment(envs.wheel, "newest").library
    os.makedirs(lab.path("some.thing"))
    profile(
        lab,
        "cnn",
        "--ep",
        "cpu",
        "--policy",
        "prefer-cpu",
        "-n",
        5,
        "--level",
        "inference",
        "-u",
        lab.path("some.thing/o.onnx"),
        "-p",
        lab.path("prof"),
        "--compile",
        lab.path("c.onnx"),
        runtime=newest,
    )
    assert sorted(os.listdir(lab.path("some.thing"))) == ["o-cpu.onnx", "o-prefer-cpu.onnx"]
    assert os.path.exists(lab.path("c-cpu.onnx")) and os.path.exists(lab.path("c-prefer-cpu.onnx"))
    assert glob.glob(lab.path("prof-cpu_*.json")) and glob.glob(lab.path("prof-prefer-cpu_*.json"))


def test_devices_are_listed_without_a_model(lab):
    qnn = environment(envs.plugin, "qnn")
    done = lab.plain([lab.inftrace, "model", "--list-devices", "--runtime", qnn.path])
    assert (
        done.status == 0
        and re.search(r"^device 1 +QNNExecutionProvider on cpu", done.out, re.M)
        and "phase" not in done.out
    )
    done = lab.plain([lab.inftrace, "model", "--list-devices", "--runtime", "/nowhere"])
    assert done.status == 3 and "/nowhere" in done.err
    # of several runtimes, one after the other; one that cannot be used is no reason to leave out the others
    done = lab.plain([lab.inftrace, "model", "--list-devices", "--runtime", "/nowhere," + qnn.path])
    assert done.status == 3 and "cannot use /nowhere as the runtime" in done.err
    assert re.search(r"^device 1 +QNNExecutionProvider on cpu", done.out, re.M), done.out


def test_operations_are_those_of_the_shapes_that_ran(lab, library):
    """Whether the shapes come from an option or from a file."""
    numpy.save(lab.path("x.npy"), numpy.ones((5, 8), "float32"))
    few = ["-n", 5, "--rounds", 1, "--level", "inference"]
    one = costs(profile(lab, "batch", *few, runtime=library))
    assert one > 0
    for args, factor in (
        (["--dim", "n=4"], 4),
        (["-b", 3], 3),
        (["--shape", "x=6x8"], 6),
        (["--input", "x=" + lab.path("x.npy")], 5),
    ):
        assert costs(profile(lab, "batch", *few, *args, runtime=library)) == factor * one, args
    # with several shapes, no single number of operations applies
    assert costs(profile(lab, "batch", *few, "--dim", "n=1,8", runtime=library)) is None


def test_arrivals_wait_when_they_come_too_fast(lab, library):
    (run,) = profile(lab, "heavy", "-d", "500ms", "--rate", 20000, "--level", "inference", runtime=library)["runs"]
    assert run["requests_per_second"] == 20000 and run["ended_early"] is None
    # serving all of them would take many times as long
    assert 9000 < run["latency"]["count"] + run["requests_not_served"] < 11000 and run["steady_ns"] < 5e9
    assert run["response"]["p50_ns"] > 2 * run["latency"]["p50_ns"]


def test_requests_that_were_not_served_are_told_everywhere(lab, library):
    for suffix in ("txt", "html"):
        path = lab.path("report." + suffix)
        done = lab.plain(
            command(
                lab,
                "heavy",
                "-d",
                "300ms",
                "--rounds",
                1,
                "--rate",
                50000,
                "--level",
                "inference",
                "--report",
                path,
                runtime=library,
            )
        )
        assert done.status == 0, done.err
        assert re.search(r"cpu: [\d,]+ requests could not be served in time", open(path).read())


# ---- several


@pytest.mark.in_turn(2)
def test_two_providers_are_compared_by_what_ran(lab, openvino):
    report = profile(lab, "cnn", "--ep", "cpu,openvino", "-d", "300ms", runtime=openvino)
    cpu, other = report["runs"]
    assert [cpu["label"], other["label"]] == ["cpu", "openvino"]
    assert [row["provider"] for row in cpu["operators"]["providers"]] == ["CPUExecutionProvider"]
    assert "OpenVINOExecutionProvider" in [row["provider"] for row in other["operators"]["providers"]]
    assert other["operators"]["model_nodes_on_provider"] == sum(node["is_of_model"] for node in report["nodes"])
    assert other["outputs_against"] == "cpu"
    (output,) = other["outputs"]
    assert output["agrees"] and output["max_absolute"] < 1e-3
    assert other["speed"]["ratio"] > 0


def software_gpu(lab):
    """The environment in which Vulkan runs on the CPU, with the library of Debian's Chromium."""
    library = "/usr/lib/chromium/libvk_swiftshader.so"
    if not os.path.exists(library) or not ctypes.util.find_library("vulkan"):
        pytest.skip("no SwiftShader and Vulkan here (Debian: chromium, libvulkan1)")
    path = lab.path("icd.json")
    with open(path, "w") as out:
        json.dump({"file_format_version": "1.0.0", "ICD": {"library_path": library, "api_version": "1.1.0"}}, out)
    return {"VK_ICD_FILENAMES": path}


@pytest.mark.in_turn(2)
def test_options_go_to_the_provider_that_they_are_of(lab, openvino):
    few = ["-n", 5, "--rounds", 1, "--level", "inference"]
    for name in ("openvino", "OpenVINOExecutionProvider", "OPENVINO"):
        report = profile(
            lab,
            "cnn",
            "--ep",
            "CPUExecutionProvider," + name,
            "--ep-option",
            "openvino:num_streams=2",
            *few,
            runtime=openvino,
        )
        assert [run["error"] for run in report["runs"]] == [None, None], name
    report = profile(
        lab,
        "cnn",
        "--ep",
        "cpu,openvino",
        "--ep-option",
        "OpenVINOExecutionProvider:no_such=1",
        *few,
        runtime=openvino,
        status=1,
    )
    assert report["runs"][0]["error"] is None and "no_such" in report["runs"][1]["error"]
    for option, words in (("opnvino:x=1", "opnvino is not among --ep"), ("x=1", "the CPU provider has none")):
        done = lab.plain(command(lab, "cnn", "--ep-option", option, runtime=openvino))
        assert done.status == 3 and words in done.err and done.err.count("\n") == 1, done.err


@pytest.mark.in_turn(2)
def test_webgpu_runs_without_a_gpu(lab):
    library = environment(envs.node_package, "newest").library
    done = lab.plain(
        command(lab, "chain", "--ep", "cpu,webgpu", "-n", 3, "--json", runtime=library), env=software_gpu(lab)
    )
    assert done.status == 0, done.err
    run = json.loads(done.out)["runs"][1]
    assert "WebGpuExecutionProvider" in [row["provider"] for row in run["operators"]["providers"]]
    assert run["outputs"][0]["agrees"]


@pytest.mark.in_turn(2)
def test_a_provider_that_took_nothing_is_called_so(lab):
    qnn = environment(envs.plugin, "qnn")
    report = profile(lab, "batch", "--ep", "cpu,qnn", "-n", 20, runtime=qnn.library)
    run = report["runs"][1]
    assert run["error"] is None
    assert [row["provider"] for row in run["operators"]["providers"]] == ["CPUExecutionProvider"]
    assert any(insight["run"] == 1 and "ran no node" in insight["finding"] for insight in report["insights"])


@pytest.mark.in_turn(2)
def test_a_provider_that_fails_is_a_row_and_the_others_are_run(lab, library):
    report = profile(lab, "cnn", "--ep", "cpu,nothere", "-d", "200ms", runtime=library, status=1)
    good, bad = report["runs"]
    assert good["error"] is None and good["latency"]["count"] > 0
    assert "nothere" in bad["error"] and bad["latency"] is None


@pytest.mark.in_turn(2)
def test_the_only_provider_that_fails_is_one_clear_error(lab, library):
    done = lab.plain(command(lab, "cnn", "--ep", "nothere", "--report", lab.path("r.html"), runtime=library))
    assert done.status == 3 and done.out == ""
    assert done.err.count("\n") == 1 and "nothere" in done.err and lab.model("cnn") in done.err
    assert not os.path.exists(lab.path("r.html"))


@pytest.mark.in_turn(2)
def test_outputs_are_kept_where_they_are_asked_for_and_nowhere_else(lab, openvino):
    os.mkdir(lab.path("tmp"))
    profile(
        lab,
        "cnn",
        "--ep",
        "cpu,openvino",
        "-n",
        5,
        "--level",
        "inference",
        "--outputs",
        lab.path("kept"),
        runtime=openvino,
    )
    assert sorted(glob.glob(lab.path("kept/*/*"))) == [lab.path("kept/cpu/0.npy"), lab.path("kept/openvino/0.npy")]
    done = lab.plain(
        command(lab, "cnn", "--ep", "cpu,openvino", "-n", 5, "--level", "inference", runtime=openvino),
        env={"TMPDIR": lab.path("tmp")},
    )
    assert done.status == 0 and os.listdir(lab.path("tmp")) == []
    # with several groups of shapes
    done = lab.plain(
        command(
            lab, "batch", "--ep", "cpu,openvino", "--dim", "n=1,2", "-n", 5, "--level", "inference", runtime=openvino
        ),
        env={"TMPDIR": lab.path("tmp")},
    )
    assert done.status == 0 and os.listdir(lab.path("tmp")) == []


# ---- reports


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for key, value in attrs if key in ("src", "href", "xlink:href") and value]


@pytest.mark.in_turn(2)
def test_one_measurement_is_reported_on_the_terminal_and_in_files_of_all_formats(lab, library):
    begins = {"html": "<!doctype html>", "json": "{", "csv": "run,", "txt": "cnn: cpu takes "}
    paths = {suffix: lab.path("report." + suffix) for suffix in begins}
    reports = [word for path in paths.values() for word in ("--report", path)]
    done = lab.plain(command(lab, "cnn", "-d", "200ms", *reports, runtime=library))
    assert done.status == 0 and done.out.startswith(begins["txt"]), done.err
    texts = {suffix: open(path).read() for suffix, path in paths.items()}
    for suffix, text in texts.items():
        assert text.lower().startswith(begins[suffix]), text[:200]
    assert json.loads(texts["json"])["runs"][0]["latency"]["count"] > 0
    page = Page()
    page.feed(texts["html"])
    assert page.tags.count("svg") > 3 and "script" not in page.tags
    assert all(link.startswith("#") for link in page.links)
    again = lab.plain(
        command(lab, "cnn", "-d", "200ms", "--report", lab.path("new.html"), "--report", paths["json"], runtime=library)
    )
    assert again.status == 3 and again.out == "" and "report.json: it exists already; name another" in again.err
    assert open(paths["json"]).read() == texts["json"] and not os.path.exists(lab.path("new.html"))
    failed = lab.plain(command(lab, "cnn", "--ep", "nothere", "--report", paths["json"], "--force", runtime=library))
    assert failed.status == 3 and open(paths["json"]).read() == texts["json"]
    forced = lab.plain(command(lab, "cnn", "-n", 3, "--report", paths["json"], "--force", runtime=library))
    assert forced.status == 0 and json.load(open(paths["json"]))["runs"][0]["latency"]["count"] == 3


def test_ctrl_c_ends_the_measurement_and_reports_it(lab, library):
    process = lab.start(
        command(lab, "cnn", "-d", "1h", "--warm-up-max", 0, "--json", runtime=library),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    path = lab.path("run-cpu.pftrace")
    growing = Growing(path)
    wait_until(
        lambda: growing.now() and sum(slice.end is not None for slice in growing.now().inferences) > 100, process
    )
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert out, (process.returncode, err)
    report = json.loads(out)
    assert report["runs"][0]["latency"]["count"] > 10, err
    assert report["runs"][0]["operators_missing"] == "it was interrupted before that"
    assert report["runs"][0]["ended_early"] == "a signal ended it"


@pytest.mark.parametrize("delay", [0.2, 0.6, 0.9, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2])
@pytest.mark.in_turn(3)
def test_ctrl_c_between_two_programs_leaves_nothing_behind(lab, openvino, delay):
    """With such short runs, most moments lie between two of them."""
    os.mkdir(lab.path("tmp"))
    process = lab.start(
        command(
            lab,
            "tiny",
            "--ep",
            "cpu,openvino",
            "-n",
            50,
            "--rounds",
            50,
            "--warm-up-max",
            0,
            "--json",
            "--ep-profile",
            "basic",
            runtime=openvino,
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=dict(os.environ, TMPDIR=lab.path("tmp")),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert os.listdir(lab.path("tmp")) == []
    if process.returncode == -signal.SIGINT:
        assert not out and not glob.glob(lab.path("*.pftrace"))  # its first program had not started yet
        return
    assert process.returncode in (0, 1, 3) and (out or err), (process.returncode, err)
    if out:
        first = json.loads(out)["runs"][0]
        assert first["label"] == "cpu" and (first["error"] or first["ended_early"] == "a signal ended it")
    # no measurement is lost
    if os.path.exists(lab.path("run-cpu-round2.pftrace")):
        assert out and first["latency"]["count"] >= 1 and not first["error"]


# ---- energy


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_energy_is_what_the_meters_of_the_packages_have_counted(lab, library):
    """The first meter overflows to 0 after two seconds. A thread advances both meters. A busy machine delays it by some
    hundredths of these four seconds. Omitting a meter, or counting one twice, changes the result by at least a sixth.
    """
    report = metered(lab, "-d", "4s", "--rounds", 1, "--interval", "100ms", "--level", "inference", runtime=library)
    (run,) = report["runs"]
    assert run["energy_missing"] is None and run["energy_scope"] == "package-0+package-1, whole machine"
    assert run["energy_joules"] / (run["steady_ns"] / 1e9) == pytest.approx(60, rel=0.1)
    assert run["energy_joules_per_inference"] == pytest.approx(run["energy_joules"] / run["latency"]["count"])
    values = {
        (row["name"], row["unit"]): row
        for row in json.loads(lab.plain([lab.inftrace, "report", "--json", run["recording"]]).out)["resources"]
    }
    assert values["package-0 power", "W"]["mean"] == pytest.approx(50, rel=0.1)
    assert values["package-1 power", "W"]["mean"] == pytest.approx(10, rel=0.1)
    assert values["package-0 energy", "J"]["last"] > 200 and values["package-0 energy", "J"]["mean"] is None


@pytest.mark.root
def test_energy_of_too_short_a_run_is_not_known(lab, library):
    (run,) = metered(lab, "-d", "500ms", "--interval", "1s", "--level", "inference", runtime=library)["runs"]
    assert run["energy_joules"] is None and "run longer" in run["energy_missing"]


def metered(lab, *args, runtime):
    done = lab.plain(
        [
            "unshare",
            "-m",
            sys.executable,
            os.path.join(envs.PROGRAMS, "meters.py"),
            *command(lab, "cnn", *args, "--json", runtime=runtime),
        ]
    )
    if done.status == 77 or "unshare" in done.err:
        pytest.skip("cannot mount over /sys/class here")
    assert done.status == 0, done.err
    return json.loads(done.out)


@pytest.mark.in_turn(2)
def test_why_energy_is_not_known_is_said(lab, library):
    done = lab.plain(command(lab, "cnn", "-d", "300ms", runtime=library))
    (run,) = profile(lab, "cnn", "-d", "300ms", "--level", "inference", runtime=library)["runs"]
    if run["energy_missing"]:
        assert run["energy_joules"] is None and re.search("modprobe|run as root|run longer", run["energy_missing"])
        assert re.search(r"(?i)energy is not known:\s", done.out)
    else:
        assert run["energy_joules"] > 0 and re.search(r"(?i)energy is that of\s+package-0", done.out)


# ---- bad input


def test_options_that_make_no_sense_are_refused_before_anything_runs(lab, library):
    for args, words in (
        (["--rate", "abc"], "'abc' as --rate"),
        (["--shape", "1x2"], "expected NAME=VALUE"),
        (["-S", "x"], "'x' as --seed"),
        (["--data", "a", "--batch-size", 2], "--data with --shape or --batch-size"),
        (["-c", 0], "expected 1 to 1024"),
        (["--policy", "prefer-cpu", "--select-devices", "0"], "the runtime chooses the device"),
        (["--select-devices", "all"], "expected numbers such as 0,2"),
        (["--compile-only"], "pass --compile FILE"),
        (["--spin-backoff-max", 65], "expected 1 to 64"),
        (["--optimized-prepacked"], "without --optimized-data"),
    ):
        done = lab.plain(command(lab, "tiny", *args, runtime=library))
        assert (done.status, done.out) == (2, "") and words in done.err and "inftrace-run" not in done.err, done.err
    assert glob.glob(lab.path("*.pftrace")) == []


def test_what_is_no_model_is_one_clear_error(lab, library):
    good = open(lab.model("cnn"), "rb").read()
    for name, data, words in (
        ("empty", b"", "empty"),
        ("text", b"hello world, this is text\n", "ONNX"),
        ("cut", good[: len(good) // 2], "byte"),
    ):
        path = lab.path(name + ".onnx")
        with open(path, "wb") as out:
            out.write(data)
        done = lab.plain(command(lab, path, runtime=library))
        assert (done.status, done.out) == (3, "") and done.err.count("\n") == 1, done.err
        assert words in done.err and path in done.err, done.err
    assert lab.plain(command(lab, lab.path("none.onnx"), runtime=library)).status == 3
    assert glob.glob(lab.path("*.pftrace")) == []


@pytest.mark.in_turn(2)
def test_a_model_of_many_free_dimensions_is_run_and_analysed(lab, library):
    helper, names = onnx.helper, ["x%d" % i for i in range(40)]
    inputs = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [name + "_rows", name + "_columns"])
        for name in names
    ]
    nodes = [helper.make_node("Relu", [name], ["y" + name]) for name in names]
    outputs = [helper.make_tensor_value_info("y" + name, onnx.TensorProto.FLOAT, [None, None]) for name in names]
    model = helper.make_model(
        helper.make_graph(nodes, "dims", inputs, outputs), opset_imports=[helper.make_opsetid("", 13)]
    )
    model.ir_version = 7
    onnx.save(model, lab.path("dims.onnx"))
    dims = [word for name in names for word in ("--dim", name + "_rows=2")]
    assert lab.plain([lab.inftrace, "model", lab.path("dims.onnx"), "--dry-run", *dims]).status == 0
    for given in ([], dims):
        (run,) = profile(lab, lab.path("dims.onnx"), "-n", 5, "--rounds", 1, *given, runtime=library)["runs"]
        assert run["latency"]["count"] == 5 and len(run["operators"]["list"]) == 40
