# SPDX-License-Identifier: Apache-2.0
"""The commands of README run as they stand there, in a folder with what ./demo builds, a program and a model."""

import os
import re
import shutil
import signal

import pytest

import envs
from conftest import environment
from lab import CLEAN, PATIENCE, wait_until

SOURCE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
WHEEL = "it builds a wheel and installs it: test_wheel.py does"
NOT_RUN = {
    "./demo": "it installs packages of the system: tools/try-bare.sh runs it in a bare one",
    "tools/package wheel": WHEEL,
    "python3 -m venv env && env/bin/pip install --no-index --find-links build/package inftrace": WHEEL,
    "env/bin/inftrace record -- env/bin/python app.py": WHEEL,
    "inftrace watch --metrics 9465": "it watches each program of the machine until it is ended: test_watch.py does",
}
OF_ALL = ("sudo build/inftrace top", "inftrace next")  # they probe programs of other tests, too
NEEDS_ROOT = (*OF_ALL, "inftrace attach PID")
# What README leaves to its reader, or what would take minutes.
FILLED = {
    "inftrace query FILE SQL": "inftrace query inftrace.pftrace 'select count(*) from inferences'",
    "inftrace import": "inftrace import profile.json -o imported.pftrace",
    "inftrace export": "inftrace export inftrace.pftrace --to chrome -o exported.json",
    "inftrace model model.onnx --ep cpu,openvino": "inftrace model model.onnx --ep cpu,openvino --rounds 1 -d 200ms",
    "sudo build/inftrace top": "build/inftrace top",
}
APP = """
import time, numpy, onnxruntime
session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
for i in range(%d):
    session.run(None, {"x": numpy.zeros(256, numpy.float32)})
    time.sleep(0.005)
"""


def commands():
    """Those of blocks of code, without what they say of themselves, and those of the first column of the table."""
    with open(os.path.join(SOURCE, "README.md")) as file:
        text = file.read()
    blocks = [re.split(r"\s{2,}", line)[0] for line in re.findall(r"^    (\S.*)$", text, re.M)]
    cells = re.findall(r"^\| (`inftrace .*?`) \|", text, re.M)
    return list(dict.fromkeys(blocks + [command for cell in cells for command in re.findall(r"`(.*?)`", cell)]))


class Reader:
    """A folder in which ./demo has run. README's commands find `inftrace` and `python` as they are installed."""

    def __init__(self, lab, wheel):
        self.lab, self.folder = lab, lab.path("reader")
        os.makedirs(self.path("build"))
        with open(os.path.join(SOURCE, "demo")) as file:
            targets = re.search(r"^build (.*)$", file.read(), re.M).group(1).split()
        for name in targets:
            shutil.copy(os.path.join(os.path.dirname(lab.inftrace), name), self.path("build"))
        shutil.copy(lab.model("chain"), self.path("model.onnx"))
        profile = "test/data/ort_profile/good/ort1.22.1-cpu-squeezenet.json"
        shutil.copy(os.path.join(SOURCE, profile), self.path("profile.json"))
        self.write_app(50)
        paths = [self.path("build"), os.path.dirname(wheel.python), os.environ["PATH"]]
        self.env = {**CLEAN, "PATH": ":".join(paths), "HOME": self.folder}

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_app(self, n):
        with open(self.path("app.py"), "w") as file:
            file.write(APP % n)

    def start(self, command):
        with open(self.path("said"), "wb") as out:
            return self.lab.start(self.shell(command), self.env, stdout=out, stderr=out)

    def shell(self, command):
        return ["sh", "-c", "cd %s && exec %s" % (self.folder, command)]

    def said(self):
        with open(self.path("said"), errors="replace") as file:
            return file.read()

    def run(self, command):
        assert self.start(command).wait(PATIENCE) == 0, self.said()
        return self.said()

    def record(self, *folders):
        self.run("inftrace record -q -o inftrace.pftrace -- python app.py")
        for folder in folders:
            os.mkdir(self.path(folder))
            for i in range(3):
                shutil.copy(self.path("inftrace.pftrace"), self.path("%s/%d.pftrace" % (folder, i)))


def run_until(reader, command, pattern):
    """A command that goes on until it is interrupted."""
    process = reader.start(command)
    wait_until(lambda: re.search(pattern, reader.said()), process, reader.said)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) in (0, 128 + signal.SIGINT, -signal.SIGINT), reader.said()


def start_app(reader, n=1000):
    """One that runs for some seconds, or longer."""

    def maps():
        with open("/proc/%d/maps" % app.pid) as file:
            return file.read()

    reader.write_app(n)
    app = reader.lab.start(reader.shell("python app.py"), reader.env)
    wait_until(lambda: "onnxruntime" in maps(), app)
    return app


def attach(reader, command):
    said = reader.run(command.replace("PID", str(start_app(reader).pid)))
    assert re.search(r"[1-9]\d* inferences? in", said), said


def run_next(reader, command):
    process = reader.start(command)
    wait_until(lambda: "aiting" in reader.said(), process, reader.said)
    app = reader.lab.plain(reader.shell("python app.py"), reader.env)
    assert app.status == 0, app.err
    assert process.wait(PATIENCE) == 0, reader.said()


def marks_of(command):
    return [pytest.mark.alone("probes every program of the machine")] if command in OF_ALL else []


@pytest.mark.parametrize("command", [pytest.param(command, marks=marks_of(command)) for command in commands()])
@pytest.mark.in_turn(3)
def test_a_command_runs(lab, command):
    if command in NOT_RUN:
        pytest.skip(NOT_RUN[command])
    if command in NEEDS_ROOT and os.geteuid():
        pytest.skip("needs root")
    reader = Reader(lab, environment(envs.wheel, "openvino" if "openvino" in command else "newest"))
    if "diff" in command:
        reader.record("old", "new")
    elif not re.search(r"inftrace (record|attach|next|model|import)", command):
        reader.record()
    filled = FILLED.get(command, command)
    if re.search(r"inftrace (view|live)$", filled):
        run_until(reader, filled, r"http://127\.0\.0\.1:\d+")
    elif re.search(r"inftrace top$", filled):
        app = start_app(reader, 10**6)
        run_until(reader, filled, r"\b%d\b" % app.pid)
    elif filled == "inftrace ps":
        app = start_app(reader, 10**6)
        assert str(app.pid) in reader.run(filled)
    elif "attach" in filled:
        attach(reader, filled)
    elif filled == "inftrace next":
        run_next(reader, filled)
    else:
        assert reader.run(filled)


def test_every_command_and_option_exists(lab):
    """Also of those that are not run here."""
    found = commands()
    assert len(found) > 15 and {*NOT_RUN, *NEEDS_ROOT, *FILLED} <= {*found}, found
    for command in found:
        for tool in re.findall(r"(?<!\S)(\./\w+|tools/\S+)", command):
            assert os.access(os.path.join(SOURCE, tool), os.X_OK), command
        named = re.search(r"inftrace (\w+)(.*)", command)
        if named:
            help = lab.plain([lab.inftrace, "help", named.group(1)])
            assert help.status == 0, command
            for option in re.findall(r"(?<!\S)--?[a-z][-a-z]*", named.group(2).split(" -- ")[0]):
                assert re.search(r"(?<![-\w])%s\b" % option, help.out), (command, option)
