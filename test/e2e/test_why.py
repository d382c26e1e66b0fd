# SPDX-License-Identifier: Apache-2.0
"""Why an inference was slow: each cause is made to happen, and named with its figure; what did not happen is not."""

import contextlib
import json
import os
import statistics
import subprocess
import sys

import pytest

from attaching import Attaching
from lab import wait_until
from recording import Growing

CGROUPS = "/sys/fs/cgroup"
# Causes that no other program, and no setting of the machine, brings about: named only where a test makes them happen.
MADE = {"disk_reads", "session_creation", "input_shape"}


class Slow:
    """A program that does what it is told, under the recorder."""

    def __init__(self, lab, wheel, model, *options, inside=(), record=()):
        program = lab.python(wheel, "slow", lab.model(model), *options)
        command, self.path = lab.command(program, options=("--interval", "100ms", *record))
        self.lab, self.n, self.stages = lab, 0, {}
        self.process = lab.start([*inside, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, line, stage=None):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"
        word, *rest = line.split()
        n = {"run": int(rest[0]) if word == "run" else 0, "beside": int(rest[0]) if word == "beside" else 0, "one": 1}
        if n.get(word):
            self.stages[stage or word] = range(self.n + 1, self.n + 1 + n[word])
            self.n += n[word]

    @property
    def pid(self):
        """The program's, not the recorder's."""
        with open("/proc/%d/task/%d/children" % (self.process.pid, self.process.pid)) as file:
            return int(file.read().split()[0])

    def end(self):
        self.process.stdin.close()
        assert self.process.wait() == 0
        done = self.lab.plain([self.lab.inftrace, "report", "--json", "--slowest", "1000", self.path])
        (model,) = json.loads(done.out)["models"]
        self.slowest = [row for row in model["inferences"]["slowest"] if row["session"] == 1]
        for row in self.slowest:
            parts = [part["ns"] for part in row["why"]["parts"]]
            if row["why"]["excess_ns"] > 0:
                assert sum(parts) + row["why"]["unexplained_ns"] == row["why"]["excess_ns"]
                assert all(ns >= 0 for ns in parts)
        return self

    def of(self, stage):
        """The inferences of a stage, slowest first."""
        return [row for row in self.slowest if row["id"] in self.stages[stage]]

    def part(self, stage, cause):
        """The largest part that this cause has in an inference of the stage, with the inference."""
        found = [
            (part["ns"], part["words"], row)
            for row in self.of(stage)
            for part in row["why"]["parts"]
            if part["cause"] == cause
        ]
        assert found, [row["why"]["words"] for row in self.of(stage)[:5]]
        return max(found, key=lambda part: part[0])

    def named(self, stage):
        return {part["cause"] for row in self.of(stage) for part in row["why"]["parts"]}


WAITS = {"cpu_wait", "pool_wait", "likely_wait"}  # for which others of a busy machine may be the reason


def waited(row):
    """Of the inference's excess: it waited for a CPU."""
    return sum(part["ns"] for part in row["why"]["parts"] if part["cause"] in WAITS)


@contextlib.contextmanager
def hog(cpu, name):
    """Another program that computes all the time, on one CPU; as root, it has that more than any other."""
    path = "/proc/self/comm"
    code = "open(%r, 'w').write(%r)\nprint(flush=True)\nwhile True: pass" % (path, name)

    def begin():
        os.sched_setaffinity(0, [cpu])
        with contextlib.suppress(PermissionError):
            os.nice(-10)

    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, preexec_fn=begin)
    process.stdout.readline()
    yield
    process.kill()
    process.wait()


