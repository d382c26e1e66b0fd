# SPDX-License-Identifier: Apache-2.0
"""GPUs in recordings, in reports, and in the report of a model, with a simulated NVIDIA GPU (programs/nvidia.py)."""

import json
import os
import sys

import pytest

import envs
import judge
from recording import Recording

pytestmark = pytest.mark.root


def on_a_gpu(lab, *command):
    done = lab.plain(
        ["unshare", "-m", sys.executable, os.path.join(envs.PROGRAMS, "nvidia.py"), lab.path("says"), *command],
        env={"INFTRACE_NVML": os.path.join(os.path.dirname(lab.inftrace), "test/fake/libnvidia-ml.so.1")},
    )
    if done.status == 77 or "unshare" in done.err:
        pytest.skip("cannot mount over /dev here")
    return done


def resources(lab, recording):
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", recording]).out)
    return {row["name"]: row for row in report["resources"]}, report


@pytest.mark.in_turn(2)
def test_a_model_that_runs_on_a_gpu_has_its_figures_of_the_steady_phase(lab, library):
    done = on_a_gpu(
        lab,
        lab.inftrace,
        "model",
        lab.model("cnn"),
        "--runtime",
        library,
        "-o",
        lab.path("run.pftrace"),
        "-d",
        "3s",
        "--rounds",
        "1",
        "--interval",
        "100ms",
        "--level",
        "inference",
        "--json",
    )
    assert done.status == 0, done.err
    (run,) = json.loads(done.out)["runs"]
    (device,) = run["devices"]
    assert (
        device["name"] == "gpu nvidia0" and device["description"] == "NVIDIA H200 at 00000000:1A:00.0, driver 570.86.15"
    )
    assert (device["busy_percent_mean"], device["busy_of"], device["power_watts"]) == (71, "device", 50)
    assert (device["process_memory_bytes"], device["memory_used_bytes"]) == (1 << 30, 1 << 31)
    assert device["energy_joules"] / (run["steady_ns"] / 1e9) == pytest.approx(
        50, rel=0.2
    )  # nvidia.py counts late when the machine is busy
    assert device["energy_joules_per_inference"] == pytest.approx(device["energy_joules"] / run["latency"]["count"])
    counters = {counter["name"]: counter for counter in run["counters"]}
    assert counters["gpu nvidia0 sm"]["mean"] == pytest.approx(64) and counters["gpu nvidia0 clock"]["unit"] == "MHz"
    rows, report = resources(lab, run["recording"])
    assert rows["gpu nvidia0 busy"]["scope"] == "device" and rows["gpu nvidia0 busy"]["device"] == "gpu nvidia0"
    assert rows["gpu nvidia0 sm"]["scope"] == "process" and rows["gpu nvidia0 sm"]["pid"]
    assert rows["gpu nvidia0 memory"]["max"] == pytest.approx(1 << 30) and rows["gpu nvidia0 energy"]["last"] > 100
    # no program here uses the other GPU
    assert not [name for name in rows if name.startswith("gpu nvidia1")]
    text = lab.plain([lab.inftrace, "report", "--all", run["recording"]]).out
    assert "gpu nvidia0: NVIDIA H200 at 00000000:1A:00.0, driver 570.86.15" in text
    assert report["losses"]["lost_events"] == 0
    # the GPU works as it always does
    slowest = [row for model in report["models"] for row in model["inferences"]["slowest"]]
    assert slowest and not [part for row in slowest for part in row["why"]["parts"] if part["cause"] == "device"]
    assert Recording(run["recording"]).broken() == [] and not judge.import_errors(run["recording"])


@pytest.mark.in_turn(2)
def test_rounds_are_put_together(lab, library):
    done = on_a_gpu(
        lab,
        lab.inftrace,
        "model",
        lab.model("cnn"),
        "--runtime",
        library,
        "-o",
        lab.path("run.pftrace"),
        "-d",
        "3s",
        "--rounds",
        "2",
        "--interval",
        "100ms",
        "--level",
        "inference",
    )
    assert done.status == 0, done.err
    assert "GPUs and NPUs in the steady phase" in done.out and "71.0 %" in done.out and " 50 W " in done.out


def test_a_library_that_fails_is_said_and_harms_nobody(lab, library):
    """The program runs as usual; the recording gives the reason for the missing GPU."""
    done = lab.plain(
        [
            "unshare",
            "-m",
            sys.executable,
            os.path.join(envs.PROGRAMS, "nvidia.py"),
            lab.path("says"),
            lab.inftrace,
            "record",
            "-o",
            lab.path("out.pftrace"),
            "--interval",
            "100ms",
            "--",
            "sleep",
            "3",
        ],
        env={"INFTRACE_NVML": "/nowhere.so"},
    )
    if done.status == 77 or "unshare" in done.err:
        pytest.skip("cannot mount over /dev here")
    assert done.status == 0, done.err
    (stopped,) = resources(lab, lab.path("out.pftrace"))[1]["recording"]["stopped"]
    assert stopped["source"] == "gpu-nvidia" and "/nowhere.so" in stopped["reason"]


@pytest.mark.in_turn(2)
def test_a_model_whose_gpu_cannot_be_seen_says_so(lab, library):
    done = lab.plain(
        [
            "unshare",
            "-m",
            sys.executable,
            os.path.join(envs.PROGRAMS, "nvidia.py"),
            lab.path("says"),
            lab.inftrace,
            "model",
            lab.model("cnn"),
            "--runtime",
            library,
            "-o",
            lab.path("run.pftrace"),
            "-d",
            "500ms",
            "--rounds",
            "1",
            "--json",
        ],
        env={"INFTRACE_NVML": "/nowhere.so"},
    )
    if done.status == 77 or "unshare" in done.err:
        pytest.skip("cannot mount over /dev here")
    (run,) = json.loads(done.out)["runs"]
    assert run["devices"] == [] and "/nowhere.so" in run["devices_missing"]


def test_doctor_asks_the_library(lab):
    done = on_a_gpu(lab, lab.inftrace, "doctor", "--json", "--no-load")
    devices = {device["name"]: device for device in json.loads(done.out)["devices"]}
    assert "energy" in devices["gpu nvidia0"]["tells"] and devices["gpu nvidia0"]["problem"] is None
    assert "does not report busy" in devices["gpu nvidia1"]["problem"]
