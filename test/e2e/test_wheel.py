# SPDX-License-Identifier: Apache-2.0
"""The wheel that carries the program, its agent and runner, and libinftrace: packed, installed into an environment of
its own, used with ONNX Runtime, removed."""

import os
import shutil
import subprocess
import sys

import pytest

import envs
from attaching import Attaching, native_server
from conftest import environment
from lab import made_once
from recording import Recording

ROOT = os.path.dirname(os.path.dirname(envs.HERE))


def package(out):
    """The wheel of what is built."""
    built = os.path.dirname(os.environ["INFTRACE"])
    command = [sys.executable, os.path.join(ROOT, "tools", "package"), "wheel", "--target=native"]
    command += ["--built", built, "-o", out]
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env)
    return done.stdout.strip()


def everything_in(folder):
    return sorted(
        os.path.join(path, name) for path, folders, names in os.walk(folder) for name in folders + names if path
    )


class Installed:
    """An environment with the wheel alone, beside which ONNX Runtime is found by PYTHONPATH."""

    def __init__(self, folder, wheel):
        self.folder = os.path.join(folder, "venv")
        self.bin = os.path.join(self.folder, "bin")
        self.python = os.path.join(self.bin, "python")
        self.env = {"PATH": self.bin + os.pathsep + os.defpath, "PYTHONPATH": wheel.site}


@pytest.fixture(scope="session")
def pip():
    builder = environment(envs.tables)
    return [builder, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir"]


@pytest.fixture
def installed(shared, pip, wheel):
    wheel.site = os.path.dirname(os.path.dirname(os.path.dirname(wheel.module)))

    def make(folder):
        os.mkdir(folder)
        path = package(folder)
        new = Installed(folder, wheel)
        subprocess.run([wheel.python, "-m", "venv", "--without-pip", new.folder], check=True)
        run = [*pip, "--python", new.python, "install", "--quiet", "--no-index", "--no-compile", path]
        subprocess.run(run, check=True)

    return Installed(made_once(shared / "wheel", make), wheel)


USE = """
import json, numpy, onnxruntime, os, sys
import inftrace

path = sys.argv[1]
recording = inftrace.open("app.pftrace")
again = inftrace.record([sys.executable, sys.argv[2], path, "7"])
print(recording.verdict.split(" on ")[0])
print(again.inferences.count(), inftrace.program())
session = onnxruntime.InferenceSession(path)
feeds = dict(numpy.load(path.replace(".onnx", ".npz")))
with inftrace.profile(session, samples=5) as report:
    for _ in range(9):
        session.run(None, feeds)
print(report.samples, inftrace.library.library().path)
result = inftrace.model(path, iterations=3, runtime=os.path.dirname(onnxruntime.__file__))
print(len(result["runs"]), result["runs"][0].get("error"))
"""


@pytest.mark.in_turn(2)
def test_an_installed_wheel_records_profiles_and_reads(lab, installed, wheel):
    program = os.path.join(ROOT, "examples", "classify.py")
    command = ["inftrace", "record", "-o", "app.pftrace", "--", "python", program, lab.model("cnn"), "12"]
    done = lab.plain(command, env=installed.env)
    assert done.status == 0, done.err
    assert len(Recording(lab.path("app.pftrace")).inferences) == 12
    done = lab.plain([installed.python, "-m", "inftrace", "--version"], env=installed.env)
    assert done.out == lab.plain([lab.inftrace, "--version"]).out
    done = lab.plain([installed.python, "-c", USE, lab.model("cnn"), program], env=installed.env)
    assert done.status == 0, done.err
    verdict, recorded, profiled, model = done.out.splitlines()[-4:]
    assert "12 inferences of cnn" in verdict
    assert recorded == "7 " + os.path.join(installed.bin, "inftrace")
    assert profiled == "5 " + os.path.join(installed.folder, "lib", "libinftrace.so.0")
    assert model == "1 None"


@pytest.mark.in_turn(2)
def test_a_removed_wheel_leaves_nothing(installed, lab, pip, wheel):
    """Also of what it has written while it was used."""
    copy = Installed(lab.folder, wheel)
    subprocess.run([wheel.python, "-m", "venv", "--without-pip", copy.folder], check=True)
    before = everything_in(copy.folder)
    (path,) = [name for name in os.listdir(os.path.dirname(installed.folder)) if name.endswith(".whl")]
    run = [*pip, "--python", copy.python]
    path = os.path.join(os.path.dirname(installed.folder), path)
    subprocess.run([*run, "install", "--quiet", "--no-index", path], check=True)
    assert os.access(os.path.join(copy.bin, "inftrace"), os.X_OK)
    done = lab.plain([copy.python, "-c", "import inftrace; print(inftrace.program())"], env=installed.env)
    assert done.out.strip() == os.path.join(copy.bin, "inftrace"), done.err
    subprocess.run([*run, "uninstall", "--quiet", "--yes", "inftrace"], check=True)
    assert set(everything_in(copy.folder)) <= set(before)  # pip removes the folder of packages with the last one


@pytest.mark.in_turn(3)
def test_a_wheel_has_the_same_bytes_again(installed, lab):
    """Packed again at another time, into another folder."""
    folder = os.path.dirname(installed.folder)
    (name,) = [name for name in os.listdir(folder) if name.endswith(".whl")]
    again = package(lab.path("again"))
    assert os.path.basename(again) == name
    with open(os.path.join(folder, name), "rb") as first, open(again, "rb") as second:
        assert first.read() == second.read()


@pytest.mark.parametrize("folder", ["a place", "a:place"])
def test_the_loader_takes_no_space_and_no_colon(installed, lab, folder):
    shutil.copytree(installed.folder, lab.path(folder), symlinks=True)
    done = lab.plain([os.path.join(lab.path(folder), "bin", "inftrace"), "record", "--", "/bin/true"])
    assert done.status == 3 and done.err == (
        "inftrace: cannot preload the agent from '%s': the loader takes no path with a space or a colon; move inftrace "
        "elsewhere\n" % os.path.join(lab.path(folder), "lib", "inftrace", "libinftrace-agent.so")
    )


def test_an_agent_is_injected_from_any_folder(installed, lab, library):
    server = native_server(lab, library, "chain", 256, 256)
    shutil.copytree(installed.folder, lab.path("a: place"), symlinks=True)
    lab.inftrace = os.path.join(lab.path("a: place"), "bin", "inftrace")
    background = Attaching(lab, "--inject", server.pid)
    background.wait_recorded(3)
    background.end()
    server.end()


@pytest.mark.full("builds the product twice")
def test_a_tree_builds_the_same_wheel_in_any_folder(lab):
    names = subprocess.check_output(["git", "-C", ROOT, "ls-files", "-z"], text=True).split("\0")[:-1]
    wheels = []
    for folder in ("one", "another/place"):
        for name in names:
            os.makedirs(os.path.dirname(os.path.join(lab.path(folder), name)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), os.path.join(lab.path(folder), name))
        command = [sys.executable, os.path.join(lab.path(folder), "tools", "package"), "wheel"]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        wheels.append(subprocess.check_output(command, text=True, env=environment).strip())
    with open(wheels[0], "rb") as first, open(wheels[1], "rb") as second:
        assert first.read() == second.read()