@contextlib.contextmanager
def cgroup(controller, **settings):
    """A cgroup of version 1 or 2 with these settings; takes processes in, and lets them go. Skips without rights."""
    version1 = os.path.join(CGROUPS, controller)
    root = version1 if os.path.isdir(version1) else CGROUPS
    path = os.path.join(root, "inftrace-test-%d" % os.getpid())

    def put(name, value):
        with open(name, "w") as file:
            file.write(str(value))

    try:
        if root == CGROUPS:
            put(os.path.join(root, "cgroup.subtree_control"), "+" + controller)
        os.mkdir(path)
    except OSError as why:
        pytest.skip("cannot make a cgroup here: %s" % why)
    held = []

    class Cgroup:
        def set(self):
            for key, value in settings.items():
                names = {"quota": ("cpu.cfs_quota_us", "cpu.max"), "memory": ("memory.limit_in_bytes", "memory.high")}
                name = names[key][root == CGROUPS]
                put(os.path.join(path, name), "%s 100000" % value if name == "cpu.max" else value)

        def take(self, pid):
            held.append(pid)
            put(os.path.join(path, "cgroup.procs"), pid)

        def let_go(self, pid):
            put(os.path.join(root, "cgroup.procs"), pid)

    try:
        yield Cgroup()
    finally:
        for pid in held:
            with contextlib.suppress(OSError):
                put(os.path.join(root, "cgroup.procs"), pid)
        with contextlib.suppress(OSError):
            os.rmdir(path)


def check_words(lab, slow, words):
    """Text and HTML say the same as the JSON."""
    text = lab.plain([lab.inftrace, "report", "--slowest", "1000", slow.path]).out
    assert words in " ".join(text.split())
    html = lab.path("report.html")
    assert lab.plain([lab.inftrace, "report", "--slowest", "1000", "-o", html, slow.path]).status == 0
    with open(html) as file:
        assert words.split("(")[0].strip() in file.read()


def check_part(slow, stage, cause, words):
    """It is named, and explains a large part of what others of the machine did not cause."""
    ns, said, row = slow.part(stage, cause)
    assert words in said, said
    others_ns = 0 if cause in WAITS else waited(row)
    assert ns > 0.3 * (row["why"]["excess_ns"] - others_ns), row["why"]["words"]


@pytest.mark.alone("waits for a CPU would be the cause")
@pytest.mark.in_turn(2)
def test_what_the_inputs_do_and_who_runs_beside(lab, wheel):
    """A Loop that goes round more often, rows that are new, another session."""
    slow = Slow(lab, wheel, "uneven")
    slow.say("run 60")
    slow.say("one n 150", "loop")
    slow.say("one x 900", "shape")
    slow.say("beside 30")
    slow.end()
    (loop,) = slow.of("loop")
    # where it waited most of the time, the rest is too little to be called one operator's
    cause = "one_operator" if 3 * waited(loop) < 2 * loop["why"]["excess_ns"] else "operators"
    check_part(slow, "loop", cause, "rounds took")
    check_part(slow, "shape", "input_shape", "for the first time")
    assert not (slow.named("run") | slow.named("loop")) & MADE
    assert any(row["why"]["overlap_ns"] for row in slow.of("beside"))
    assert not any(row["why"]["overlap_ns"] for row in slow.of("run"))


@pytest.mark.alone("the words name the three programs that had the CPU most")
@pytest.mark.in_turn(2)
def test_who_shares_the_cpu(lab, wheel):
    """A program on the same CPU."""
    slow = Slow(lab, wheel, "uneven")
    slow.say("run 60")
    cpus = sorted(os.sched_getaffinity(0))
    slow.say("pin %d" % cpus[-1])
    with hog(cpus[-1], "the_hog"):
        slow.say("run 120", "hog")
    slow.end()
    # the sample of other programs in which the hog begins may end without it
    said = [part["words"] for row in slow.of("hog") for part in row["why"]["parts"] if part["cause"] == "cpu_wait"]
    assert sum("the_hog" in words for words in said) > len(said) / 2, said
    check_part(slow, "hog", "cpu_wait", "waiting for a CPU")
    assert not (slow.named("run") | slow.named("hog")) & MADE
    check_words(lab, slow, slow.part("hog", "cpu_wait")[2]["why"]["words"].split(",")[0].split("(")[0].strip())


