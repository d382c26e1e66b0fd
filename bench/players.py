# SPDX-License-Identifier: Apache-2.0
"""Lets players (player.h) take turns and compares their times; prints the rows that table.py collects.

The machine is never quiet, so figures of different minutes are not compared. Players are alive at the same time and
take turns of a few milliseconds on one CPU, in a rotating order; each round gives one difference between two of them.
The placement of a process's memory makes a large difference, too, so each set of rounds has new processes. A figure is
the median of the sets' medians. The brackets contain the interval of the true median with 95 % confidence (for five
sets or fewer, the lowest and the highest). Recorders and other daemons stay on the other CPUs."""

import atexit
import contextlib
import glob
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

CPUS = sorted(os.sched_getaffinity(0))
CPU = CPUS[-1]
OTHERS = CPUS[:-1] or CPUS


def folder():
    """A new folder, in memory if possible, because disks are not measured."""
    return tempfile.mkdtemp(prefix="inftrace-bench-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


class Player:
    """A running player; around: the command that starts it, a recorder for instance."""

    def __init__(self, argv, around=(), env=(), user=None):
        self.process = subprocess.Popen(
            [*around, argv[0], str(CPU), *argv[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            user=user,
            env={**os.environ, "ORT_DISABLE_TELEMETRY": "1", **dict(env)},
            preexec_fn=lambda: os.sched_setaffinity(0, OTHERS),
        )
        self.answer()

    def answer(self):
        line = self.process.stdout.readline().split()
        if not line:
            sys.exit(f"{self.process.args}: no answer, status {self.process.wait()}")
        return line

    def turn(self, n, rate=0):
        """Nanoseconds for one of n times: (median, mean)."""
        self.process.stdin.write(f"{n} {rate}\n")
        return tuple(map(float, self.answer()))

    def end(self):
        self.process.stdin.close()
        if self.process.wait():
            sys.exit(f"{self.process.args}: status {self.process.returncode}")


def interval(values):
    """The two of the sorted values that contain the median with at least 95 % confidence."""
    n, outside, rank = len(values), 0.0, 0
    while rank < n // 2:
        outside += 2 * math.comb(n, rank) / 2**n
        if outside > 0.05:
            break
        rank += 1
    rank = max(rank - 1, 0)
    return values[rank], values[n - 1 - rank]


class Rounds:
    """The time of every player in every round of every set: medians of its turns."""

    def __init__(self):
        self.sets = []

    def play(self, players, n_rounds, skip=5):
        """players: name -> (Player, how many times a turn). The first `skip` rounds warm up."""
        names, rounds = list(players), []
        for number in range(n_rounds + skip):
            times = {}
            for at in range(len(names)):
                name = names[(at + number) % len(names)]
                player, n = players[name]
                times[name] = player.turn(n)[0]
            if number >= skip:
                rounds.append(times)
        self.sets.append(rounds)
        for player, _ in players.values():
            player.end()

    def figure(self, of):
        """(median, lower, upper end of its interval) of of(times of one round)."""
        per_set = sorted(statistics.median(map(of, rounds)) for rounds in self.sets)
        return (statistics.median(per_set), *interval(per_set))

    def describe(self):
        return f"{sum(map(len, self.sets))} rounds in {len(self.sets)} sets of processes"


def row(what, figure, unit, budget, floor=None, peers=(), more="", at_least=False):
    """figure: a number or (figure, lower, upper); floor, budget: numbers in the same unit; peers: (name, number)."""
    figure, lower, upper = figure if isinstance(figure, tuple) else (figure, None, None)
    print(
        "row",
        json.dumps(
            dict(
                what=what,
                figure=figure,
                lower=lower,
                upper=upper,
                unit=unit,
                floor=floor,
                budget=budget,
                peers=list(peers),
                more=more,
                at_least=at_least,
            )
        ),
    )


def report(inftrace, path):
    """The report of inftrace on a recording."""
    return json.loads(subprocess.run([inftrace, "report", "--json", path], stdout=subprocess.PIPE, check=True).stdout)


@contextlib.contextmanager
def busy(n):
    """So many programs that compute run beside the block."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for one in programs:
            one.kill()
            one.wait()


def left_out(what, why):
    print("left out", json.dumps(dict(what=what, why=" ".join(str(why).split()))))


class Lttng:
    """A private session daemon with one session that records event_lttng, if LTTng is installed."""

    @staticmethod
    def why_not(program):
        if not os.access(program, os.X_OK):
            return "it was not there when this was built (apt install liblttng-ust-dev)"
        for tool in ("lttng", "lttng-sessiond"):
            if not shutil.which(tool):
                return f"{tool} is not installed (apt install lttng-tools)"
        return None

    def __init__(self, channel=()):
        # a daemon of root serves the machine; one of nobody is private
        self.user = "nobody" if os.getuid() == 0 else None
        self.folder = folder()
        if self.user:
            shutil.chown(self.folder, self.user)
        self.env = {"LTTNG_HOME": self.folder, "LTTNG_UST_REGISTER_TIMEOUT": "5000", "HOME": self.folder}
        self.daemon = subprocess.Popen(
            ["lttng-sessiond", "--no-kernel"],
            env={**os.environ, **self.env},
            user=self.user,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: os.sched_setaffinity(0, OTHERS),
        )
        atexit.register(self._stop)  # also after an error
        self("create", "bench", "--output", os.path.join(self.folder, "out"))
        self("enable-channel", "-u", "channel", "--discard", *channel)
        self("enable-event", "-u", "-c", "channel", "inftrace_bench:event")
        self("start")

    def __call__(self, *command):
        for _ in range(50):  # it may not have opened its socket yet
            done = subprocess.run(
                ["lttng", "--no-sessiond", *command],
                env={**os.environ, **self.env},
                user=self.user,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if not done.returncode:
                return done.stdout
            if "create" not in command:
                break
            try:
                self.daemon.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
        sys.exit(f"lttng {' '.join(command)}: {done.stdout}")

    def player(self, program, *more):
        return Player([program, *more], env=self.env, user=self.user)

    def consumer(self):
        """The pid of its consumer daemon."""
        for children in glob.glob(f"/proc/{self.daemon.pid}/task/*/children"):
            for pid in open(children).read().split():
                if open(f"/proc/{pid}/cmdline").read().split("\0")[0].endswith("lttng-consumerd"):
                    return int(pid)
        sys.exit("lttng-consumerd was not found")

    def n_lost(self):
        """Lost events of the session, printed when it ends."""
        text = self("stop")
        return text.strip() if "discarded" in text else ""

    def end(self):
        self("destroy", "bench")
        self._stop()

    def _stop(self):
        self.daemon.terminate()
        self.daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self._stop)
