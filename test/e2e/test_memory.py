# SPDX-License-Identifier: Apache-2.0
"""Whose memory: what the runtime's allocators give to sessions and operators at level detail, beside what the arena
itself counts, and programs that keep sessions or outputs."""

import contextlib
import json
import os
import re
import threading
import time

import pytest

import envs
from attaching import attach, python_server
from conftest import environment

MORE = [pytest.param(key, marks=pytest.mark.full("two more wheels")) for key in envs.MORE_WHEELS]


def report(lab, recording):
    done = lab.plain([lab.inftrace, "report", "--json", recording.path])
    assert done.status == 0, done.err
    return json.loads(done.out)


def memory_of(lab, recording):
    memory = report(lab, recording)["memory"]
    assert not memory["missing"] and not memory["doubts"], memory
    return memory


def only_session(lab, recording):
    (own,) = [own for own in memory_of(lab, recording)["sessions"] if own["session"]]
    return own


def page(lab, recording):
    return lab.plain([lab.inftrace, "report", "--format", "html", recording.path]).out


def findings(lab, recording):
    return {finding["kind"]: finding["figures"] for finding in report(lab, recording)["insights"]}


@pytest.mark.parametrize("key", ["1.18", "1.22", *MORE, "newest"])
@pytest.mark.in_turn(2)
def test_what_is_taken_is_given_back(lab, key):
    wheel = environment(envs.wheel, key)
    done = lab.both(lab.python(wheel, "infer", "run", lab.model("heavy"), "--runs", 3), level="detail")
    own = only_session(lab, done.recording)
    assert own["is_released"] and own["left_bytes"] == 0
    assert own["allocations"] == own["frees"] > 0
    parts = ("weights_bytes", "packed_bytes", "creation_bytes", "inferences_bytes", "other_bytes")
    assert sum(own[part] for part in parts) == own["in_use_bytes"]
    assert sum(use["bytes"] for use in own["at_peak"]) == own["peak_bytes"]
    # a matrix of 192 x 192 numbers, as it is or packed
    assert own["weights_bytes"] + own["packed_bytes"] + own["creation_bytes"] >= 192 * 192 * 4
    assert own["arenas_bytes"] + own["outside_arenas_bytes"] >= own["in_use_bytes"]
    # without a plan, the first inference takes a block for each operator
    assert own["largest_operators"][0]["op_type"] == "MatMul"
    assert own["largest_operators"][0]["bytes"] == 192 * 192 * 4
    assert own["largest_operators"][0]["shapes"].startswith("float32[192x192]")
    assert own["operators_peak_bytes"] >= 2 * 192 * 192 * 4


@pytest.mark.parametrize("key", [*MORE, "newest"])
def test_sums_are_those_that_the_arena_counts(lab, key):
    """Bytes in use are what was asked for: the arena counts the blocks that it made of it, of 256 bytes each at
    least."""
    wheel = environment(envs.wheel, key)
    done = lab.record(lab.native("stats", wheel.library, lab.model("cnn"), "1x3x32x32", 10, 5), level="detail")
    stats = {name: int(value) for name, value in (line.split() for line in done.out.splitlines())}
    own = only_session(lab, done.recording)
    assert own["arena_growths"] == stats["NumArenaExtensions"]
    assert own["arena_reserves"] == stats["NumReserves"]
    assert own["arenas_bytes"] == own["arenas_peak_bytes"] == stats["TotalAllocated"]
    asked = own["in_use_bytes"] - own["outside_arenas_bytes"]
    assert asked <= stats["InUse"] <= own["arenas_bytes"]


@pytest.mark.parametrize("what, n", [("sessions", 5), ("outputs", 60)])
@pytest.mark.in_turn(2)
def test_what_is_kept_is_found_and_named(lab, wheel, what, n):
    done = lab.both(lab.python(wheel, "keep", what, lab.model("cnn"), "--runs", n), level="detail")
    found = findings(lab, done.recording)
    assert what + "_kept" in found, found
    lines = re.findall(r'<path class="line s0( dash)?"[^>]* d="M([^"]*)"', page(lab, done.recording))
    assert [dashed for dashed, _ in lines][:2] == ["", " dash"] and all("L" in places for _, places in lines[:2])
    assert ("outputs_kept" in found) + ("sessions_kept" in found) == 1
    figures = found[what + "_kept"]
    if what == "sessions":
        # the last one is in use, and the first one was given back
        assert figures["kept"] == n - 1 and figures["created"] == n + 1 and figures["kept_bytes"] > 0
    else:
        assert figures["blocks"] + 4 == figures["inferences"] == n  # the outputs of the last four may be in use
        assert figures["bytes_per_inference"] == pytest.approx(figures["kept_bytes"] / n)


@pytest.mark.parametrize("what, n", [("no-sessions", 5), ("no-outputs", 60)])
def test_what_is_given_back_is_no_finding(lab, wheel, what, n):
    done = lab.both(lab.python(wheel, "keep", what, lab.model("cnn"), "--runs", n), level="detail")
    assert not {"outputs_kept", "sessions_kept"} & set(findings(lab, done.recording))


