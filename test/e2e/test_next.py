# SPDX-License-Identifier: Apache-2.0
"""inftrace next: records programs anywhere on the machine that load a runtime, from their first call.

Other programs may run on this machine, so every test waits only for programs of its own path.
"""

import ctypes
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

import envs
from conftest import environment
from lab import PATIENCE, children_of, names_and_types, own_times, state_of, wait_until
from marks import often
from recording import Growing, Recording

pytestmark = pytest.mark.root
TOOL = os.path.join(os.path.dirname(os.environ.get("INFTRACE", "")), "test", "e2e", "next_tool")
CHAIN = sorted(("link_%02d" % i, "Sin" if i % 2 else "Cos") for i in range(20))


@pytest.fixture
def infer(lab):
    """The path of a copy of programs/infer.py that only this test starts."""
    return lab.own("infer")


def read_until(path, text, process):
    def said():
        with open(path, errors="replace") as file:
            return file.read()

    wait_until(lambda: text in said(), process, said)


class Waiting:
    """inftrace next in the background, waiting for programs."""

    def __init__(self, lab, *options, level="operator", name="next"):
        self.lab, self.path, self.err_path = lab, lab.path(name + ".pftrace"), lab.path(name + ".err")
        assert "--path" in options or "--name" in options, "it would put probes into the programs of other tests"
        with open(self.err_path, "wb") as err:
            self.process = lab.start(
                [lab.inftrace, "next", "-o", self.path, "--force", "--level", level, *options],
                stdout=subprocess.PIPE,
                stderr=err,
                text=True,
            )
        read_until(self.err_path, "waiting for", self.process)

    @property
    def err(self):
        return open(self.err_path, errors="replace").read()

    def end(self, interrupt=False):
        """The recording, after inftrace next has ended, by itself or on a signal."""
        if interrupt:
            self.process.send_signal(signal.SIGINT)
        assert self.process.wait(PATIENCE) == 0, self.err
        recording = Recording(self.path)
        self.lab.recordings.append(recording)
        return recording


def check_inside(recording, times, pid):
    own, seen = sorted(own_times(times)), sorted((slice.start, slice.end) for slice in recording.of("inference", pid))
    assert len(own) == len(seen)
    assert [(a, b) for a, b in zip(seen, own) if a[0] < b[0] or a[1] > b[1]] == []


def check_whole(recording, runs, times):
    """The recording has one session and every run of the program, from the first one, with all operators."""
    assert recording.lost == 0
    assert len(recording.inferences) == runs
    assert len([slice for slice in recording.of("session") if slice.end]) == 1
    assert sorted(slice.args["id"] for slice in recording.inferences) == list(range(1, runs + 1))
    assert names_and_types(recording.operators) == sorted(CHAIN * runs)
    check_inside(recording, times, recording.inferences[0].track.pid)


@pytest.mark.in_turn(2)
def test_a_python_program_is_recorded_from_its_first_call(lab, infer, each_wheel):
    waiting = Waiting(lab, "--path", infer)
    program = lab.plain(
        lab.python(each_wheel, "infer", "run", lab.model("chain"), "--runs", 20, "--times", lab.path("times"))
    )
    recording = waiting.end()
    assert program.status == 0, program.err
    check_whole(recording, program.counted[0], lab.path("times"))


@pytest.mark.alone("where several watch, the later ones may be unable to tell that they were in time")
def test_a_program_that_was_stopped_in_time_is_not_said_to_lack_its_beginning(lab, infer, wheel):
    waiting = Waiting(lab, "--path", infer)
    program = lab.plain(lab.python(wheel, "infer", "run", lab.model("chain")))
    assert len(waiting.end().inferences) == program.counted[0]
    assert "may be missing" not in waiting.err


