# SPDX-License-Identifier: Apache-2.0
"""What a week brings, all at once on one machine: sessions and threads that come and go, kills of both sides at random
moments, a disk that fills and empties, machines that sleep. Nothing is lost that is not said, and nothing grows."""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time

import pytest

import envs
from attaching import Server, attach_command
from lab import PATIENCE, Lab, children_of, state_of, wait_until
from marks import often
from test_clocks import HOUR, SECOND, Clocks
from test_inject import facts, no_agent_thread

THREADS, REST_US = 64, 50000
AT_LEAST = 3  # rounds, however little time there is
MIB = 1 << 20


def memory_of(pid):
    """kB of anonymous memory."""
    with open("/proc/%d/status" % pid) as status:
        return int(re.search(r"RssAnon:\s+(\d+)", status.read()).group(1))


class Station:
    """One kind of trouble, in a folder of its own and on a thread of its own, round after round. A fault ends it."""

    def __init__(self, soak, name):
        self.soak, self.name = soak, name
        folder = soak.lab.path(name)
        os.mkdir(folder)
        self.lab = Lab(folder, soak.lab.models, soak.lab.binaries)
        self.dice = random.Random(name)
        self.figures = {"rounds": 0, "inferences": 0, "lost": 0}
        self.fault = None
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            self.begin()
            while not self.soak.is_over() or self.figures["rounds"] < AT_LEAST:
                self.round()
                self.figures["rounds"] += 1
            self.end()
        except BaseException as fault:  # the test's thread raises it
            self.fault = fault
        finally:
            self.lab.stop()

    def begin(self):
        pass

    def round(self):
        raise NotImplementedError

    def end(self):
        pass

    # ---- what the stations share

    def soak_program(self, threads=THREADS):
        path = self.lab.path("counters")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        return self.lab.native("soak", self.soak.library, self.lab.model("chain"), 256, 256, path, threads, REST_US)

    def counters(self):
        """(runs begun, runs ended, sessions) of the program, across all kills."""
        try:
            with open(self.lab.path("counters"), "rb") as file:
                return struct.unpack("3Q", file.read(24))
        except (FileNotFoundError, struct.error):
            return (0, 0, 0)

    def wait_runs(self, n, process):
        """Until the program has made n more runs."""
        until = self.counters()[1] + n
        wait_until(lambda: self.counters()[1] >= until, process)

    def recorder(self, program, *options, name="recording", env=None):
        """(process, recording, what it says) of a recorder in the background."""
        command, path = self.lab.command(program, options=options, name=name)
        said = self.lab.path("said")
        with open(said, "wb") as file:
            return self.lab.start(command, env=env, stdout=file, stderr=file), path, said

    def words(self, path):
        with open(path, errors="replace") as file:
            return file.read()

    def report(self, path):
        done = subprocess.run([self.lab.inftrace, "report", "--json", path], stdout=subprocess.PIPE)
        assert done.returncode == 0, path
        return json.loads(done.stdout)

    def check(self, path, lowest, highest):
        """Nothing is lost, every name is right, and so many inferences are there."""
        report = self.report(path)
        losses = report["losses"]
        assert losses["lost_events"] == losses["ends_without_begin"] == losses["events_out_of_order"] == 0, losses
        assert losses["events_moved_later"] == losses["processes_not_seen"] == 0 and not losses["lost"], losses
        n = sum(model["inferences"]["count"] for model in report["models"])
        assert {model["name"] for model in report["models"]} <= {"chain"}
        assert lowest <= n <= highest, (lowest, n, highest)
        self.figures["inferences"] += n
        self.figures["lost"] += losses["lost_events"]
        return report


