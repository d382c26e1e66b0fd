# SPDX-License-Identifier: Apache-2.0
"""Errors in a program are recorded with the runtime's own message, and the program fails as it does alone."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import pytest

import envs
from attaching import Attaching, Server, attach, native_server
from conftest import environment
from lab import PATIENCE, wait_until
from recording import Growing, Recording


def said(done, what):
    """The runtime's message as the program received it, without the prefix that Python adds."""
    line = re.search(r"^%s \w+ \[ONNXRuntimeError\] : \d+ : [A-Z_]+ : (.*)$" % what, done.out, re.M).group(1)
    return line.strip()


@pytest.mark.in_turn(2)
def test_failing_runs_carry_the_runtimes_message(lab, each_wheel):
    done = lab.both(lab.python(each_wheel, "fail", lab.models))
    status = [slice.args["status"] for slice in done.recording.inferences]
    assert len(status) == done.counted[0] == 10
    assert sum(text != "ok" for text in status) == done.counted[1] == 8
    for what in ("throws 0", "refuses 0", "shape", "type"):
        assert any(said(done, what)[:150] in text for text in status), (what, status)


def test_a_kernel_that_throws_leaves_the_operators_before_it_whole(lab, each_wheel):
    recording = lab.both(lab.python(each_wheel, "fail", lab.models)).recording
    thrown = [slice for slice in recording.inferences if slice.args["model"] == "throws"]
    assert len(thrown) == 3
    for run in thrown:
        mine = {
            operator.name: operator
            for operator in recording.operators
            if operator.args["inference"] == run.args["inference"]
        }
        assert set(mine) == {"before", "thrower"}
        assert all(run.start <= operator.start <= operator.end <= run.end for operator in mine.values())
        assert mine["thrower"].args.get("status", "ok") != "ok"
        assert mine["before"].args.get("status", "ok") == "ok"


def test_sessions_that_cannot_be_made_say_why(lab, each_wheel):
    done = lab.both(lab.python(each_wheel, "fail", lab.models))
    failed = [slice.args["status"] for slice in done.recording.of("session") if slice.args["status"] != "ok"]
    assert len(done.recording.of("session")) == 5 and len(failed) == 2
    for what in ("missing", "garbage"):
        assert any(said(done, what)[:80] in text for text in failed), (what, failed)


def agent_of_another_version(lab):
    """Its magic number is another one, also where the layout of its records is calculated with it."""
    with open(os.path.join(os.path.dirname(lab.inftrace), "libinftrace-agent.so"), "rb") as file:
        ours = file.read()
    other = ours.replace(b"E003", b"E001")
    assert other.count(b"E001") > ours.count(b"TRACE003") > 0 or envs.ARM64
    with open(lab.path("libinftrace-agent.so"), "wb") as file:
        file.write(other)
    return lab.path("libinftrace-agent.so")


def test_an_agent_of_another_version_is_named(lab, wheel):
    """As of two installations: its records have another layout."""
    other = agent_of_another_version(lab)
    program = lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs", 5)
    command = [lab.inftrace, "record", "-o", "other.pftrace", "--", *program]
    done = lab.plain(command, env={"INFTRACE_AGENT": other})
    assert done.status == 0, done.err
    report = lab.plain([lab.inftrace, "report", lab.path("other.pftrace")]).out
    said = "its agent belongs to another version of inftrace (a second installation, or INFTRACE_AGENT)"
    assert said in " ".join(report.split()), report


def test_an_agent_that_is_replaced_during_a_recording_is_used_by_later_programs(lab, wheel):
    """As by the upgrade of a package. What runs keeps the agent that it has."""
    ours, other = lab.path("agent.so"), agent_of_another_version(lab)
    shutil.copy(os.path.join(os.path.dirname(lab.inftrace), "libinftrace-agent.so"), ours)
    run = shlex.join(map(str, lab.python(wheel, "infer", "run", lab.model("cnn"), "--runs")))
    job = "%s 5 && mv %s %s && %s 7" % (run, other, ours, run)
    command = [lab.inftrace, "record", "-o", "replaced.pftrace", "--", "sh", "-c", job]
    done = lab.plain(command, env={"INFTRACE_AGENT": ours})
    assert done.status == 0, done.err
    assert len(Recording(lab.path("replaced.pftrace")).inferences) == 5
    report = lab.plain([lab.inftrace, "report", lab.path("replaced.pftrace")]).out
    report = " ".join(report.split())
    assert "what 1 process did was not seen" in report and "its agent belongs to another version" in report, report