def test_a_library_that_is_being_loaded_has_not_been_used(lab, binaries):
    """Although its thread is in a function of the library, which the loader calls to choose another one."""
    library = binaries.shared("slow_load", ("-Wl,-z,relro,-z,now",))
    word = lab.path("slow_load")
    tool, out = watching(lab, word, 0)
    (watcher,) = children_of(tool.pid)
    os.kill(watcher, signal.SIGSTOP)
    program = lab.start(
        [sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", library, word],
        env={"SLOW_LOAD": str(PATIENCE)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout.readline() == "loading\n"
    os.kill(watcher, signal.SIGCONT)
    read_until(out, "\n%d\t" % program.pid, program)
    assert "\n%d\tearly\t" % program.pid in open(out).read()
    program.kill()
    tool.kill()


@pytest.mark.in_turn(2)
def test_a_node_program_is_recorded_from_its_first_call(lab, each_node):
    script = lab.path("infer.js")
    shutil.copy(envs.PROGRAMS + "/infer.js", script)
    waiting = Waiting(lab, "--path", script)
    program = lab.plain(
        [each_node.node, script, lab.model("chain"), "256", "20", lab.path("times")], env=each_node.script_env
    )
    recording = waiting.end()
    assert program.status == 0, program.err
    assert recording.lost == 0 and len(recording.inferences) == program.counted[0]
    assert names_and_types(recording.operators) == sorted(CHAIN * program.counted[0])


@pytest.mark.in_turn(2)
def test_a_library_that_java_unpacks_and_deletes_is_found(lab):
    jar, script = environment(envs.jar), lab.path("Infer.java")
    shutil.copy(envs.PROGRAMS + "/Infer.java", script)
    waiting = Waiting(lab, "--path", script, level="inference")
    program = lab.plain(["java", "-cp", jar, script, lab.model("chain"), "20", "1", lab.path("times")])
    recording = waiting.end()
    assert program.status == 0, program.err
    assert len(recording.inferences) == program.counted[0]


def test_a_program_with_the_runtime_inside_is_recorded_from_its_first_call(lab, infer):
    program = lab.path("mymagika")
    shutil.copy(environment(envs.magika), program)  # a file that inftrace has never inspected
    waiting = Waiting(lab, "--path", program)
    done = lab.plain([program, "/etc/passwd", infer])
    recording = waiting.end()
    assert done.status == 0 and recording.lost == 0
    # the program creates as many as there are CPUs
    expected = len(lab.record([program, "/etc/passwd", infer]).recording.of("session"))
    assert len([slice for slice in recording.of("session") if slice.end]) == expected > 0
    assert recording.inferences[0].args["id"] == 1


def test_a_runtime_in_another_mount_namespace_is_found(lab, infer, wheel):
    root = os.path.realpath(wheel.path)
    hidden = lab.path("hidden")
    os.mkdir(hidden)
    site = glob.glob(root + "/lib/python3*/site-packages")[0]
    script = (
        "mount -t tmpfs none {0} && cp -r {1}/onnxruntime {0}/ && PYTHONPATH={0} exec {2} {3} run {4} --runs 5".format(
            hidden, site, wheel.python, infer, lab.model("chain")
        )
    )
    waiting = Waiting(lab, "--path", infer)
    done = lab.plain(["unshare", "-mpf", "--mount-proc", "sh", "-c", script])
    recording = waiting.end()
    assert done.status == 0, done.err
    assert len(recording.inferences) == done.counted[0]
    assert recording.note("runtime")["path"].startswith(hidden)
    assert not os.listdir(hidden)


@pytest.mark.parametrize("batches", often(2, 5))
@pytest.mark.in_turn(2)
def test_of_many_programs_no_session_creation_is_missed(lab, infer, wheel, batches):
    waiting = Waiting(lab, "--all", "--path", infer, level="inference")
    programs = []
    for batch in range(batches):
        some = [
            lab.start(
                lab.python(wheel, "infer", "run", lab.model("chain"), "--runs", 3, "--times", lab.path("times-%d" % i)),
                stdout=subprocess.DEVNULL,
            )
            for i in range(batch * 10, batch * 10 + 10)
        ]
        assert [program.wait(PATIENCE) for program in some] == [0] * 10
        programs += some
    recording = waiting.end(interrupt=True)
    created = {slice.track.pid for slice in recording.of("session") if slice.end and slice.args["status"] == "ok"}
    assert created == {program.pid for program in programs}, waiting.err
    assert len(recording.of("session")) == len(programs)
    assert len(recording.inferences) == 3 * len(programs) and recording.lost == 0
    for i, program in enumerate(programs):
        check_inside(recording, lab.path("times-%d" % i), program.pid)


@pytest.mark.in_turn(2)
def test_several_that_watch_one_machine_share_its_programs(lab, infer, wheel):
    """One thread can have one tracer. Two want the same program, one another, and one what never comes."""
    other = lab.path("other.py")
    shutil.copy(infer, other)
    waiting = [Waiting(lab, "--path", path, name="next-%d" % i) for i, path in enumerate([infer, other, infer])]
    nobody = Waiting(lab, "--name", "nobody.py", name="nobody")

    def start(path):
        times = lab.path("times-" + os.path.basename(path))
        args = [wheel.python, path, "run", lab.model("chain"), "--runs", "20", "--times", times]
        return lab.start(args, stdout=subprocess.PIPE, text=True)

    programs = {path: start(path) for path in (infer, other)}
    printed = {path: program.communicate(timeout=PATIENCE)[0] for path, program in programs.items()}
    for path, one in zip([infer, other, infer], waiting):
        recording = one.end()
        runs = int(re.search(r"runs (\d+) failed 0", printed[path]).group(1))
        check_whole(recording, runs, lab.path("times-" + os.path.basename(path)))
        assert recording.inferences[0].track.pid == programs[path].pid
    nobody.process.send_signal(signal.SIGINT)
    assert nobody.process.wait(PATIENCE) == 0


def test_programs_that_are_not_wanted_go_on(lab, wheel):
    waiting = Waiting(lab, "--name", "nobody.py")
    program = lab.plain(lab.python(wheel, "infer", "run", lab.model("chain")))
    assert program.status == 0
    waiting.process.send_signal(signal.SIGINT)
    assert waiting.process.wait(PATIENCE) == 0, waiting.err
    assert "no program started" in waiting.err and not os.path.exists(waiting.path)


PARENT = """
import os, sys
pid = os.fork()
if not pid:
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    _, status = os.waitpid(pid, os.WUNTRACED | os.WCONTINUED)
    if os.WIFEXITED(status) or os.WIFSIGNALED(status):
        sys.exit(status >> 8 if os.WIFEXITED(status) else 99)
    print("stopped or continued", flush=True)
"""


def test_the_parent_of_a_held_program_takes_no_note(lab, infer, wheel):
    waiting = Waiting(lab, "--path", infer)
    program = lab.plain([sys.executable, "-c", PARENT, *lab.python(wheel, "infer", "run", lab.model("chain"))])
    recording = waiting.end()
    assert program.status == 0 and "stopped" not in program.out
    assert len(recording.inferences) == program.counted[0]


def watching(lab, infer, hold_ms):
    out = lab.path("next_tool.out")
    tool = lab.start([TOOL, str(PATIENCE), str(hold_ms), infer], stdout=open(out, "wb"), stderr=subprocess.STDOUT)
    read_until(out, "ready", tool)
    return tool, out


def test_a_program_that_is_held_goes_on_when_its_holder_is_killed(lab, infer, wheel):
    for _ in range(5):
        tool, out = watching(lab, infer, 1000 * PATIENCE)
        program = lab.start(lab.python(wheel, "infer", "run", lab.model("chain")), stdout=subprocess.PIPE, text=True)
        read_until(out, "\n%d\t" % program.pid, program)
        held = time.monotonic()
        assert state_of(program.pid) == "t", open(out).read()
        tool.kill()
        wait_until(lambda: state_of(program.pid) != "t")
        assert time.monotonic() - held < 8  # next lets any program continue after ten seconds
        printed, _ = program.communicate(timeout=PATIENCE)
        assert program.returncode == 0 and "runs 5 failed 0" in printed
        tool.wait()


def test_a_program_that_nobody_lets_go_is_let_go(lab, infer, wheel):
    tool, out = watching(lab, infer, 2000 * PATIENCE)
    start = time.monotonic()
    program = lab.start(lab.python(wheel, "infer", "run", lab.model("chain")), stdout=subprocess.DEVNULL)
    assert program.wait(PATIENCE) == 0
    assert 9 < time.monotonic() - start and tool.poll() is None
    tool.kill()


def trace_me():
    ctypes.CDLL(None).ptrace(0, 0, 0, 0)


def test_a_program_that_a_debugger_has_is_recorded_and_the_rest_is_said(lab, wheel):
    libc = ctypes.CDLL(None)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    waiting = Waiting(lab, "--path", lab.own("serve"))
    program = lab.start(
        lab.python(wheel, "serve", lab.model("chain"), "--rest", 0.002),
        preexec_fn=trace_me,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )

    def end():
        """Continues the process like a debugger until it ends; returns its exit status."""
        pid, status = os.waitpid(program.pid, os.WNOHANG)
        if not pid or not os.WIFSTOPPED(status):
            return [status] if pid else None
        number = os.WSTOPSIG(status)
        libc.ptrace(7, program.pid, None, 0 if number == signal.SIGTRAP else number)
        return None

    def is_recorded():
        assert not end()
        recording = growing.now()
        return recording and recording.inferences

    growing = Growing(waiting.path)
    wait_until(is_recorded, waiting.process, lambda: waiting.err)
    program.stdin.close()
    program.returncode = os.waitstatus_to_exitcode(wait_until(end)[0])
    recording = waiting.end()
    assert program.returncode == 0
    assert "may be missing: cannot stop thread %d: a debugger traces it" % program.pid in waiting.err
    assert len(recording.inferences) > 0


MAP = """
import mmap, os, sys
fd = os.open("/proc/self/exe", os.O_RDONLY)
for _ in range(int(sys.argv[1])):
    mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()
"""


@pytest.mark.alone("20,000 mappings reach everybody who watches this machine")
@pytest.mark.in_turn(2)
def test_when_it_cannot_keep_up_it_is_said(lab, infer, wheel):
    waiting = Waiting(lab, "--path", infer, level="inference")
    watcher = children_of(waiting.process.pid)[0]
    os.kill(watcher, signal.SIGSTOP)
    wait_until(lambda: state_of(watcher) == "T")
    subprocess.run([sys.executable, "-c", MAP, "20000"], check=True)
    os.kill(watcher, signal.SIGCONT)
    for cpu in os.sched_getaffinity(0):  # the kernel reports a loss with the next mapping on the same CPU
        subprocess.run([sys.executable, "-c", MAP, "10"], check=True, preexec_fn=lambda: os.sched_setaffinity(0, [cpu]))
    read_until(waiting.err_path, "a program may have been missed", waiting.process)
    program = lab.plain(lab.python(wheel, "infer", "run", lab.model("chain")))
    assert len(waiting.end().inferences) == program.counted[0]


def test_without_rights_it_is_said_what_is_missing(lab):
    done = lab.plain(
        [
            "setpriv",
            "--reuid",
            "65534",
            "--clear-groups",
            "--inh-caps=-all",
            "--bounding-set=-all",
            lab.inftrace,
            "next",
            "-o",
            "/dev/null",
            "--force",
        ]
    )
    assert done.status == 3
    assert "CAP_BPF" in done.err and "CAP_PERFMON" in done.err


def test_only_for_people_who_ask_in_a_way_that_makes_sense(lab):
    for words in (["--name", "a/b"], ["--path", ""], ["--name", "a", "--path", "b"], ["4242"]):
        assert lab.plain([lab.inftrace, "next", *words]).status == 2


def test_on_a_terminal_nothing_seems_to_be_recorded_while_it_waits(lab):
    leader, follower = os.openpty()
    process = lab.start(
        [lab.inftrace, "next", "--path", lab.path("nobody"), "-o", lab.path("none.pftrace")],
        stdout=subprocess.DEVNULL,
        stderr=follower,
    )
    os.close(follower)
    said = b""
    while b"waiting for" not in said:
        said += os.read(leader, 4096)
    time.sleep(1.5)  # the line of progress would be repeated every half second
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    try:
        while more := os.read(leader, 65536):
            said += more
    except OSError:
        pass  # end of output: the other side is closed
    os.close(leader)
    assert b"inferences" not in said, said
    assert b"no program started" in said and not os.path.exists(lab.path("none.pftrace"))


@pytest.mark.alone("it reads what every process of the machine maps")
@pytest.mark.in_turn(2)
def test_a_file_that_nobody_answers_for_holds_no_program_for_longer_than_promised(lab):
    """The thread that maps it goes on, and the command ends."""
    os.mkdir(lab.path("mount"))
    next_ = lab.start(
        [lab.inftrace, "next", "-o", lab.path("none.pftrace"), "--name", "no-program-has-this-name"],
        stdout=subprocess.DEVNULL,
        stderr=open(lab.path("next-stderr"), "wb"),
    )
    wait_until(lambda: "aiting" in open(lab.path("next-stderr")).read(), next_)
    silent = lab.start(
        [lab.binaries.plain("silent_fs", ["-pthread"]), lab.path("mount")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    line = silent.stdout.readline()
    next_.send_signal(signal.SIGINT)
    next_.wait(PATIENCE)
    silent.stdin.close()
    silent.wait(PATIENCE)
    if line.startswith("no fuse"):
        pytest.skip(line)
    assert int(line.split()[1]) < 10e6 + 2e6, line
