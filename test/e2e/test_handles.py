# SPDX-License-Identifier: Apache-2.0
"""Programs that profile themselves by the handles of libinftrace, while ONNX Runtime runs their models."""

import csv
import errno
import json
import os
import re
import shutil
import sys

import envs
import pandas
import pytest

from attaching import Attaching, Server, attach
from test_annotations import linked

DONE = """start again: Device or resource busy
trace: Resource temporarily unavailable
later: 1 reports, 2 samples, 0 faults
25 samples twice: 2 reports, 50 samples, 0 faults
trace of 3 twice: 2 reports, 6 samples, 0 faults
no inference: 2 reports, 50 samples, 0 faults
stop worked, again: Operation already in progress
stopped after 7: 3 reports, 57 samples, 0 faults
stream: several reports, 200 samples, 0 faults
every fourth: 50 samples, 0 faults
slow: 200 samples, 0 faults
idle: empty reports
closed: 1 reports, 0 samples, 0 faults
started in its callback: 4 reports, 20 samples, 0 faults
stopped in its callback: Operation already in progress
last: several reports, 0 faults
child: 1
parent: 1 reports, 10 samples, 0 faults
"""


def command(lab, library):
    return [*linked(lab, "handles"), library, lab.model("chain"), "256", "256", "chain", lab.folder]


def rows(path):
    with open(path) as file:
        lines = file.read().splitlines()[4:]
    return list(csv.DictReader(lines, skipinitialspace=True))


def test_every_inference_is_in_one_report(lab, library):
    """With each handle, from the first start to the last stop: the program counts its runs."""
    done = lab.plain(command(lab, library))
    assert (done.out, done.status) == (DONE, 0) and re.fullmatch(r"\d+ runs\n", done.err)
    latency = rows(lab.path("latency.txt"))
    assert [row["Sample"] for row in latency] == [str(number) for number in range(7)]
    assert all(float(row["totalRoundtripTimeUs"]) > 0 and row["devExecUs"] == "N/A" for row in latency)
    frame = pandas.read_csv(lab.path("latency.txt"), skiprows=4, skipinitialspace=True)
    assert list(frame["Sample"]) == list(range(7))
    assert frame["totalRoundtripTimeUs"].min() > 0 and frame["devExecUs"].isna().all()
    with open(lab.path("trace.json")) as file:
        slices = [event for event in json.load(file) if event["ph"] == "B"]
    assert [event["name"] for event in slices].count("chain") == 3
    assert sum(event["cat"] == "operator" for event in slices) == 60
    assert not [name for name in os.listdir("/dev/shm") if name.startswith("inftrace-handle-%d" % os.getpid())]


def test_handles_work_beside_a_recorder(lab, library):
    """The same reports, and the recording has every inference and operator."""
    done = lab.record(command(lab, library))
    assert done.out == DONE.replace("trace: Resource temporarily unavailable", "trace: Success")
    children = 5
    assert len(done.recording.inferences) == int(re.search(r"(\d+) runs\n", done.err)[1]) + children
    assert len(rows(lab.path("latency.txt"))) == 7
    with open(lab.path("trace.json")) as file:
        slices = [event for event in json.load(file) if event["ph"] == "B"]
    assert [event["name"] for event in slices].count("chain") == 3
    assert sum(event["cat"] == "operator" for event in slices) == 60


def test_what_handles_list_under_a_recorder(lab, library):
    """A recorder has seen the sessions that were there before: they are known at their next inference, too."""
    done = lab.record([*linked(lab, "sessions"), library, lab.model("chain"), "256", "256", "chain"], judged=False)
    assert (done.out, done.status) == (SESSIONS, 0)


def test_nothing_is_lost_for_a_recorder_or_a_handle_under_load(lab, library):
    done = lab.record([*linked(lab, "crowd"), library, lab.model("chain"), "256", "256", "500"], judged=False)
    assert done.out == "all: 2000 samples, 0 lost, 0 gaps\n" + 4 * "one: 500 samples, 0 gaps\n"
    assert len(done.recording.inferences) == 2000 and not done.recording.lost


def test_handles_go_on_when_the_recorder_ends(lab, library):
    """The recorder stops after some inferences; the handles have those after it as well."""
    command = [*linked(lab, "crowd"), library, lab.model("chain"), "256", "256", "3000"]
    done = lab.record(command, options=["--iterations", "400"], judged=False)
    assert done.out == "all: 12000 samples, 0 lost, 0 gaps\n" + 4 * "one: 3000 samples, 0 gaps\n"
    assert 400 <= len(done.recording.inferences) < 12000


