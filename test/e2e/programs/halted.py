# SPDX-License-Identifier: Apache-2.0
"""halted.py HOW MODEL: runs a model for a second and has itself halted meanwhile, for 0.4 s: by a signal, by a tracer
or by the freezer of the cgroup in $FREEZER; or stopped and then killed. Prints how often it ran the model while it was
halted."""

import ctypes
import os
import signal
import sys
import time

import ortprogram

how, model = sys.argv[1:]
PTRACE_ATTACH, PTRACE_DETACH = 16, 17


def freeze(is_frozen):
    folder = os.environ["FREEZER"]
    if os.path.exists(folder + "/freezer.state"):
        path, text = folder + "/freezer.state", "FROZEN" if is_frozen else "THAWED"
    else:
        path, text = folder + "/cgroup.freeze", "1" if is_frozen else "0"
    with open(path, "w") as file:
        file.write(text)


def halt(pid, write):
    libc = ctypes.CDLL(None, use_errno=True)
    time.sleep(0.3)
    if how in ("signal", "killed"):
        os.kill(pid, signal.SIGSTOP)
    elif how == "tracer":
        assert not libc.ptrace(PTRACE_ATTACH, pid, None, None), ctypes.get_errno()
    else:
        freeze(True)
    begin = time.monotonic_ns()
    time.sleep(0.4)
    os.write(write, b"%d %d" % (begin, time.monotonic_ns()))
    if how == "signal":
        os.kill(pid, signal.SIGCONT)
    elif how == "killed":
        os.kill(pid, signal.SIGKILL)
    elif how == "tracer":
        assert not libc.ptrace(PTRACE_DETACH, pid, None, None), ctypes.get_errno()
    else:
        freeze(False)


if how == "freezer":
    with open(os.environ["FREEZER"] + "/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))
session, feeds = ortprogram.session(model), ortprogram.feeds(model)
session.run(None, feeds)
read, write = os.pipe()
runs, parent = [], os.getpid()
child = os.fork()
if not child:
    if how == "freezer":
        with open(os.path.dirname(os.environ["FREEZER"]) + "/cgroup.procs", "w") as file:
            file.write(str(os.getpid()))
    halt(parent, write)
    os._exit(0)
end = time.monotonic() + 1.2
while time.monotonic() < end:
    runs.append(time.monotonic_ns())
    session.run(None, feeds)
os.waitpid(child, 0)
begin, end = map(int, os.read(read, 100).split())
print("runs while halted", sum(begin + 100_000_000 < run < end for run in runs))
