#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stacks.py BUILD: what samples of stacks cost at 100 Hz: the sampler's CPU time, the target's time, and one stack.

Peers from PyPI, in an environment of their own below the build folder: py-spy, and Austin where its program runs here.
Without a network they are left out. A peer samples the same program in the same run, one after the other."""

import glob
import os
import shutil
import signal
import subprocess
import sys
import time

import players

SETTLE_S, MEASURE_S, SETS, ROUNDS, WORKS = 2, 5, 3, 25, 40
PYTHON = os.path.realpath(sys.executable)
LOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stacks_load.py")
SCRIPT = LOAD.removesuffix(".py") + ".js"
KINDS = {"one busy thread": ("busy", 1), "64 threads that sleep": ("sleep", 64)}
KINDS |= {"64 threads that wake each 10 ms": ("wake", 64), "64 threads that wait for the GIL": ("busy", 64)}


def runs(program):
    return os.access(program, os.X_OK) and not subprocess.run([program, "--version"], capture_output=True).returncode


def peers(build):
    """name -> command that samples a process 100 times a second, until it is interrupted."""
    folder = os.path.join(build, "bench", "stacks-env")
    if not os.access(os.path.join(folder, "bin", "py-spy"), os.X_OK):
        made = subprocess.run([sys.executable, "-m", "venv", folder]).returncode
        pip = [os.path.join(folder, "bin", "pip"), "-q", "install"]
        if made or subprocess.run([*pip, "py-spy"]).returncode:
            players.left_out("py-spy", "it cannot be installed here")
        for version in ("austin-dist", "austin-dist<4"):  # newer ones need a newer C library
            subprocess.run([*pip, version])
            if runs(os.path.join(folder, "bin", "austin")):
                break
    spy, austin = (os.path.join(folder, "bin", name) for name in ("py-spy", "austin"))
    found = {}
    if os.access(spy, os.X_OK):
        found["py-spy"] = [spy, "record", "-r", "100", "-d", "3600", "-i", "-f", "raw", "-o", "/dev/null", "-p"]
        found["py-spy --nonblocking"] = [*found["py-spy"][:-1], "--nonblocking", "-p"]
    if runs(austin):
        found["austin"] = [austin, "-i", "10000", "-o", "/dev/null", "-p"]
    else:
        players.left_out("austin", "its program does not run here")
    return found


def cpu_s(paths):
    total = 0
    for path in paths:
        with open(f"{path}/schedstat") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def used(paths):
    """Percent of a core that these threads use."""
    time.sleep(SETTLE_S)
    began, cpu = time.monotonic(), cpu_s(paths)
    time.sleep(MEASURE_S)
    return 100 * (cpu_s(paths) - cpu) / (time.monotonic() - began)


def start(kind, n, around=()):
    process = subprocess.Popen(
        [*around, PYTHON, LOAD, "0", kind, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    return process


def end(process):
    process.stdin.close()
    process.wait()


def sampler_of(pid):
    for path in glob.glob(f"/proc/{pid}/task/*"):
        with open(f"{path}/comm") as file:
            if file.read() == "inftrace-stacks\n":
                return path
    sys.exit("the sampler's thread was not found")


def cost_of_ours(record, kind, n):
    recorder = start(kind, n, record)
    time.sleep(SETTLE_S)
    percent = used([sampler_of(recorder.pid)])
    end(recorder)
    return percent


def cost_of_peer(command, kind, n):
    target = start(kind, n)
    peer = subprocess.Popen([*command, str(target.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(SETTLE_S)
    percent = used(glob.glob(f"/proc/{peer.pid}/task/*"))
    peer.send_signal(signal.SIGINT)
    peer.wait()
    end(target)
    return percent


def overheads(record, found):
    """Percent of time that a thread of Python loses: name -> (median, lower, upper)."""
    rounds = players.Rounds()
    for _ in range(SETS):
        ways = {"plain": (), "inftrace": record, "off": [*record[:-1], "--stacks", "off", "--"]}
        playing, sampling = {}, []
        for name, around in ways.items():
            playing[name] = players.Player([LOAD, "turns", "1"], [*around, PYTHON])
        for name, command in found.items():
            playing[name] = players.Player([LOAD, "turns", "1"], [PYTHON])
            sampling.append(
                subprocess.Popen(
                    [*command, str(playing[name].process.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )
        time.sleep(SETTLE_S)
        rounds.play({name: (player, WORKS) for name, player in playing.items()}, ROUNDS)
        for peer in sampling:
            peer.send_signal(signal.SIGINT)
            peer.wait()
    return {
        name: rounds.figure(lambda times, name=name, base=base: 100 * (times[name] / times[base] - 1))
        for name, base in [("inftrace", "off"), *((name, "plain") for name in found)]
    }


def probed_us(build, pid):
    """Frames of a process's first thread, and how long one walk takes: at best, and usually."""
    probe = os.path.join(build, "bench", "stacks_bench")
    done = subprocess.run([probe, str(pid)], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()


def stack_us(build):
    target = players.Player([LOAD, "turns", "1"], [PYTHON])
    told = probed_us(build, target.process.pid)
    target.end()
    return told


def put_stack_of_javascript(build):
    node = shutil.which("node")
    if not node:
        players.left_out("a stack of JavaScript", "node is not installed")
        return
    target = subprocess.Popen([node, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    target.stdout.readline()
    frames, fastest, usual = probed_us(build, target.pid)
    end(target)
    what = f"a stack of {frames} frames of JavaScript, and machine code around them"
    players.row(what, float(usual), "us", 100, more=f"at best {fastest} us")


def main(build):
    folder, found = players.folder(), peers(build)
    record = [os.path.join(build, "inftrace"), "record", "--quiet", "--force", "-o", f"{folder}/s.pftrace", "--"]
    frames, fastest, usual = stack_us(build)
    players.row(f"a stack of {frames} frames of Python", float(usual), "us", 10, more=f"at best {fastest} us")
    put_stack_of_javascript(build)
    for what, (kind, n) in KINDS.items():
        beside = [(name, round(cost_of_peer(command, kind, n), 2)) for name, command in found.items()]
        players.row(f"sampler: {what}", round(cost_of_ours(record, kind, n), 2), "% of a core", 1, peers=beside)
    lost = overheads(record, found)
    beside = [(name, round(lost[name][0], 2)) for name in found]
    figure = tuple(round(value, 3) for value in lost["inftrace"])
    players.row("a busy thread, sampled", figure, "% slower", 0.5, peers=beside)
    shutil.rmtree(folder)


main(*sys.argv[1:])
