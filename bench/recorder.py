#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""recorder.py BUILD: CPU time and memory of the recorder while a program runs 100,000 operators a second (a chain of
100, a thousand times). Peers: LTTng's consumer daemon at 100,000 events of LTTng-UST, and `perf record` at 100,000 page
faults. The floor is the recorder while the program sleeps. CPU time is the scheduler's, in nanoseconds."""

import glob
import os
import shutil
import signal
import subprocess
import sys
import time

import players
import runtime

CHUNKS_PER_SECOND, OPERATORS, SECONDS, WARM_UP = 1000, 100, 8, 2


def cpu_s(pid):
    """The CPU time of all its threads."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path) as file:
            total += int(file.read().split()[0])
    return total / 1e9


def peak_mib(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024


def measure(what, player, pid, n_per_chunk, rate):
    """(percent of a core, peak MiB) of process pid while the player goes at this rate; 0: sleeps."""
    if rate:
        player.process.stdin.write(f"{(SECONDS + WARM_UP) * rate * n_per_chunk} {rate}\n")
    time.sleep(WARM_UP / 2)
    began, cpu = time.monotonic(), cpu_s(pid)
    time.sleep(SECONDS)
    cpu, elapsed = cpu_s(pid) - cpu, time.monotonic() - began
    if rate:
        player.answer()
    percent, peak = 100 * cpu / elapsed, peak_mib(pid)
    print(f"  {what:42s} {percent:6.2f} % of a core, {peak:6.1f} MiB at most")
    return percent, peak


def ours(build, folder, options):
    measured = runtime.Runtime(build)
    path = os.path.join(folder, "recorder.pftrace")
    inftrace = os.path.join(build, "inftrace")
    player = players.Player(
        [os.path.join(build, "bench/model_run"), measured.library, measured.model(folder, "chain")],
        [inftrace, "record", "--quiet", "--force", "--output", path, *options, "--"],
    )
    what = " ".join(["inftrace record", *options])
    idle = measure(what + ", nothing happens", player, player.process.pid, 1, 0)
    busy = measure(what, player, player.process.pid, 1, CHUNKS_PER_SECOND)
    player.end()
    report = players.report(inftrace, path)
    n = report["models"][0]["inferences"]["count"]
    print(
        f"    {n * OPERATORS} operators of {(SECONDS + WARM_UP) * CHUNKS_PER_SECOND * OPERATORS} are in the recording, "
        f"{report['losses']['lost_events']} events were lost"
    )
    return idle, busy, os.path.getsize(path) / (n * OPERATORS)


def lttng(build):
    program = os.path.join(build, "bench/event_lttng")
    why_not = players.Lttng.why_not(program)
    if why_not:
        players.left_out("lttng-consumerd beside the recorder", why_not)
        return None
    daemon = players.Lttng()
    player = daemon.player(program, str(OPERATORS))
    result = measure("lttng-consumerd", player, daemon.consumer(), OPERATORS, CHUNKS_PER_SECOND)
    player.end()
    print("   ", daemon.n_lost() or "nothing discarded")
    daemon.end()
    return result


def perf(build, folder):
    path = os.path.join(folder, "perf.data")
    command = ["perf", "record", "--quiet", "--event", "page-faults:u", "--count", "1", "--output", path]
    if (
        not shutil.which("perf")
        or subprocess.run([*command, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    ):
        players.left_out(
            "perf record beside the recorder", "not installed, or not allowed here (apt install linux-perf)"
        )
        return None
    player = players.Player([os.path.join(build, "bench/event_run"), "fault"])
    recorder = subprocess.Popen(
        [*command, "--pid", str(player.process.pid)],
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, players.OTHERS),
    )
    time.sleep(0.5)
    result = measure("perf record, page faults", player, recorder.pid, OPERATORS, CHUNKS_PER_SECOND)
    recorder.send_signal(signal.SIGINT)
    recorder.wait()
    player.end()
    print(f"    {os.path.getsize(path) / 1e6:.0f} MB written")
    return result


def main(build):
    folder = players.folder()
    try:
        idle, busy, n_bytes = ours(build, folder, [])
        _, plain, n_plain_bytes = ours(build, folder, ["--no-compress"])
        peers = [("lttng-consumerd", lttng(build)), ("perf record", perf(build, folder))]
        cpu, memory = ([(name, peer[which]) for name, peer in peers if peer] for which in (0, 1))
        more = "%.1f bytes an operator; with --no-compress %.2f %% and %.1f bytes" % (n_bytes, plain[0], n_plain_bytes)
        players.row("recorder: CPU at 100,000 operators/s", busy[0], "% of a core", 2, idle[0], cpu, more)
        players.row("recorder: peak memory", max(busy[1], plain[1]), "MiB", 32, idle[1], memory)
    except runtime.Missing as why:
        players.left_out("the recorder's cost", why)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