def test_a_session_that_was_there_before(lab, wheel):
    server = python_server(lab, wheel, "heavy")
    done = attach(lab, "--inject", server.pid, n=20, level="detail")
    server.end()
    memory = report(lab, done.recording)["memory"]
    assert any("Recording began in the running program" in doubt for doubt in memory["doubts"]), memory
    (own,) = [own for own in memory["sessions"] if own["session"]]
    assert own["allocations"] >= 20 and own["model"] == "heavy"


def test_why_nothing_is_known(lab, wheel):
    done = lab.record(lab.python(wheel, "infer", "run", lab.model("tiny")))
    memory = report(lab, done.recording)["memory"]
    assert "level detail" in memory["missing"] and not memory["sessions"]


def test_peak_memory_is_what_the_kernel_counts(lab, wheel):
    done = lab.record(lab.python(wheel, "peak", lab.model("tiny"), 300 << 20))
    (rss,) = [own for own in report(lab, done.recording)["resources"] if own["name"] == "rss"]
    own = int(done.out.split()[-1])
    assert own > 300 << 20 and own <= rss["peak"] <= 1.05 * own
    assert 0 < rss["at_exit"] < 200 << 20


@pytest.fixture
def limited():
    """A cgroup of 300 MiB, as a command that runs another one in it."""
    root = next((path for path in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup") if os.path.isdir(path)), None)
    is_old = root == "/sys/fs/cgroup/memory"
    folder = "%s/inftrace-test-%d" % (root, os.getpid())
    limit = os.path.join(folder, "memory.limit_in_bytes" if is_old else "memory.max")
    try:
        os.mkdir(folder)
        with open(limit, "w") as file:
            file.write(str(300 << 20))
    except (OSError, TypeError):
        if os.path.isdir(folder):
            os.rmdir(folder)
        pytest.skip("no cgroup with a memory limit can be made here")
    yield ["sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', folder]
    if os.path.isdir(folder):
        os.rmdir(folder)


@pytest.fixture
def vanishing(limited):
    """The same, removed as soon as what runs in it has ended."""
    folder, is_over = limited[-1], threading.Event()

    def remove():
        while not is_over.is_set() and not open(folder + "/cgroup.procs").read():
            time.sleep(0.01)
        while not is_over.is_set():
            with contextlib.suppress(OSError):
                os.rmdir(folder)
                return

    thread = threading.Thread(target=remove)
    thread.start()
    yield limited
    is_over.set()
    thread.join()


@pytest.mark.root
def test_the_limit_that_killed_a_program_comes_first(lab, wheel, limited):
    done = lab.record([*limited, *lab.python(wheel, "peak", lab.model("tiny"), 600 << 20)], judged=False)
    assert done.status == -9
    text = " ".join(lab.plain([lab.inftrace, "report", done.recording.path]).out.split())
    assert text.startswith("The kernel killed ") and "at the memory limit of 300 MiB of its cgroup" in text, text


@pytest.mark.root
def test_the_limit_of_a_cgroup_that_is_gone_at_once_is_known(lab, wheel, vanishing):
    """Its counts cannot be read any more, most times."""
    done = lab.record([*vanishing, *lab.python(wheel, "peak", lab.model("tiny"), 600 << 20)], judged=False)
    assert done.status == -9 and not os.path.isdir(vanishing[-1])
    text = " ".join(lab.plain([lab.inftrace, "report", done.recording.path]).out.split())
    assert text.startswith("The kernel killed ") and "at the memory limit of 300 MiB of its cgroup" in text, text


def test_free_memory_that_malloc_keeps_is_told(lab):
    """By the C library's own figures and resident memory: what malloc_trim gave back, within 2 %."""
    wheel = environment(envs.wheel, "newest")
    done = lab.record(lab.python(wheel, "heap", lab.model("cnn"), 2000))
    before, given_back = map(int, done.out.split())
    assert given_back > 150e6
    figures = findings(lab, done.recording)["heap_kept"]
    assert figures["kept_bytes"] == pytest.approx(given_back, rel=0.02)
    assert figures["resident_bytes"] == pytest.approx(before, rel=0.02)
    done = lab.record(lab.python(wheel, "heap", lab.model("cnn"), 100))
    assert "heap_kept" not in findings(lab, done.recording)


def counters(done):
    return {track.name for track in done.recording.tracks.values() if track.name.startswith("malloc ")}


def test_the_c_library_is_not_asked_of_another_malloc(lab, binaries):
    wheel = environment(envs.wheel, "newest")
    program = lab.python(wheel, "infer", "run", lab.model("heavy"), "--runs", 200)
    assert counters(lab.record(program)) == {"malloc in use", "malloc free"}
    other = binaries.plain("own_malloc", ("-shared", "-fPIC"))
    assert counters(lab.record(program, env={"LD_PRELOAD": other})) == set()