@pytest.mark.in_turn(2)
def test_a_pool_on_one_cpu_waits_for_itself(lab, wheel):
    slow = Slow(lab, wheel, "uneven", "--pool", 3)
    slow.say("run 100")
    slow.say("pin %d" % min(os.sched_getaffinity(0)))
    slow.say("run 60", "pinned")
    slow.end()
    shares = [
        sum(part["ns"] for part in row["why"]["parts"] if part["cause"] in WAITS) / row["why"]["excess_ns"]
        for row in slow.of("pinned")[:10]
    ]
    assert max(shares) > 0.3, shares
    said = [part["words"] for row in slow.of("pinned") for part in row["why"]["parts"] if part["cause"] in WAITS]
    assert any("its own threads" in words or "other threads of the program" in words for words in said), said


@pytest.mark.root
def test_a_cgroup_out_of_quota_is_named(lab, wheel):
    slow = Slow(lab, wheel, "uneven")
    slow.say("run 100")
    slow.say("run 80", "edge")  # a sample that begins here ends later
    with cgroup("cpu", quota=5000) as group:  # less than its share of a busy machine
        group.set()
        group.take(slow.pid)
        slow.say("run 60", "quota")
        group.let_go(slow.pid)
        slow.end()
    ns, words, row = slow.part("quota", "cpu_quota")
    assert ns > 0.5 * row["why"]["excess_ns"] and "throttled" in words, words
    assert "cpu_quota" not in slow.named("run")


@pytest.mark.alone("waits for a CPU would be the cause")
@pytest.mark.in_turn(2)
def test_weights_that_left_memory_are_read_again(lab, wheel):
    """Mapped weights, whose pages are no longer in memory: as a rule, for a file system in memory has no others."""
    slow = Slow(lab, wheel, "mapped", "--mapped")
    slow.say("run 60")
    slow.say("evict")
    slow.say("run 5", "cold")
    slow.say("run 40", "warm")
    slow.end()
    if not any(row["why"]["read_bytes"] for row in slow.of("cold")):
        pytest.skip("pages of this file system did not leave memory")
    ns, words, row = slow.part("cold", "disk_reads")
    assert row["why"]["read_bytes"] > 1 << 20 and "from a disk" in words
    assert ns > 0.2 * (row["why"]["excess_ns"] - waited(row)), row["why"]["words"]
    assert "disk_reads" not in slow.named("run") | slow.named("warm")


