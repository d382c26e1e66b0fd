# SPDX-License-Identifier: Apache-2.0
"""inftrace ps, and attach without arguments: they find programs with a runtime, however it is hidden, and no others."""

import json
import os
import re
import shutil
import subprocess

import pytest

import envs
import judge
from attaching import Server, attach, native_server, python_server
from conftest import environment
from lab import children_of, wait_until

pytestmark = pytest.mark.root


def rows(lab, *prefix):
    """The rows of ps, by PID. Other tests may run programs of theirs at the same time."""
    done = lab.plain([*prefix, lab.inftrace, "ps", "--json"])
    assert done.status in (0, 1) and not done.err, done.err
    return {row["pid"]: row for row in json.loads(done.out)["programs"]}


def test_programs_are_listed_with_user_threads_and_version(lab, wheel):
    server = python_server(lab, wheel, "chain", "--threads", 3, "--rest", 0.01)
    idle = lab.start(["sleep", "1000"])
    found = rows(lab)
    row = found[server.pid]
    assert idle.pid not in found
    (runtime,) = row["runtimes"]
    assert (runtime["name"], runtime["version"], runtime["deleted"]) == ("onnxruntime", wheel.version, False)
    assert os.path.samefile(runtime["path"], os.path.realpath(runtime["path"])) and wheel.path in runtime["path"]
    assert row["user"] == "root" and row["uid"] == 0 and row["parent"] == os.getpid()
    assert row["threads"] >= 4 and "serve.py" in row["command"] and row["pid_in_namespace"] is None
    assert row["can_attach"] and row["can_inject"] and row["obstacle"] is None
    text = lab.plain([lab.inftrace, "ps"])
    (line,) = [line for line in text.out.splitlines() if line.split()[0] == str(server.pid)]
    assert "ONNX Runtime " + wheel.version in line and " yes " in line, text.out
    assert str(server.pid) in lab.plain([lab.inftrace, "ps", "--pids"]).out.split()
    server.end()
    assert server.pid not in rows(lab)


@pytest.mark.in_turn(2)
def test_a_program_with_many_processes_is_listed_once(lab):
    """A browser has the runtime in its executable, and so in each of its processes."""
    browser = environment(judge._browser)
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + lab.path("profile"), "about:blank"]
    first = lab.start([browser, *options, "--remote-debugging-port=0"], stderr=subprocess.DEVNULL)
    followers = wait_until(lambda: [row for row in rows(lab).values() if row["leader"] == first.pid], first)
    assert followers[0]["command"] != rows(lab)[first.pid]["command"] and rows(lab)[first.pid]["leader"] is None
    listed = lab.plain([lab.inftrace, "ps"]).out
    assert "\n%d (" % first.pid in listed and "--all lists them" in listed
    assert not re.search(r"^ *%d  " % followers[0]["pid"], listed, re.M)
    assert re.search(r"^ *%d  " % followers[0]["pid"], lab.plain([lab.inftrace, "ps", "--all"]).out, re.M)


@pytest.mark.in_turn(2)
def test_a_renamed_or_deleted_library_is_recognised(lab, library, tmp_path):
    copy = str(tmp_path / "odd\033[31m.bin")
    shutil.copy(library, copy)
    server = native_server(lab, copy, "chain", 256, 256)
    os.unlink(copy)
    (runtime,) = rows(lab)[server.pid]["runtimes"]
    assert (runtime["path"], runtime["deleted"]) == (copy, True)
    text = lab.plain([lab.inftrace, "ps"]).out
    assert "(deleted)" in text and "\033" not in text
    server.end()


def test_a_program_in_a_pid_namespace_is_listed_with_both_numbers(lab, wheel):
    server = Server(
        lab,
        [
            "unshare",
            "--pid",
            "--fork",
            "--mount-proc",
            "--propagation",
            "private",
            wheel.python,
            os.path.join(envs.PROGRAMS, "serve.py"),
            lab.model("chain"),
            "--rest",
            "0.01",
        ],
    )
    (pid,) = children_of(server.pid)
    row = rows(lab)[pid]
    assert row["pid_in_namespace"] == 1 and row["can_attach"]
    server.end()


def test_without_root_what_cannot_be_looked_into_is_counted(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    done = lab.plain([*other, lab.inftrace, "ps", "--json"])
    answer = json.loads(done.out)
    assert server.pid not in {row["pid"] for row in answer["programs"]} and answer["unreadable"] > 0
    assert len(answer["unreadable_processes"]) == min(4, answer["unreadable"])
    for unread in answer["unreadable_processes"]:
        assert unread["name"] and "process %d" % unread["pid"] in unread["reason"]
    assert "CAP_BPF" in answer["attach_problem"]
    assert re.search(r"could not be looked into: \d+ \(", lab.plain([*other, lab.inftrace, "ps"]).out)
    server.end()


def test_attach_without_a_word_shows_what_there_is(lab, wheel):
    server = python_server(lab, wheel, "chain", "--rest", 0.01)
    done = attach(lab, status=2)
    assert done.recording is None and "inftrace attach " in done.err
    assert [line for line in done.err.splitlines() if line.split()[0] == str(server.pid)], done.err
    server.end()


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(lab, wheel):
    name = "near%d" % os.getpid()  # unique on this machine
    shutil.copy(os.path.join(envs.PROGRAMS, "serve.py"), lab.path(name + ".py"))
    shutil.copy(os.path.join(envs.PROGRAMS, "ortprogram.py"), lab.path("ortprogram.py"))
    server = Server(lab, [wheel.python, lab.path(name + ".py"), lab.model("chain"), "--rest", "0.01"])
    for typed in (name, name[1:] + ".py", name.replace("ne", "en") + ".py"):
        done = attach(lab, "--name", typed, status=3)
        assert "did you mean %s.py (%d)" % (name, server.pid) in done.err, done.err
    server.end()