@pytest.mark.skipif(bool(envs.ARM64), reason="no ptrace in the emulator, and no such constant in the code of aarch64")
def test_an_agent_of_another_version_does_not_record_after_injection(lab, library):
    server = native_server(lab, library, "chain", 256, 256)
    other = ["env", "INFTRACE_AGENT=" + agent_of_another_version(lab)]
    done = attach(lab, "--inject", server.pid, status=3, prefix=other)
    assert done.err.endswith(
        "cannot inject: process %d could not load the agent: an agent of another version is in it already, or "
        "INFTRACE_AGENT names one; restart it, or leave out --inject\n" % server.pid
    ), done.err
    server.end()


def patched(path, changes, program="/bin/true"):
    """A copy of a program of this system with other bytes at these places."""
    with open(program, "rb") as file:
        data = bytearray(file.read())
    for at, new in changes(data):
        data[at : at + len(new)] = new
    path.write_bytes(data)
    path.chmod(0o755)
    return str(path)


def test_a_program_of_another_processor_or_of_musl_is_named(lab, tmp_path):
    foreign = patched(tmp_path / "foreign", lambda data: [(18, b"\x16\x00")])  # s390x
    done = lab.plain([lab.inftrace, "record", "-o", "foreign.pftrace", "--", foreign])
    assert done.status == 3, done.err
    assert done.err.splitlines() == [
        "inftrace: %s: only CPU and memory are recorded: it is not a program for this processor" % foreign,
        "inftrace: cannot start %s: Exec format error" % foreign,
    ]
    musl = patched(tmp_path / "musl", lambda data: [(data.index(b"/ld-linux-"), b"/ld-musl-\0")])
    done = lab.plain([lab.inftrace, "record", "-o", "musl.pftrace", "--", musl])
    said = "inftrace: %s: only CPU and memory are recorded: it uses musl, and the agent needs glibc" % musl
    assert done.err.splitlines()[0] == said, done.err
    narrow = patched(tmp_path / "narrow", lambda data: [(4, b"\x01")])
    done = lab.plain([lab.inftrace, "record", "-o", "narrow.pftrace", "--", narrow])
    said = "inftrace: %s: only CPU and memory are recorded: it is a 32-bit program" % narrow
    assert done.err.splitlines()[0] == said, done.err


def test_a_program_in_an_emulator_is_named(lab):
    """By the name of the program that runs it."""
    shutil.copy("/bin/cat", lab.path("qemu-s390x"))
    program = lab.start([lab.path("qemu-s390x")], stdin=subprocess.PIPE)
    wait_until(lambda: os.readlink("/proc/%d/exe" % program.pid).endswith("qemu-s390x"))
    done = attach(lab, "--inject", program.pid, status=3)
    said = "cannot inject: qemu-s390x runs process %d, and programs for another processor are not supported\n"
    assert done.err.endswith(said % program.pid), done.err
    done = attach(lab, program.pid, status=3)
    assert " for another processor are not supported" in done.err or "cannot probe" in done.err, done.err
    assert program.poll() is None
    command = [
        lab.inftrace,
        "record",
        "-o",
        "child.pftrace",
        "--",
        "sh",
        "-c",
        "env -i INFTRACE_DISABLE=1 ./qemu-s390x < fifo; true",
    ]
    os.mkfifo(lab.path("fifo"))
    recorder = lab.start(command, stderr=subprocess.DEVNULL)
    with open(lab.path("fifo"), "w"):
        growing = Growing(lab.path("child.pftrace"))
        wait_until(lambda: any("qemu" in track.name for track in growing.now().tracks.values()), recorder)
    recorder.wait(PATIENCE)
    report = " ".join(lab.plain([lab.inftrace, "report", lab.path("child.pftrace")]).out.split())
    assert "an emulator runs it: it is not a program for this processor" in report, report


