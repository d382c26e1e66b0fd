#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""view_frames.py BUILD [--times N] [--no-peer] [WHAT...]: how long `inftrace view` takes to show a recording with
resources, and the main thread's CPU time of each frame while the page is panned and zoomed in headless Chromium without
a GPU, at 1 and 2 device pixels a pixel; the memory of the program, and of the browser. Beside it, in the same run, the
UI of Perfetto with the same file.

WHAT: operators (10 million, on 4 threads; the default), compressed, rows (the same on 200 threads), large (100 million
operators, 5 GB, without the peer, which has no room for them). The default is all but large. Needs Chromium and npm."""

import contextlib
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import time

import players

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../test/e2e"))

import envs  # noqa: E402 (the folder is known by now)
import judge  # noqa: E402

FRAME_BUDGETS = {1: 12.0, 2: 16.7}  # ms, of 95 % of the frames
# operators, threads, more; the seconds to the picture that are allowed, whether the peer opens it as well
KINDS = {
    "operators": (10_000_000, 4, [], 2.0, True),
    "compressed": (10_000_000, 4, ["compressed"], 2.0, False),
    "rows": (10_000_000, 200, [], 2.0, False),
    "large": (100_000_000, 4, [], 20.0, False),
}


def status(pid, key):
    with open("/proc/%d/status" % pid) as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key + ":")) / 1024


def drive(script, browser, modules, *args):
    done = subprocess.run(
        ["node", os.path.join(HERE, script), browser, *map(str, args)],
        env=dict(os.environ, NODE_PATH=modules),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(done.stdout)


def once(build, path, browser, modules):
    """Seconds to the address, MiB of memory, its peak, bytes an event as the page says, and what was driven."""
    begin = time.perf_counter()
    view = subprocess.Popen(
        [os.path.join(build, "inftrace"), "view", "--no-browser", path], stdout=subprocess.PIPE, text=True
    )
    try:
        address = view.stdout.readline().strip()
        opened = time.perf_counter() - begin
        driven = {dpr: drive("view_frames.js", browser, modules, address, dpr) for dpr in FRAME_BUDGETS}
        shown = opened + driven[1]["open_ms"] / 1000
        return {"opened": opened, "shown": shown, "driven": driven} | {
            "mib": status(view.pid, "RssAnon"),
            "peak_mib": status(view.pid, "VmHWM"),
        }
    finally:
        view.terminate()
        view.wait()


@contextlib.contextmanager
def served(path):
    """The address of Perfetto's UI, which has the recording beside it."""

    class Handler(judge._Quiet):
        def translate_path(self, url):
            is_it = url.split("?")[0] == "/recording.pftrace"
            return os.path.realpath(path) if is_it else super().translate_path(url)

    handler = functools.partial(Handler, directory=judge.perfetto())
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield "http://127.0.0.1:%d" % server.server_port
        server.shutdown()


def peer_of(path, browser, modules):
    """What view_peer.js finds; it reads device pixels when it is loaded, so that each number of them is a run."""
    try:
        with served(path) as base:
            return {dpr: drive("view_peer.js", browser, modules, base, dpr) for dpr in FRAME_BUDGETS}
    except (envs.Missing, subprocess.CalledProcessError) as why:
        players.left_out("the UI of Perfetto", str(why))
        return None


def report(what, operators, budget_s, results, peer):
    best = min(results, key=lambda result: result["shown"])
    name = "the UI of Perfetto"
    peers = [(name, peer[1]["drawn_s"])] if peer else []
    more = f"its address after {best['opened']:.2f} s, the page after {best['driven'][1]['open_ms'] / 1000:.2f} s more"
    players.row(f"view, {what}: on the screen", best["shown"], "s", budget_s, None, peers, more)
    least = min(results, key=lambda result: result["mib"])
    peers = [(name, peer[1]["browser_mib"])] if peer else []
    more = f"at most {least['peak_mib']:.0f} MiB; the browser {least['driven'][1]['browser_mib']:.0f} MiB"
    players.row(f"view, {what}: memory", least["mib"], "MiB", 48 * operators / 2**20, None, peers, more)
    for dpr, budget in FRAME_BUDGETS.items():
        for move in ("pan", "zoom"):
            one = min((result["driven"][dpr][move] for result in results), key=lambda frame: frame["p95_ms"])
            more = (
                f"p50 {one['p50_ms']:.1f} ms, {one['frames_per_s']:.0f} frames/s, "
                f"picture there {one['shown']:.1%}, exact {one['exact']:.1%}"
            )
            peers = [(name, peer[dpr][move]["p95_ms"])] if peer else []
            row = f"view, {what}: {move}, dpr {dpr}: p95 of a frame"
            players.row(row, one["p95_ms"], "ms", budget, None, peers, more)


def main(build, *args):
    try:
        browser, modules = judge._browser(), judge.puppeteer()
    except envs.Missing as why:
        players.left_out("the page of view", str(why))
        return
    words = list(args)
    n_times = int(words.pop(words.index("--times") + 1)) if "--times" in words else 3
    wanted = [word for word in words if word in KINDS] or ["operators", "compressed", "rows"]
    folder = players.folder()
    path = os.path.join(folder, "bench.pftrace")
    try:
        for what in wanted:
            operators, threads, more, budget_s, has_peer = KINDS[what]
            maker = os.path.join(build, "bench", "view_recording")
            subprocess.run([maker, path, str(operators), str(threads), *more], check=True)
            results = [once(build, path, browser, modules) for _ in range(n_times)]
            peer = peer_of(path, browser, modules) if has_peer and "--no-peer" not in words else None
            report(what, operators, budget_s, results, peer)
    finally:
        shutil.rmtree(folder)


main(*sys.argv[1:])
