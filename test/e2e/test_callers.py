# SPDX-License-Identifier: Apache-2.0
"""The line that asked for an inference or a session: equal to what `traceback` says in the program, call by call."""

import collections
import json
import os
import re
import subprocess

import pytest

import envs
from attaching import attach
from conftest import environment
from lab import wait_until


def said(lab, name="said"):
    with open(lab.path(name)) as file:
        return file.read().split("\n")


def in_turn(slices):
    return [slice.args.get("caller") for slice in sorted(slices, key=lambda slice: slice.start)]


def check(lab, recording, n_sessions=1):
    """Every call of the program and of its child."""
    expected = said(lab)
    assert in_turn(recording.of("session")) == expected[:n_sessions]
    assert in_turn(recording.inferences) == expected[n_sessions:] + said(lab, "said-by-child")
    assert len(expected) > 50


def test_every_call_of_onnxruntime_has_its_line(lab, wheel):
    recording = lab.both(lab.python(wheel, "callers", "onnxruntime", lab.model("cnn"))).recording
    check(lab, recording)
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", recording.path]).out)["models"][0]
    callers = report["inferences"]["callers"]
    assert sum(one["inferences"] for one in callers) == len(recording.inferences)
    classify = next(line for line in said(lab) if line.startswith("Application.classify ("))
    assert callers[0]["text"] == classify and callers[0]["inferences"] == 5  # with the thread's and the child's
    assert report["sessions"][0]["caller"] == said(lab)[0]
    text = " ".join(lab.plain([lab.inftrace, "report", recording.path]).out.split())
    assert "called from Application.classify (callers.py:%s: 5, " % classify.rsplit(":")[-1] in text
    assert "created from with_onnxruntime (callers.py:" in text
    asked = "select caller, count(*) n from inferences group by 1 order by 2 desc limit 1"
    rows = json.loads(lab.plain([lab.inftrace, "query", "--format", "json", recording.path, asked]).out)
    assert rows == [{"caller": classify, "n": 5}]


@pytest.mark.parametrize("key", ["1.15", "1.18"])
@pytest.mark.in_turn(2)
def test_every_call_of_older_versions_has_its_line(lab, key):
    check(lab, lab.both(lab.python(environment(envs.wheel, key), "callers", "onnxruntime", lab.model("cnn"))).recording)


def test_every_call_of_openvino_has_its_line(lab):
    program = lab.python(environment(envs.openvino, "newest"), "callers", "openvino", lab.model("cnn"))
    check(lab, lab.both(program).recording)


def test_every_call_of_litert_has_its_line(lab, tmp_path):
    environment(envs.litert_models, str(tmp_path))
    program = lab.python(environment(envs.litert, "newest"), "callers", "litert", tmp_path / "cnn.tflite")
    check(lab, lab.both(program).recording)


@pytest.mark.in_turn(2)
def test_every_call_of_pytorch_has_its_line(lab):
    recording = lab.both(lab.python(environment(envs.torch, "debian"), "callers", "torch", "none")).recording
    check(lab, recording, n_sessions=0)


def test_a_native_call_has_its_line_or_its_address(lab, library):
    """The line that calls the function table in ort.c; of a stripped program, where."""
    program = lab.binaries._build(lab.path("traced"), ["-g", "run.c", "ort.c", "runtime_opened.c", "-ldl"])
    with open(os.path.join(envs.PROGRAMS, "ort.c")) as file:
        source = file.read().split("\n")
    for name, function in (("traced", "model_try_run"), ("stripped", None)):
        if not function:
            subprocess.run(["strip", "-o", lab.path(name), program], check=True)
        recording = lab.record([lab.path(name), library, lab.model("chain"), "256", "256", "run", "5", "2"]).recording
        callers = set(in_turn(recording.inferences))
        assert len(recording.inferences) == 10 and len(callers) == 1
        (caller,) = callers
        if function:
            line = re.fullmatch(r"%s \(\S*/ort\.c:(\d+)\)" % function, caller)[1]
            assert "ORT_RUN" in source[int(line) - 1] + source[int(line)]
            assert "(%s" % os.path.join(envs.PROGRAMS, "ort.c") in in_turn(recording.of("session"))[0]
        else:
            assert re.fullmatch(re.escape(lab.path(name)) + r"\+0x[0-9a-f]+", caller)


@pytest.mark.root
def test_an_injected_agent_finds_lines(lab, wheel):
    path, err = lab.path("serving"), lab.path("serving-err")
    with open(path, "wb") as out, open(err, "wb") as err:
        program = lab.start(
            lab.python(wheel, "callers", "onnxruntime", lab.model("cnn"), "--serve"), stdout=out, stderr=err
        )
    wait_until(lambda: os.path.getsize(path), program)
    recording = attach(lab, "--inject", program.pid, n=200).recording
    with open(path) as file:
        lines = file.readline().strip().split(" | ")
    found = collections.Counter(in_turn(recording.inferences))
    assert set(found) == set(lines) and min(found.values()) > 50
