#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""view.py BUILD [--operators N]: what `inftrace view` takes for a recording of 10 million operators, plain and
compressed: the time from its start to the first tile that shows everything, the memory that it keeps for an event, the
time of tiles at all zooms, and of tables. report_bench makes the recordings. Each figure is the best of three; tiles:
the slowest of twenty places, from the request to the last byte."""

import http.client
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

import players

TIMES, PLACES = 3, 20
TABLES = ("models", "inferences", "operators", "operator_types")


class View:
    def __init__(self, inftrace, path):
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            [inftrace, "view", "--no-browser", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        address = self.process.stdout.readline().strip()
        if not address:
            raise SystemExit(f"inftrace view {path} failed")
        _, _, host, self.token, _ = address.split("/")
        self.connection = http.client.HTTPConnection(host, timeout=60)

    def get(self, path):
        """The bytes, and the seconds that they took."""
        begin = time.perf_counter()
        self.connection.request("GET", f"/{self.token}/{path}")
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {data}")
        return data, time.perf_counter() - begin

    def since(self):
        return time.perf_counter() - self.began

    def stop(self):
        self.process.terminate()
        self.process.wait()


def tile_times(view, recording, rows):
    """For each zoom: the time of tiles at some places, and their bytes."""
    places = random.Random(1)
    level = 8
    while 512 << level < 2 * recording["end"]:
        n = int(recording["end"]) // (512 << level) + 1
        asked = [view.get(f"tile?k={level}&i={places.randrange(n)}&rows=0-{rows - 1}") for _ in range(PLACES)]
        times = sorted(seconds for _, seconds in asked)
        yield level, statistics.median(times), times[-1], statistics.median(len(data) for data, _ in asked)
        level += 1


def measure(inftrace, path):
    view = View(inftrace, path)
    opened = view.since()
    recording = json.loads(view.get("recording.json")[0])
    rows = min(sum(track["rows"] for track in recording["tracks"]), 256)
    level = 0
    while 512 << level <= recording["end"]:
        level += 1
    view.get(f"tile?k={level}&i=0&rows=0-{rows - 1}")
    result = {"opened": opened, "shown": view.since()}
    view.get("report.json")
    result["report"] = view.since()
    recording = json.loads(view.get("recording.json")[0])
    result["bytes"], result["events"] = recording["bytes_per_event"], recording["events"]
    result["tiles"] = list(tile_times(view, recording, rows))
    result["tables"] = {what: view.get(f"table?what={what}")[1] for what in TABLES}
    view.stop()
    return result


def bench(build, folder, operators, words, *more):
    made = [os.path.join(build, "bench/report_bench"), "--operators", str(operators), *more, folder]
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
    path = os.path.join(folder, "bench-report.pftrace")
    runs = [measure(os.path.join(build, "inftrace"), path) for _ in range(TIMES)]
    best = min(runs, key=lambda run: run["shown"])
    print(f"{words}: {best['events'] / 1e6:.1f} M events, {os.path.getsize(path) / 2**20:.0f} MiB")
    for i, (level, _, _, size) in enumerate(best["tiles"]):
        median, slowest = (min(run["tiles"][i][figure] for run in runs) for figure in (1, 2))
        print(f"  2^{level:<2} ns/px: {median * 1e3:6.2f} ms, at most {slowest * 1e3:6.2f}; {size / 1024:5.0f} KiB")
    for what in TABLES:
        print(f"  table {what}: {min(run['tables'][what] for run in runs) * 1e3:.0f} ms")
    players.row(f"{words}: from start to the first tile", best["shown"], "s", 2 * operators / 1e7)
    players.row(f"{words}: from start to the report", min(run["report"] for run in runs), "s", None)
    players.row(f"{words}: memory for an event", max(run["bytes"] for run in runs), "bytes", 48)
    slowest = max(min(run["tiles"][i][2] for run in runs) for i in range(len(best["tiles"])))
    players.row(f"{words}: the slowest tile", slowest * 1e3, "ms", None)


def main(build, *args):
    operators = int(args[1]) if args[:1] == ("--operators",) else 10000000
    folder = players.folder()
    try:
        bench(build, folder, operators, "view")
        bench(build, folder, operators, "view, compressed", "--compressed")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main(*sys.argv[1:])