@pytest.mark.root
def test_a_handle_and_probes_see_the_same_inferences(lab, wheel):
    env = {"PYTHONPATH": os.path.join(os.path.dirname(os.path.dirname(envs.HERE)), "python")}
    program = [wheel.python, os.path.join(envs.PROGRAMS, "handled.py"), lab.model("chain")]
    server = Server(lab, program, env={"INFTRACE_PROGRAM": lab.inftrace, **env})
    done = attach(lab, server.pid, n=100)
    injected = lab.plain([lab.inftrace, "attach", "--inject", "-o", lab.path("second.pftrace"), str(server.pid)])
    assert injected.status == 3 and "another" in injected.err, injected.err
    runs, _ = server.end()
    assert "samples %d lost 0\n" % runs in server.out
    assert 100 <= len(done.recording.inferences) <= runs and not done.recording.lost


class Beside(Server):
    """programs/beside.c, which runs a model, and starts and stops a handle, when it is asked to."""

    def __init__(self, lab, library):
        super().__init__(lab, [*linked(lab, "beside"), library, lab.model("chain"), "256", "256"])

    def ask(self, line):
        self.begin(line)
        return self.answer()

    def begin(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().rstrip()

    def start(self):
        assert self.ask("start") == "started: yes"

    def stop(self, n):
        """The interval of the reports, in which all n runs are."""
        found = re.fullmatch(r"(\d+) samples, 0 lost, 0 gaps from (\d+) to (\d+)", self.ask("stop"))
        assert found and int(found[1]) == n, found
        return int(found[2]), int(found[3])


def within(recording, interval, thread):
    """The inferences of a thread that ended in the interval."""
    begin, end = interval
    slices = [slice for slice in recording.inferences if slice.args["tid"] == thread and slice.end]
    return sum(begin < slice.end <= end for slice in slices)


def test_a_handle_works_beside_an_injected_recorder(lab, library):
    """Started and stopped while the recorder is there, and once more over the recorder's end: twice."""
    server = Beside(lab, library)
    for _ in range(2):
        attaching = Attaching(lab, "--inject", server.pid)
        attaching.wait_recorded(10)
        server.start()
        server.ask("run 300")
        beside = server.stop(300)
        server.start()
        server.ask("run 200")
        server.begin("run 4000")
        done = attaching.end()
        assert done.status == 0 and not done.recording.lost, done.err
        assert server.answer() == "ran"
        assert within(done.recording, beside, server.pid) == 300
        assert server.ask("run 100") == "ran"
        server.stop(4300)
        server.start()  # alone
        server.ask("run 50")
        server.stop(50)
    assert server.end()[0] == 2 * 4650


def test_a_handle_goes_on_when_an_injected_recorder_is_killed(lab, library):
    server = Beside(lab, library)
    for _ in range(2):
        attaching = Attaching(lab, "--inject", server.pid)
        attaching.wait_recorded(10)
        server.start()
        server.begin("run 4000")
        attaching.process.kill()
        attaching.process.wait()
        assert server.answer() == "ran"
        server.ask("run 100")
        server.stop(4100)
    server.start()
    server.ask("run 50")
    server.stop(50)
    attach(lab, "--inject", server.pid, n=10)
    assert server.end()[0] == 8250


def test_an_injected_recorder_waits_for_the_end_of_handles(lab, library):
    """One that comes while a handle has the agent, or still has it from an earlier recorder, is refused."""
    server = Beside(lab, library)
    for turn in range(2):
        server.start()
        server.ask("run 100")
        assert "handle" in attach(lab, "--inject", server.pid, status=3).err
        server.ask("run 100")
        server.stop(200)
        attaching = Attaching(lab, "--inject", server.pid)
        attaching.wait_recorded(10)
        server.start()
        assert attaching.end().status == 0
        server.ask("run 100")
        if turn:  # takes the three seconds for which an agent is waited for
            assert "handle" in attach(lab, "--inject", server.pid, status=3).err
        server.ask("run 100")
        server.stop(200)
    attach(lab, "--inject", server.pid, n=10)
    assert server.end()[0] == 800


def test_a_python_program_gets_its_reports_under_a_recorder(lab, wheel):
    library = os.path.join(os.path.dirname(lab.inftrace), "libinftrace.so.0")
    done = lab.record(lab.python(wheel, "profiled", lab.model("chain"), library, "chain", 100), judged=False)
    assert (done.out, done.status) == ("samples [5] stream 100\n", 0)
    assert len(done.recording.inferences) == 101
    done = lab.record(lab.python(wheel, "profiled", lab.model("chain"), library, "chain", 100), level="inference")
    again = -errno.EAGAIN  # a stream of traces, without operators
    assert done.status == 1 and "AssertionError: %d\n" % again in done.err


@pytest.mark.parametrize("way", ["missing", "broken"])
def test_without_an_agent_a_handle_does_not_start(lab, library, way):
    """The library is alone in its folder, or with a file that is no agent."""
    shutil.copy(os.path.join(os.path.dirname(lab.inftrace), "libinftrace.so.0"), lab.path("libinftrace.so.0"))
    if way == "broken":
        with open(lab.path("libinftrace-agent.so"), "w") as file:
            file.write("no library")
    done = lab.plain(command(lab, library), env={"LD_LIBRARY_PATH": lab.folder})
    assert (done.out, done.status) == ("start: No such file or directory\n", 0)


def test_a_python_program_gets_reports_by_ctypes(lab, wheel):
    library = os.path.join(os.path.dirname(lab.inftrace), "libinftrace.so.0")
    done = lab.plain(lab.python(wheel, "profiled", lab.model("chain"), library, "chain", 100))
    assert (done.out, done.err, done.status) == ("samples [5] stream 100\n", "", 0)


SESSIONS = """list: 0, found 0, 0 inferences
list: 0, found 0, 0 inferences
list: 1, found 1, 3 inferences
late: 3 samples, 0 faults
list: 2, found 3, 0 inferences
again: Operation already in progress
one of two: 5 of it, 0 of others, 0 faults
released: 7 of it; remove: No such file or directory
released: 4 of it; stop: no
start: No such file or directory, the session was released: open a handle for another one
by name beside it: 16, 0 faults
list: 0, found 0, 0 inferences
dropped: 4 samples; remove: No such file or directory
removed: 2 more samples
created: 3 more samples, 0 faults
started again: 2 more samples, 0 faults
"""


def test_sessions_of_one_name_are_told_apart_and_come_and_go(lab, library):
    done = lab.plain([*linked(lab, "sessions"), library, lab.model("chain"), "256", "256", "chain"])
    assert (done.out, done.status, done.err) == (SESSIONS, 0, "")


def test_a_runtime_may_be_unloaded_and_loaded_again(lab, library):
    """The stream has started before there is any runtime."""
    done = lab.plain([*linked(lab, "profiled_reload"), library, lab.model("chain"), "256", "256"])
    expected = "listed 1, then 0\nlisted 1, then 0\nreported and not listed: 0\n"
    assert (done.out, done.err, done.status) == (expected, "", 0)


@pytest.mark.parametrize("each_wheel", ["1.5"], indirect=True)
def test_a_runtime_that_is_too_old_is_named_in_reports(lab, each_wheel):
    library = os.path.join(os.path.dirname(lab.inftrace), "libinftrace.so.0")
    done = lab.plain(lab.python(each_wheel, "profiled_note", lab.model("old"), library))
    assert (done.err, done.status) == ("", 0)
    reason = "inferences of onnxruntime %s are not seen: not recognised in this version" % each_wheel.version
    assert done.out == "0 samples, %s\nstop: %s\n" % (reason, reason)


def test_no_inference_is_missing_or_twice_under_load(lab, library):
    """Four threads that never rest, each with a session; reports of 10 to 31 ms."""
    done = lab.plain([*linked(lab, "crowd"), library, lab.model("chain"), "256", "256", "3000"])
    assert done.out == "all: 12000 samples, 0 lost, 0 gaps\n" + 4 * "one: 3000 samples, 0 gaps\n"
    assert (done.err, done.status) == ("", 0)


@pytest.mark.full("32 threads start and stop handles for a minute")
def test_32_threads_start_and_stop_handles_for_a_minute(lab):
    """The gate does the same for two seconds, in test/tools/library_test.py."""
    source, build = os.path.join(envs.HERE, "..", ".."), os.path.dirname(lab.inftrace)
    test = [sys.executable, os.path.join(source, "test/tools/library_test.py")]
    done = lab.plain(
        [*test, "Library.test_32_threads_start_and_stop_handles", build, source], env={"INFTRACE_STRESS_MS": "60000"}
    )
    assert done.status == 0, done.err
