#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""view_frames.py BUILD [FILE]: how long `inftrace view` takes to show a recording of 10 million slices, and the main
thread's CPU time of each frame while the page is panned and zoomed in headless Chromium without a GPU, at 1 and 2
device pixels a pixel; the memory of the program. FILE: another recording, such as one with resources. Needs Chromium
and npm."""

import json
import os
import shutil
import subprocess
import sys
import time

import players

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../test/e2e"))

import envs  # noqa: E402 (the folder is known by now)
import judge  # noqa: E402

OPERATORS = 10_000_000
N_TIMES = 3
FRAME_BUDGETS = {1: 12.0, 2: 16.7}  # ms, of 95 % of the frames


def made(build, folder):
    subprocess.run([os.path.join(build, "bench", "report_bench"), "--operators", str(OPERATORS), folder], check=True)
    return os.path.join(folder, "bench-report.pftrace")


def status(pid, key):
    with open("/proc/%d/status" % pid) as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key + ":")) / 1024


def drive(browser, modules, address, dpr):
    done = subprocess.run(
        ["node", os.path.join(HERE, "view_frames.js"), browser, address, str(dpr)],
        env=dict(os.environ, NODE_PATH=modules),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(done.stdout)


def once(build, path, browser, modules):
    """Seconds to the address, MiB of memory, and what was driven at each number of device pixels."""
    begin = time.perf_counter()
    view = subprocess.Popen(
        [os.path.join(build, "inftrace"), "view", "--no-browser", path], stdout=subprocess.PIPE, text=True
    )
    try:
        address = view.stdout.readline().strip()
        seconds = time.perf_counter() - begin
        driven = {dpr: drive(browser, modules, address, dpr) for dpr in FRAME_BUDGETS}
        return seconds, status(view.pid, "RssAnon"), driven
    finally:
        view.terminate()
        view.wait()


def main(build, path=None):
    try:
        browser, modules = judge._browser(), judge.puppeteer()
    except envs.Missing as why:
        players.left_out("the page of view", str(why))
        return
    folder = players.folder()
    try:
        path = path or made(build, folder)
        results = [once(build, path, browser, modules) for _ in range(N_TIMES)]
    finally:
        shutil.rmtree(folder)
    best = min(results, key=lambda result: result[0] + result[2][1]["open_ms"] / 1000)
    seconds = best[0] + best[2][1]["open_ms"] / 1000
    more = f"the program reads for {best[0]:.2f} s, the page needs {best[2][1]['open_ms']} ms"
    players.row("view: 10 million slices on the screen", seconds, "s", 2.0, more=more)
    players.row("view: memory", min(result[1] for result in results), "MiB", 48 * OPERATORS / 2**20)
    for dpr, budget in FRAME_BUDGETS.items():
        for move in ("pan", "zoom"):
            frames = [result[2][dpr][move] for result in results]
            one = min(frames, key=lambda frame: frame["p95_ms"])
            more = (
                f"p50 {one['p50_ms']:.1f} ms, {one['frames_per_s']:.0f} frames/s, "
                f"picture there {one['shown']:.1%}, exact {one['exact']:.1%}"
            )
            players.row(f"view: {move}, dpr {dpr}: p95 of a frame", one["p95_ms"], "ms", budget, more=more)


main(*sys.argv[1:])
