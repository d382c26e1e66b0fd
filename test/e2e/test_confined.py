# SPDX-License-Identifier: Apache-2.0
"""Programs that confine themselves after their start by a seccomp filter that kills. The agent must not make a system
call for which it would."""

import os
import subprocess

import pytest

from attaching import Attaching, Server
from conftest import often
from lab import PATIENCE, names_and_types, wait_until
from recording import Growing, Recording

CHAIN = sorted(("link_%02d" % i, "Sin" if i % 2 else "Cos") for i in range(20))
RUNS = 4


def confined(lab, library, way, calls="tight", when="late", threads=0, runs=RUNS, status=3, **more):
    """The program alone and recorded, with the same output and exit status."""
    program = lab.native("confine", library, lab.model("chain"), 256, 256, way, calls, when, threads, runs)
    done = lab.both(program, **more)
    assert done.status == status, done.err
    return done


CHILDREN, PROGRAMS = "children that it forks", "programs that it starts"


def is_all_there(recording, n):
    assert len(recording.inferences) == n
    assert names_and_types(recording.operators) == sorted(CHAIN * n)
    assert not recording.lost
    return True


def stop(done):
    """What the recording says: of whom, and why or what is missing."""
    note = done.recording.note("stopped")
    return note["source"], note["text"]


def missing(done):
    source, text = stop(done)
    assert source.startswith("parts of confine (")
    return text.partition("from then on: ")[2].split(", ")


@pytest.mark.parametrize("way", ["prctl", "syscall", "libc", "libseccomp"])
@pytest.mark.parametrize(
    "calls, left_out",
    [
        ("service", [PROGRAMS]),
        ("tight", [CHILDREN, PROGRAMS, "CPU time of inferences"]),
        (
            "alone",
            ["names of operators that are new", "runtimes that it loads", CHILDREN, PROGRAMS, "CPU time of inferences"],
        ),
    ],
)
@pytest.mark.in_turn(3)
def test_a_program_that_sets_a_filter_is_recorded_before_and_after(lab, library, way, calls, left_out):
    done = confined(lab, library, way, calls)
    assert is_all_there(done.recording, 2 * RUNS)
    assert missing(done) == left_out


def test_of_two_filters_the_second_counts_as_well(lab, library):
    assert is_all_there(confined(lab, library, "twice", when="loaded").recording, RUNS)


def test_the_report_says_what_is_not_recorded(lab, library):
    path = confined(lab, library, "prctl").recording.path
    for form in "text", "json", "html":
        said = " ".join(lab.plain([lab.inftrace, "report", "--format", form, path]).out.split())
        assert "its seccomp filter kills for system calls of the agent" in said
        assert "children that it forks, programs that it starts" in said


@pytest.mark.parametrize("calls", ["service", "tight"])
def test_operators_that_run_first_under_the_filter_have_their_names(lab, library, calls):
    assert is_all_there(confined(lab, library, "prctl", calls, "loaded").recording, RUNS)


def test_names_that_cannot_be_read_without_a_forbidden_call_are_counted_as_lost(lab, library):
    done = confined(lab, library, "prctl", "alone", "loaded", judged=False)  # these operators have no type either
    assert len(done.recording.inferences) == RUNS
    assert len(done.recording.operators) == 20 * RUNS
    assert done.recording.lost == 20
    assert "names of operators that are new" in missing(done)


def test_a_runtime_that_is_loaded_under_the_filter_is_recorded_if_it_allows_that(lab, library):
    assert is_all_there(confined(lab, library, "prctl", "service", "early").recording, RUNS)


@pytest.mark.parametrize("calls", ["service", "tight"])
@pytest.mark.parametrize("times", often(2, 20))
@pytest.mark.in_turn(2)
def test_threads_in_the_middle_of_anything_get_the_filter_all_at_once(lab, library, calls, times):
    """Six threads: with nine heaps, the C library asks for the number of CPUs, which the tight filter forbids."""
    for time in range(times):
        done = confined(lab, library, "tsync", calls, threads=6, runs=300, name="recording-%d" % time)
        assert len(done.recording.inferences) == 2 * 6 * 300
        assert len(done.recording.operators) + done.recording.lost == 20 * 2 * 6 * 300
        assert "programs that it starts" in missing(done)


def test_rings_that_were_laid_in_take_what_comes_after_the_filter(lab, library):
    """What comes fits into one of them, however late the recorder reads it, but not into the thread's first ring."""
    done = confined(lab, library, "prctl", "alone", runs=700)
    assert is_all_there(done.recording, 1400)


def test_a_filter_of_one_thread_counts_for_the_process(lab, library):
    done = confined(lab, library, "thread")
    assert is_all_there(done.recording, 3 * RUNS)
    assert "programs that it starts" in missing(done)


def test_a_child_that_may_not_make_its_memory_is_said_to_be_missing(lab, library):
    done = confined(lab, library, "prctl", "tight", "fork")
    assert is_all_there(done.recording, 2 * RUNS)
    assert any("a seccomp filter" in note.args.get("state", "") for note in done.recording.notes("process"))


