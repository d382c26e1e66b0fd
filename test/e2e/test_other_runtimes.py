# SPDX-License-Identifier: Apache-2.0
"""Programs with runtimes that are not recorded: each way to look at them names the runtime and its version."""

import json
import os
import re
import subprocess
import sys

import pytest

import envs

LOAD = """
import ctypes, os, sys, time
time.sleep(float(sys.argv[2]))
ctypes.CDLL(sys.argv[1])
print("ready", flush=True)
if len(sys.argv) > 3:
    input()
"""


@pytest.fixture
def ncnn(tmp_path):
    """A library with the name and the package of ncnn's."""
    site = tmp_path / "site-packages"
    (site / "ncnn" / "lib").mkdir(parents=True)
    (site / "ncnn-2.11.0.dist-info").mkdir()
    path = site / "ncnn" / "lib" / "libncnn.so"
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", path], check=True)
    return str(path)


def report_of(lab, path):
    text = lab.plain([lab.inftrace, "report", path]).out
    return json.loads(lab.plain([lab.inftrace, "report", "--json", path]).out), " ".join(text.split())


@pytest.mark.parametrize("rest", [0, 1], ids=["at once", "shortly before the end"])
def test_a_recorded_program(lab, ncnn, rest):
    program = [sys.executable, "-c", LOAD, ncnn, str(rest)]
    assert lab.plain(program).out == lab.record(program, judged=False).out
    report, text = report_of(lab, lab.path("recording.pftrace"))
    (found,) = report["other_runtimes"]
    assert (found["runtime"], found["version"], found["path"]) == ("ncnn", "2.11.0", ncnn)
    assert text.startswith("No inference was recorded: the program loaded ncnn 2.11.0, which inftrace does not record")
    assert re.search(r"the program's use of CPUs, memory and devices (was|were) recorded", text)
    assert "no runtime was loaded" not in text and "outside of models" not in text
    if rest:
        assert re.search(r" program [\d.]+ m?s \([\d.]+ %\) asleep", text) and "; what its threads did, and" in text, (
            text
        )
    done = lab.plain(
        [
            lab.inftrace,
            "query",
            "--format",
            "json",
            lab.path("recording.pftrace"),
            "select runtime, version from other_runtimes",
        ]
    )
    assert json.loads(done.out) == [{"runtime": "ncnn", "version": "2.11.0"}]


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_a_running_program(lab, ncnn):
    server = lab.start([sys.executable, "-c", LOAD, ncnn, "0", "stay"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout.readline() == b"ready\n"
    done = lab.plain([lab.inftrace, "ps"])
    assert re.search(r"%d \(python[^)]*\): ncnn 2.11.0$" % server.pid, done.out, re.M), done.out
    listed = json.loads(lab.plain([lab.inftrace, "ps", "--json"]).out)["not_recorded"]
    assert [row["runtimes"] for row in listed if row["pid"] == server.pid] == ["ncnn 2.11.0"]
    for way in ([], ["--inject"]):
        done = lab.plain([lab.inftrace, "attach", *way, "-o", lab.path("none"), str(server.pid)])
        assert done.status == 3 and "has loaded ncnn 2.11.0, whose inferences inftrace does not record" in done.err
    server.communicate(b"\n")
    assert server.returncode == 0


LOAD_BOTH = """
import onnxruntime
print("ready", flush=True)
input()
"""


@pytest.mark.root
def test_inside_of_which_is_a_runtime_that_is_recorded_and_not_used(lab, wheel, ncnn):
    """As TensorFlow has LiteRT."""
    program, env = [wheel.python, "-c", LOAD_BOTH], {"LD_PRELOAD": ncnn}
    server = lab.start(program, env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout.readline() == b"ready\n"
    listed = json.loads(lab.plain([lab.inftrace, "ps", "--json"]).out)["programs"]
    assert [row["not_recorded"] for row in listed if row["pid"] == server.pid] == ["ncnn 2.11.0"]
    shown = lab.plain([lab.inftrace, "ps"]).out
    assert re.search(r"%d .* ONNX Runtime \S+; not recorded: ncnn 2.11.0 " % server.pid, shown), shown
    server.communicate(b"\n")
    done = lab.record(program, env=env, stdin=b"\n", judged=False)
    assert "(ncnn 2.11.0 was loaded, whose inferences are not recorded; CPU, memory and devices are)" in done.err
    text = report_of(lab, lab.path("recording.pftrace"))[1]
    assert text.startswith("No inference was recorded: the program loaded ncnn 2.11.0, which inftrace does not record;")
    assert "onnxruntime %s was loaded, too, and ran no model" % wheel.version in text


def test_beside_a_runtime_that_is_recorded(lab, wheel, ncnn):
    program = lab.python(wheel, "infer", "run", lab.model("chain"), "--runs", 3)
    recording = lab.record(program, env={"LD_PRELOAD": ncnn}).recording
    report, text = report_of(lab, recording.path)
    assert report["models"][0]["inferences"]["count"] == 3
    assert [found["runtime"] for found in report["other_runtimes"]] == ["ncnn"]
    assert "also loaded ncnn 2.11.0; not recorded" in text


def test_a_library_of_others_has_its_own_version(lab, tmp_path):
    """As pywhispercpp 1.5.1 brings whisper.cpp 1.8.5."""
    folder = tmp_path / "site-packages" / "pywhispercpp.libs"
    folder.mkdir(parents=True)
    (folder.parent / "pywhispercpp-1.5.1.dist-info").mkdir()
    path = folder / "libwhisper-1ab89ae8.so.1.8.5"
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", path], check=True)
    lab.record([sys.executable, "-c", LOAD, str(path), "0"], judged=False)
    (found,) = report_of(lab, lab.path("recording.pftrace"))[0]["other_runtimes"]
    assert (found["runtime"], found["version"]) == ("whisper.cpp", "1.8.5")


def test_one_that_is_linked_into_a_program_is_known_by_its_classes(lab):
    """Whatever the program is called."""
    binary = lab.path("serving")
    source = os.path.join(envs.PROGRAMS, "linked_llama.cpp")
    subprocess.run(["c++", "-std=c++17", "-O1", "-o", binary, source], check=True)
    assert lab.plain([binary]).out == lab.record([binary], judged=False).out
    report, text = report_of(lab, lab.path("recording.pftrace"))
    assert [(found["runtime"], found["path"]) for found in report["other_runtimes"]] == [
        ("statically linked llama.cpp", binary)
    ]
    assert text.startswith("No inference was recorded: the program loaded statically linked llama.cpp")


@pytest.mark.root
def test_a_running_program_that_one_is_linked_into(lab):
    binary = lab.path("serving")
    source = os.path.join(envs.PROGRAMS, "linked_llama.cpp")
    subprocess.run(["c++", "-std=c++17", "-O1", "-o", binary, source], check=True)
    server = lab.start([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout.readline()
    listed = json.loads(lab.plain([lab.inftrace, "ps", "--json"]).out)["not_recorded"]
    assert [row["runtimes"] for row in listed if row["pid"] == server.pid] == ["statically linked llama.cpp"]
    for way in ([], ["--inject"]):
        done = lab.plain([lab.inftrace, "attach", *way, "-o", lab.path("none"), str(server.pid)])
        assert done.status == 3 and "contains statically linked llama.cpp, whose inferences" in done.err, done.err
    server.communicate(b"\n")
    assert server.returncode == 0