@pytest.mark.root
def test_probes_see_what_is_read_again_as_well(lab, wheel):
    program = lab.start(
        lab.python(wheel, "slow", lab.model("mapped"), "--mapped"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def say(line):
        program.stdin.write(line + "\n")
        program.stdin.flush()
        assert program.stdout.readline() == "done\n"

    say("run 1")
    attaching = Attaching(lab, program.pid)
    growing = Growing(attaching.path)

    def is_recording():
        say("run 1")
        recording = os.path.exists(attaching.path) and growing.now()
        return recording and len(recording.inferences) >= 3

    wait_until(is_recording, attaching.process, lambda: attaching.err)
    for line in ("evict", "run 1", "run 10"):
        say(line)
    done = attaching.end()
    program.stdin.close()
    assert program.wait() == 0
    reads = [run.args.get("read_bytes", 0) for run in done.recording.inferences]
    if not any(reads):
        pytest.skip("pages of this file system did not leave memory, or this kernel does not count reads")
    assert reads[-11] > 1 << 20 and not any(reads[:-11]), reads
    assert done.recording.inferences[-11].args["major_faults"] > 0


@pytest.mark.root
@pytest.mark.alone("waits for a CPU would be the cause")
@pytest.mark.in_turn(2)
def test_memory_that_is_short_is_named(lab, wheel):
    """A limit on memory that is less than the program uses: its pages are taken away and read again."""
    slow = Slow(lab, wheel, "mapped", "--mapped")
    slow.say("run 300")
    with cgroup("memory", memory=48 << 20) as group:
        group.take(slow.pid)
        group.set()
        slow.say("evict")
        slow.say("run 20", "short")
        group.let_go(slow.pid)
        slow.end()
    named = slow.named("short")
    assert named & {"memory_pressure", "disk_reads"}, [row["why"]["words"] for row in slow.of("short")[:5]]
    assert not slow.named("run") & MADE


@pytest.mark.root
@pytest.mark.in_turn(2)
def test_a_low_frequency_is_named(lab, wheel):
    """Made-up files of /sys say how fast the CPUs run; the program pins its threads to busy CPUs, and takes longer."""
    made, mhz = lab.path("cpu"), lab.path("mhz")
    script = (
        'mkdir -p "$1/cpu0/cpufreq" && cp /sys/devices/system/cpu/online "$1/" && ln -s "$2" '
        '"$1/cpu0/cpufreq/scaling_cur_freq" && for f in possible present; do '
        'cp /sys/devices/system/cpu/$f "$1/"; done && mount --bind "$1" /sys/devices/system/cpu || exit 77; '
        'shift 2; exec "$@"'
    )
    with open(mhz, "w") as file:
        file.write("3000000\n")
    slow = Slow(lab, wheel, "uneven", inside=["unshare", "-m", "sh", "-c", script, "sh", made, mhz])
    try:
        slow.say("run 300")
        slow.say("run 60", "edge")  # the sample that sees the change stands for time before it
    except (AssertionError, BrokenPipeError):
        pytest.skip("cannot mount over /sys here")
    with open(mhz, "w") as file:
        file.write("1000000\n")
    slow.say("run 20", "settles")
    slow.say("one n 400", "slow")
    slow.say("one n 400", "slow again")
    slow.end()
    found = [part for stage in ("slow", "slow again") for row in slow.of(stage) for part in row["why"]["parts"]]
    assert any(part["cause"] == "cpu_frequency" and "1000 MHz" in part["words"] for part in found), found
    assert "cpu_frequency" not in slow.named("run")


def test_a_recording_without_operators_says_so(lab, wheel):
    slow = Slow(lab, wheel, "uneven", record=("--level", "inference"))
    slow.say("run 60")
    for _ in range(4):
        slow.say("one n 150", "loop")
    slow.say("run 5", "after")
    slow.end()
    # of one that waited for a CPU all the time, nothing is missing
    row = max(slow.of("loop"), key=lambda row: row["why"]["unexplained_ns"])
    assert "its operators were not recorded" in row["why"]["missing"]
    explained = sum(part["ns"] for part in row["why"]["parts"] if part["cause"].endswith("_wait"))
    assert row["why"]["unexplained_ns"] > 0.5 * (row["why"]["excess_ns"] - explained)  # a busy machine has waits, too


@pytest.mark.alone("the program has to get half of a CPU")
@pytest.mark.in_turn(2)
def test_waits_of_inferences_that_are_too_short_to_read_each(lab, wheel):
    """Of those that turn out slow, what the thread did is known of many: they waited."""
    slow = Slow(lab, wheel, "tiny")
    slow.say("run 2000")
    cpus = sorted(os.sched_getaffinity(0))
    slow.say("pin %d" % cpus[-1])
    with hog(cpus[-1], "the_hog"):
        slow.say("run 100000", "hog")
    slow.end()
    usual = statistics.median(row["duration_ns"] for row in slow.slowest)
    lost = [row for row in slow.of("hog") if row["duration_ns"] > max(1e6, 10 * usual)]
    # of the others the wait was not read: a thread's CPU time is as of the kernel's last tick, and so is what is left
    named = [row for row in lost if waited(row) > 0.8 * row["why"]["excess_ns"]]
    assert len(lost) >= 10 and len(named) > 0.6 * len(lost), [row["why"]["words"] for row in lost]
    assert not slow.named("hog") & MADE