def test_a_child_that_may_make_its_memory_is_recorded(lab, library):
    assert is_all_there(confined(lab, library, "prctl", "service", "fork").recording, 3 * RUNS)


@pytest.mark.parametrize("way, when", [("child", "late"), ("vfork", "late"), ("prctl", "start")])
def test_a_program_that_is_started_under_a_filter_runs_without_the_agent(lab, library, way, when):
    done = confined(lab, library, way, "service", when)
    assert is_all_there(done.recording, 2 * RUNS)
    assert "child 300" in done.out or "status 0000000000000300" in done.out


@pytest.mark.parametrize("when, n", [("late", 2 * RUNS), ("loaded", RUNS), ("fork", 2 * RUNS)])
def test_a_filter_that_no_hook_sees_is_seen_by_the_recorder(lab, library, when, n):
    """Set by an instruction of the program's own, as Go does. The program waits until the recording says so."""
    program = lab.native("confine", library, lab.model("chain"), 256, 256, "raw", "tight", when, 0, RUNS)
    alone = lab.plain(program)
    command, path = lab.command(program)
    process = lab.start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    growing = Growing(path)
    wait_until(lambda: growing.now() and growing.now().notes("stopped"), process)
    out, _ = process.communicate(timeout=PATIENCE)
    assert (out, process.returncode) == (alone.out, 3)
    recording = Recording(path)
    assert len(recording.inferences) == n and len(recording.operators) == 20 * n
    assert "filter that the agent has not seen" in recording.note("stopped")["text"]


@pytest.mark.parametrize("way", ["strict", "counter"])
def test_a_program_that_forbids_nearly_everything_goes_on_without_the_agent(lab, library, way):
    """Strict mode also forbids reading the time stamp counter, by SIGSEGV."""
    done = confined(lab, library, way)
    assert is_all_there(done.recording, RUNS)
    source, text = stop(done)
    assert source.startswith("confine (")
    assert ("strict mode" if way == "strict" else "PR_SET_TSC") in text


def test_a_program_that_forbids_itself_memory_is_recorded_until_then(lab, library):
    done = confined(lab, library, "syscall", "still")
    assert is_all_there(done.recording, RUNS)
    assert "kills it if it takes memory" in stop(done)[1]


def test_a_filter_that_only_refuses_changes_nothing(lab, library):
    done = confined(lab, library, "prctl", "refused", "loaded")
    assert is_all_there(done.recording, RUNS)
    assert not done.recording.notes("stopped")


def test_what_each_inference_used_is_left_out_if_it_cannot_be_asked(lab, library):
    done = confined(lab, library, "prctl", level="detail")
    assert is_all_there(done.recording, 2 * RUNS)
    assert "CPU time of inferences" in missing(done)
    used = ["thread_cpu_ns" in inference.args for inference in done.recording.inferences]
    assert used == RUNS * [True] + RUNS * [False]


def test_its_libraries_are_looked_for_no_more(lab, library):
    """Those of GPUs are, ten times a second, while none is there: the loader opens files for that."""
    runs = 10000  # longer than a tenth of a second
    done = confined(lab, library, "prctl", runs=runs, level="inference", options=["--kernels"])
    assert len(done.recording.inferences) == 2 * runs


@pytest.mark.parametrize("where", ["", "libc.so.6"])
def test_a_python_program_that_sets_a_filter_is_recorded_before_and_after(lab, wheel, where):
    done = lab.both(lab.python(wheel, "confined", where, lab.model("chain")))
    assert done.status == 0, done.err
    assert len(done.out.split()) == 10
    assert is_all_there(done.recording, 10)
    assert done.recording.note("stopped")["source"].startswith("parts of " + os.path.basename(wheel.python)[:6])


# ---- programs that were running


def confine(server):
    server.process.stdin.write("\n")
    server.process.stdin.flush()
    assert server.process.stdout.readline() == "confined\n"


@pytest.mark.parametrize("way, calls", [("tsync", "service"), ("tsync", "tight"), ("prctl", "still")])
def test_an_injected_agent_leaves_before_the_filter_comes(lab, library, way, calls):
    server = Server(lab, lab.native("confine", library, lab.model("chain"), 256, 256, way, calls, "asked", 0, 0))
    background = Attaching(lab, "--inject", server.pid)
    background.wait_recorded(20)
    confine(server)
    with open("/proc/%d/maps" % server.pid) as maps:
        assert "libinftrace-agent" in maps.read()
    assert len(os.listdir("/proc/%d/task" % server.pid)) == 2
    server.end()
    done = background.wait()
    assert any("the agent has left before that" in note.args["text"] for note in done.recording.notes("stopped"))


@pytest.mark.root
def test_probes_record_a_program_under_a_filter_that_kills(lab, library):
    server = Server(lab, lab.native("confine", library, lab.model("chain"), 256, 256, "tsync", "tight", "asked", 0, 0))
    background = Attaching(lab, server.pid)
    background.wait_recorded(20)
    confine(server)
    n = len(Recording(background.path).inferences)
    background.wait_recorded(n + 20)
    background.end()
    server.end()