class Kills(Station):
    """The program ends, the program is killed, the recorder is killed: in turn, at moments left to chance."""

    def round(self):
        recorder, path, said = self.recorder(self.soak_program())
        self.wait_runs(self.dice.randrange(1, 6000 if self.soak.is_long else 600), recorder)
        target = children_of(recorder.pid)[0]  # in others it reads files
        how = ["end", "kill", "kill the recorder"][self.figures["rounds"] % 3]
        self.figures[how] = self.figures.get(how, 0) + 1
        before = self.counters()
        if how == "kill the recorder":
            recorder.kill()
            recorder.wait()
            self.check_left(path, target)
            return
        os.kill(target, signal.SIGUSR1 if how == "end" else signal.SIGKILL)
        assert recorder.wait(PATIENCE) == (0 if how == "end" else -signal.SIGKILL), self.words(said)
        begun, ended, _ = self.counters()
        assert ended >= before[1]
        self.check(path, ended, begun if how == "kill" else ended)

    def check_left(self, path, target):
        """The program goes on without its recorder and ends as it should; what was recorded can be read."""
        self.check(path, 0, self.counters()[0])
        until = self.counters()[1] + 200
        wait_until(lambda: self.counters()[1] >= until)
        os.kill(target, signal.SIGUSR1)
        wait_until(lambda: state_of(target) in "XZ")
        assert "differ 0" in self.words(self.lab.path("said"))


class Injections(Station):
    """Recorders come to a program that runs all the time, and some are killed."""

    def begin(self):
        program = self.lab.native("torture", self.soak.library, self.lab.model("chain"), 256, 256, THREADS, REST_US, 2)
        self.server = Server(self.lab, program)
        self.before = None

    def round(self):
        command, path = attach_command(self.lab, "--inject", self.server.pid, duration=0.001 + self.dice.random())
        with open(self.lab.path("said"), "w+b") as said:
            recorder = self.lab.start(command, stdout=said, stderr=said)
            if self.dice.random() < 0.3:
                time.sleep(self.dice.random() * 0.5)
                recorder.kill()
                recorder.wait()
                no_agent_thread(self.server.pid)
            else:
                status = recorder.wait(PATIENCE)
                said.seek(0)
                assert status == 0, said.read()
                self.check(path, 0, 1 << 40)
        assert self.server.process.poll() is None
        if self.figures["rounds"] == (50 if self.soak.is_long else 1):
            self.before = facts(self.server.pid)

    def end(self):
        no_agent_thread(self.server.pid)
        before, now = self.before, facts(self.server.pid)
        self.figures["target"] = [before, now]
        assert before or not self.soak.is_long
        if before:
            assert now[0] < before[0] + 4000 and now[1] < before[1] + 100 and now[2] <= before[2] + 2, self.figures
        self.server.end()


