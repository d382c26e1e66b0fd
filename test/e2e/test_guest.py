# SPDX-License-Identifier: Apache-2.0
"""The agent is a guest in its target: a program inherits, finds and does the same with and without it."""

import os
import subprocess

import pytest

import envs
from conftest import environment
from lab import names_and_types

CHAIN = sorted(("link_%02d" % i, "Sin" if i % 2 else "Cos") for i in range(20))


def test_a_program_inherits_the_same_descriptors_signals_limits_and_environment(lab, binaries):
    done = lab.both([binaries.plain("state"), "an argument", "", "--with", "-o", "--"])
    assert done.out.count("descriptor") == 4


def test_the_dynamic_linker_answers_the_same(lab, binaries):
    done = lab.both([binaries.plain("lookup")])
    assert "next puts: libc.so.6" in done.out


def test_a_library_that_the_user_preloads_stays_preloaded(lab, binaries):
    library = binaries.plain("preload", ("-shared", "-fPIC"))
    done = lab.both(["/usr/bin/env", "LD_PRELOAD=" + library, binaries.plain("puts"), "text"])
    assert done.out == "before\ntext\n"
    done = lab.both([binaries.plain("puts"), "text"], env={"LD_PRELOAD": library}, name="second")
    assert done.out.count("before\n") == 1


def test_a_program_with_a_preload_of_its_own_is_recorded(lab, binaries, library):
    preload = binaries.plain("preload", ("-shared", "-fPIC"))
    done = lab.both(lab.native("end", library, lab.model("chain"), 256, 256, 3, "0"), env={"LD_PRELOAD": preload})
    assert len(done.recording.inferences) == 3


@pytest.mark.parametrize("sanitizer", ["address", "undefined", "thread"])
def test_a_program_built_with_a_sanitizer_runs_as_it_does_alone(lab, binaries, sanitizer):
    probe = subprocess.run(
        ["cc", "-fsanitize=" + sanitizer, "-x", "c", "-", "-o", lab.path("probe")],
        text=True,
        input="int main(void){return 0;}",
        stderr=subprocess.DEVNULL,
    )
    if probe.returncode or subprocess.run([lab.path("probe")], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("no %s sanitizer here" % sanitizer)
    lab.both([binaries.plain("puts", ("-fsanitize=" + sanitizer,)), "text"])


def test_a_program_in_another_folder_with_a_relative_path_is_found(lab, binaries):
    os.symlink(binaries.plain("puts"), lab.path("here"))
    assert lab.both(["./here", "text"]).out == "text\n"
    assert (
        lab.both(["puts", "text"], env={"PATH": os.path.dirname(binaries.plain("puts"))}, name="second").out == "text\n"
    )


def test_standard_output_carries_nothing_of_the_recorder(lab, binaries):
    done = lab.both([binaries.plain("puts"), "text"])
    assert done.out == "text\n"
    assert done.recording.path in done.err


def test_a_program_on_a_terminal_still_has_its_terminal(lab, binaries):
    """If stdin, stdout and stderr of the recorder are a terminal, so are those of the program."""
    import pty

    command, path = lab.command(["/bin/sh", "-c", "test -t 0 && test -t 1 && test -t 2 && read line && echo got $line"])
    leader, follower = pty.openpty()
    process = lab.start(command, stdin=follower, stdout=follower, stderr=follower, start_new_session=True)
    os.close(follower)
    os.write(leader, b"hello\n")
    out = b""
    while True:
        try:
            more = os.read(leader, 4096)
        except OSError:
            break
        if not more:
            break
        out += more
    assert process.wait(20) == 0, out
    assert b"got hello" in out


def test_a_program_sees_the_runtimes_entry_only_where_it_would_see_it_alone(lab, binaries):
    """A weak import of the entry tells whether there is a runtime; copies of the runtime call their own."""
    libraries = [binaries.shared("own_base", ('-DNAME="%s"' % name,)) for name in ("first", "second")]
    done = lab.both([binaries.plain("who_has_base"), *libraries])
    assert done.out.splitlines()[0] == "imported: 0"
    assert done.out.splitlines()[-2:] == ["first", "second"]


@pytest.mark.parametrize("limit", [0, 768])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_program_that_locks_its_memory_may_do_so_and_locks_little_more(lab, library, when, limit):
    """What the kernel compares with the limit is the address space, which must not grow either."""
    program = lab.native("lock", library, lab.model("chain"), 256, 256, when, limit, lab.path("memory"))

    def sizes():
        with open(lab.path("memory")) as file:
            return [int(size) for size in file.read().split()]

    if lab.plain(program).status == 77:
        pytest.skip("the limit on locked memory cannot be raised here")
    space, locked, _ = sizes()
    done = lab.both(program)
    assert done.out.startswith("locked\n")
    assert len(done.recording.inferences) == 2001
    assert names_and_types(done.recording.operators) == sorted(CHAIN * 2001)
    with_agent = sizes()
    print("locked %d KiB alone, %d recorded, %d of them shared with the recorder" % (locked, *with_agent[1:]))
    assert 0 < with_agent[2] < 16 << 10
    # the C library reserves 64 MiB for each thread that has to wait for another's heap
    assert with_agent[0] - space < (16 + 4 * 64) << 10
    assert with_agent[1] - locked < (16 + 4 * 64) << 10


def test_a_plugin_that_is_linked_to_the_runtime_is_recorded_from_its_first_session_on(lab, binaries, library):
    plugin = binaries.linked("plugin", library, ("-shared", "-fPIC"))
    program = [binaries.plain("run_plugin", ("-rdynamic",)), plugin, lab.model("chain"), 256, 256, 5]
    recording = lab.both([str(arg) for arg in program]).recording
    assert len(recording.inferences) == 5
    assert recording.note("created")["model_path"] == lab.model("chain")


def test_libraries_that_come_and_go_on_another_thread_do_no_harm(lab, binaries):
    libraries = [binaries.shared("relocated", ('-DNAME="%d"' % name,)) for name in range(8)]
    done = lab.both([binaries.plain("unload", ("-pthread",)), "150", *libraries])
    assert done.out == "1200 0\n"


@pytest.mark.parametrize("key", list(envs.OLD_WHEELS))
def test_an_old_runtime_runs_as_it_does_alone(lab, key):
    """The virtual functions of 1.5 are not those of the versions that the agent knows."""
    wheel = environment(envs.wheel, key)
    done = lab.both(lab.python(wheel, "old", lab.model("old"), 3))
    assert done.status == 0 and done.out.count("sum") == 3
    runs = [(run.args["session"], run.args["status"]) for run in done.recording.inferences]
    assert runs == ([] if key == "1.5" else [(1, "ok"), (2, "ok"), (3, "ok")])