@pytest.fixture
def old_glibc():
    """A folder with this system's glibc by the names of an old one, and programs that use it. Its path is short: it
    takes the place of the loader's in a program."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, open("/usr/bin/env", "rb") as file:
        loader = re.search(rb"/lib\S*/ld-linux-[^\0]*", file.read()).group()
        libc = os.path.join(os.path.dirname(os.path.realpath(loader.decode())), "libc.so.6")
        for name, link, of in (("ld-2.12.so", "ld.so", os.fsdecode(loader)), ("libc-2.12.so", "libc.so.6", libc)):
            shutil.copy(of, os.path.join(folder, name))
            os.symlink(name, os.path.join(folder, link))
        path = os.fsencode(os.path.join(folder, "ld.so")) + b"\0"
        patched(pathlib.Path(folder, "env"), lambda data: [(data.index(loader), path)], "/usr/bin/env")
        yield folder


def test_a_program_whose_glibc_is_too_old_runs_without_the_agent(lab, old_glibc):
    program = os.path.join(old_glibc, "env")
    done = lab.plain([lab.inftrace, "record", "-o", "old.pftrace", "--", program])
    said = "inftrace: %s: only CPU and memory are recorded: its glibc is older than 2.17, which the agent needs"
    assert done.err.splitlines()[0] == said % program, done.err
    assert done.status == 0 and "PATH=" in done.out and "libinftrace-agent" not in done.out
    # as a child: the agent takes itself out
    for child, n in (("env", 1), (program, 0)):
        done = lab.plain([lab.inftrace, "record", "-o", "child-%d.pftrace" % n, "--", "sh", "-c", child + "; true"])
        assert done.status == 0 and done.out.count("libinftrace-agent") == n, done.out


def test_the_agent_is_not_injected_into_an_old_glibc(lab, old_glibc):
    program = lab.start(
        ["sh", "-c", "echo; read line"],
        env={"LD_LIBRARY_PATH": old_glibc},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    program.stdout.readline()
    done = attach(lab, "--inject", program.pid, status=3)
    said = "cannot inject: process %d uses glibc 2.12, and the agent needs 2.17 or newer; leave out --inject"
    assert said % program.pid in done.err and program.poll() is None, done.err


def refused(done):
    """Each session that the program could not make is recorded with the message that it got, and no other one is."""
    messages = re.findall(r"^failed: (.{1,60})", done.out, re.M)
    status = [slice.args["status"] for slice in done.recording.of("session")]
    failed = [text for text in status if text != "ok"]
    assert len(messages) == len(failed) > 4, (messages, failed)
    for message, text in zip(messages, failed):
        assert text.startswith(message), (messages, failed)
    assert len(status) - len(failed) == len(re.findall("^worked", done.out, re.M))
    return len(failed)


def no_models(lab):
    """Paths of what is no model."""
    with open(lab.model("chain"), "rb") as file:
        model = file.read()
    contents = {"garbage": bytes(range(100, 200)), "empty": b"", "one": b"x", "cut": model[: len(model) // 2]}
    contents["text"] = b"this is no model at all" * 40
    os.mkdir(lab.path("directory.onnx"))
    for name, content in contents.items():
        with open(lab.path(name + ".onnx"), "wb") as file:
            file.write(content)
    return [lab.path(name + ".onnx") for name in [*contents, "directory", "missing"]]


@pytest.mark.parametrize("key", [*envs.WHEELS, *envs.OTHER_WHEELS])
@pytest.mark.in_turn(4)
def test_what_is_no_model_is_a_failed_session_in_python(lab, key):
    """From a path or from bytes, of any content, among good sessions and rejected runs."""
    wheel = environment(envs.wheel, key)
    done = lab.record(lab.python(wheel, "no_models", lab.models))
    assert refused(done) == 14


def test_what_is_no_model_is_a_failed_session_in_c(lab, each_library):
    refused(lab.both(lab.native("no_models", each_library, *no_models(lab), lab.model("chain"))))


def test_what_is_no_model_is_a_failed_session_in_node(lab, each_node):
    program = [each_node.node, envs.PROGRAMS + "/no_models.js", *no_models(lab), lab.model("chain")]
    refused(lab.both(program, env=each_node.script_env))


def test_bytes_that_are_no_model_are_a_failed_session_after_injection(lab, wheel):
    server = Server(lab, [wheel.python, envs.PROGRAMS + "/no_models_later.py", lab.model("chain")])
    background = Attaching(lab, "--inject", server.pid)
    background.wait_recorded(11)
    server.process.stdin.write("\n")
    server.process.stdin.flush()
    background.wait_recorded(lambda recording: any(slice.end for slice in recording.of("session")))
    recording = background.end().recording
    server.end()
    assert [slice.args["status"][:24] for slice in recording.of("session")] == ["[ONNXRuntimeError] : 7 :"]


def test_a_c_program_gets_and_shows_the_same_failures(lab, each_library):
    done = lab.both(lab.native("fail", each_library, lab.model("chain")))
    missing, wrong = (re.search("^%s (.*)$" % what, done.out, re.M).group(1) for what in ("missing", "wrong"))
    status = [slice.args["status"] for slice in done.recording.inferences]
    assert len(status) == 3 and status.count("ok") == 2
    assert any(wrong[:80] in text for text in status)
    assert any(missing[:80] in slice.args["status"] for slice in done.recording.of("session"))


@pytest.mark.parametrize("key", ["1.15", "newest"])
def test_a_session_whose_constructor_throws_is_one_that_failed(lab, key):
    """The package tries once more by itself, so each of the three is two."""
    done = lab.record(lab.python(environment(envs.wheel, key), "throws", lab.model("tiny")))
    assert done.status == 0 and re.search("^failed 3$", done.out, re.M), done.err
    status = [slice.args["status"] for slice in done.recording.of("session")]
    assert [text == "ok" for text in status] == [True, *[False] * (len(status) - 2), True], status
    assert len(status) - 2 in (3, 6) and all("pthread_create failed" in text for text in status[1:-1]), status
    assert {slice.args["model"] for slice in done.recording.of("session")} == {"tiny"}