class Workers(Station):
    """One recorder for the whole time, which keeps the newest part. Its program's workers are killed and replaced."""

    def begin(self):
        program = [sys.executable, os.path.join(envs.PROGRAMS, "again.py"), *self.soak_program(16)]
        self.process, self.path, self.said = self.recorder(program, "--keep", "16M")
        self.wait_runs(100, self.process)
        self.memory = []

    def round(self):
        again = children_of(self.process.pid)[0]
        self.wait_runs(self.dice.randrange(1, 3000 if self.soak.is_long else 300), self.process)
        for worker in children_of(again):
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        self.wait_runs(1, self.process)
        self.memory.append(memory_of(self.process.pid))

    def end(self):
        again = children_of(self.process.pid)[0]
        os.kill(again, signal.SIGUSR1)
        assert self.process.wait(PATIENCE) == 0, self.words(self.said)
        report = self.check(self.path, 1, self.counters()[0])
        self.figures["recorder"] = [self.memory[len(self.memory) // 4], self.memory[-1]]
        self.figures["sessions"] = self.counters()[2]
        assert report["recording"]["kept"] or os.path.getsize(self.path) < 20 * MIB
        assert os.path.getsize(self.path) < 24 * MIB
        assert self.memory[-1] < self.memory[len(self.memory) // 4] + 8192, self.memory[:: len(self.memory) // 20 or 1]


class Disk(Station):
    """The disk of the recording fills and empties. The recorder keeps what it has, and the program goes on."""

    SIZE = 32 * MIB

    def begin(self):
        self.disk = self.lab.path("disk")
        os.mkdir(self.disk)
        self.has_disk = not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=%d" % self.SIZE, "tmpfs", self.disk], stderr=subprocess.DEVNULL
        ).returncode

    def round(self):
        if not self.has_disk:
            return
        program = self.soak_program(16)
        recorder, path, said = self.recorder(program, "--keep", "8M", name="disk/recording")
        self.wait_runs(200, recorder)
        filler = os.path.join(self.disk, "filler")
        is_filled = self.dice.random() < 0.7
        for _ in range(self.dice.randrange(1, 4)):
            self.fill(filler, self.SIZE if is_filled else self.SIZE // 4)
            self.wait_runs(200, recorder)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(filler)
            self.wait_runs(200, recorder)
        target = children_of(recorder.pid)[0]  # in others it reads files
        os.kill(target, signal.SIGUSR1)
        status = recorder.wait(PATIENCE)
        words = self.words(said)
        has_stopped = "recording has stopped" in words
        assert "differ 0" in words and status == 0, words
        self.figures["stopped"] = self.figures.get("stopped", 0) + has_stopped
        begun, ended, _ = self.counters()
        self.check(path, 1 if has_stopped else ended, begun)
        for name in os.listdir(self.disk):
            whole = os.path.join(self.disk, name)
            shutil.rmtree(whole) if os.path.isdir(whole) else os.unlink(whole)

    def fill(self, path, size):
        with contextlib.suppress(OSError), open(path, "wb", 0) as file:
            for _ in range(size // MIB):
                file.write(bytes(MIB))

    def end(self):
        if self.has_disk:
            subprocess.run(["umount", "--lazy", self.disk])


class Sleeps(Station):
    """The machine sleeps again and again, and somebody sets the time of day."""

    def round(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.lab.path("clocks"))
        clocks = Clocks(self.lab)
        recorder, path, said = self.recorder(self.soak_program(16), env=clocks.env)
        for _ in range(self.dice.randrange(1, 6)):
            self.wait_runs(200, recorder)
            asleep = self.dice.randrange(SECOND, HOUR)
            clocks.shift(0, asleep, asleep + self.dice.choice([0, 3 * SECOND, -3 * SECOND]))
        self.wait_runs(200, recorder)
        target = children_of(recorder.pid)[0]  # in others it reads files
        os.kill(target, signal.SIGUSR1)
        assert recorder.wait(PATIENCE) == 0, self.words(said)
        begun, ended, _ = self.counters()
        assert begun == ended
        report = self.check(path, ended, ended)
        assert report["recording"]["clock_changes"]
        longest = max(model["inferences"]["latency"]["max_ns"] for model in report["models"])
        assert longest < PATIENCE * SECOND, longest


class Soak:
    def __init__(self, lab, library, seconds):
        self.lab, self.library, self.is_long = lab, library, seconds > 600
        self.until = time.monotonic() + seconds
        self.stations = [
            Kills(self, "kills"),
            Injections(self, "injections"),
            Workers(self, "workers"),
            Disk(self, "disk"),
            Sleeps(self, "sleeps"),
        ]

    def is_over(self):
        return time.monotonic() > self.until or any(station.fault for station in self.stations)

    def run(self):
        for station in self.stations:
            station.thread.start()
        for station in self.stations:
            station.thread.join()
            print(station.name, json.dumps(station.figures), flush=True)
        for station in self.stations:
            if station.fault:
                raise station.fault


@pytest.mark.root
@pytest.mark.parametrize("seconds", often(0, 3600))
@pytest.mark.in_turn(2)
def test_a_long_time_with_all_kinds_of_trouble(lab, library, seconds):
    Soak(lab, library, seconds).run()
