# SPDX-License-Identifier: Apache-2.0
"""halted.py HOW MODEL MS...: runs a model over and over and has itself halted meanwhile, once for each MS and so long:
by a signal, by a signal to its whole process group (as Ctrl-Z), by a tracer, or by the freezer of the cgroup in
$FREEZER; or stopped and then killed. Prints the checksums of its outputs, and how often it ran the model while it was
halted. Writes into the file $HALTS, one line a halt, the times (CLOCK_MONOTONIC) before and after the call that halted
it, and before and after the one that let it go on. Before each halt, and after the last one, it runs the model ten
times."""

import ctypes
import os
import signal
import sys
import time

import ortprogram

how, model, lengths = sys.argv[1], sys.argv[2], [int(word) for word in sys.argv[3:]]
PTRACE_ATTACH, PTRACE_DETACH = 16, 17
libc = ctypes.CDLL(None, use_errno=True)


def ptrace(request, pid):
    assert not libc.ptrace(request, pid, None, None), ctypes.get_errno()


def freeze(is_frozen):
    folder = os.environ["FREEZER"]
    if os.path.exists(folder + "/freezer.state"):
        path, text = folder + "/freezer.state", "FROZEN" if is_frozen else "THAWED"
    else:
        path, text = folder + "/cgroup.freeze", "1" if is_frozen else "0"
    with open(path, "w") as file:
        file.write(text)


def wait_halted(pid):
    """Until it is, and not only about to be."""
    while True:
        with open("/proc/%d/stat" % pid) as file:
            state = file.read().rpartition(")")[2].split()[0]
        if state in "Tt" or (how == "freezer" and is_frozen()):
            return


def is_frozen():
    name = os.environ["FREEZER"] + "/freezer.state"
    with open(name if os.path.exists(name) else os.environ["FREEZER"] + "/cgroup.events") as file:
        return any(line in ("FROZEN\n", "frozen 1\n") for line in file)


def halt(pid):
    if how == "tracer":
        ptrace(PTRACE_ATTACH, pid)
    elif how == "freezer":
        freeze(True)
    elif how == "group":
        os.killpg(os.getpgid(pid), signal.SIGSTOP)
    else:
        os.kill(pid, signal.SIGSTOP)
    wait_halted(pid)


def go_on(pid):
    if how == "tracer":
        ptrace(PTRACE_DETACH, pid)
    elif how == "freezer":
        freeze(False)
    elif how == "group":
        os.killpg(os.getpgid(pid), signal.SIGCONT)
    else:
        os.kill(pid, signal.SIGKILL if how == "killed" else signal.SIGCONT)


def wait_runs():
    """Until the parent has written a byte for each of ten runs; what it wrote before counts as well."""
    left = 10
    while left > 0:
        left -= len(os.read(read, 4096))


def timed(call, pid):
    before = time.monotonic_ns()
    call(pid)
    return [before, time.monotonic_ns()]


def join(folder):
    with open(folder + "/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))


if how == "freezer":
    join(os.environ["FREEZER"])
session, feeds = ortprogram.session(model), ortprogram.feeds(model)
session.run(None, feeds)
read, write = os.pipe()
begins, outputs, parent = [], set(), os.getpid()
child = os.fork()
if not child:
    if how == "group":
        os.setsid()
    if how == "freezer":
        join(os.path.dirname(os.environ["FREEZER"]))
    halts = []
    for length in lengths:
        wait_runs()
        time.sleep(0.3)  # not between two runs
        held = timed(halt, parent)
        time.sleep(length / 1000)
        halts.append(held + timed(go_on, parent))
    if how != "killed":
        wait_runs()
    with open(os.environ["HALTS"], "w") as file:
        file.writelines("%d %d %d %d\n" % tuple(times) for times in halts)
    os._exit(0)
while not os.waitpid(child, os.WNOHANG)[0]:
    begins.append(time.monotonic_ns())
    outputs.add(ortprogram.checksum(session.run(None, feeds)))
    os.write(write, b".")
with open(os.environ["HALTS"]) as file:
    halts = [[int(word) for word in line.split()] for line in file]
held = sum(halt[1] + 10_000_000 < begin < halt[2] for begin in begins for halt in halts)
print("outputs", *sorted(outputs), "runs while halted", held)
