#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""table.py TESTLOG.json: the results of all benchmarks of a run, as one table. Reads the log that Meson writes: lines
"row {...}" and "left out {...}" (players.py), and lines of other benchmarks that state a budget:
"WHAT  FIGURE UNIT  [floor NUMBER]  budget NUMBER", their peers by PEERS. Exit status 1 if a figure is above its budget
or a benchmark failed."""

import json
import os
import platform
import re
import sys
import time

NUMBER = r"([\d,.]+)"
LINE = re.compile(
    rf"\s*(?P<what>\S.*?)\s+(?P<figure>{NUMBER}) (?P<unit>\S+(?: of CPU)?)(?:\s+floor\s+(?P<floor>{NUMBER}))?"
    rf"\s+budget\s+(?P<budget>{NUMBER})"
)
SECTION = re.compile(r"(\w+): /")
# benchmark, what its row is called -> the peer's name, its figure
PEERS = {
    ("sampler", "one process: cpu and memory"): rf"(psutil-[\d.]+):cpu_and_memory\s+{NUMBER} us",
    ("trace", "plain: read"): rf"(trace_processor) \(WebAssembly\) reads the plain file: {NUMBER} ns/packet",
    ("trace", "compressed: read"): rf"(trace_processor) \(WebAssembly\) reads the compressed file: {NUMBER} ns/packet",
}


def number(text):
    return float(text.replace(",", "")) if text else None


def rows_of(benchmark, text):
    section = ""
    for line in text.splitlines():
        if line.startswith(("row ", "left out ")):
            kind, _, rest = line.partition("{")
            yield json.loads("{" + rest)
            continue
        if found := SECTION.match(line):
            section = found[1] + ": "
        if found := LINE.match(line):
            what = section + found["what"]
            peer = re.search(PEERS.get((benchmark, what), "$^"), text)
            yield dict(
                what=f"{benchmark}: {what}",
                figure=number(found["figure"]),
                unit=found["unit"],
                floor=number(found["floor"]),
                budget=number(found["budget"]),
                lower=None,
                upper=None,
                more="",
                peers=[(peer[1], number(peer[2]))] if peer else [],
                at_least=found["unit"].endswith("/s"),
            )


def short(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def verdict(row):
    if row["budget"] is None:
        return ""
    over = row["figure"] < row["budget"] if row["at_least"] else row["figure"] > row["budget"]
    if not over:
        return "ok"
    # the interval contains the budget: this run cannot decide
    reaches = row["lower"] is not None and (
        row["upper"] >= row["budget"] if row["at_least"] else row["lower"] <= row["budget"]
    )
    return "above?" if reaches else "ABOVE"


def cells(row):
    figure = short(row["figure"]) + " " + row["unit"]
    if row["lower"] is not None:
        figure += f" ({short(row['lower'])} to {short(row['upper'])})"
    peers = ", ".join(
        f"{name} {short(value)}" + (f" ({short(value / row['figure'])} x)" if row["figure"] > 0 else "")
        for name, value in row["peers"]
    )
    sign = "" if row["budget"] is None else ">= " if row["at_least"] else "<= "
    return [
        row["what"],
        figure,
        short(row["floor"]),
        (sign + short(row["budget"])).strip("-"),
        verdict(row),
        peers or "-",
    ]


def print_table(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for number, line in enumerate(lines):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
        if not number:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


def machine():
    try:
        with open("/proc/cpuinfo") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.machine()
    return (
        f"{model}, {len(os.sched_getaffinity(0))} CPUs, Linux {platform.release()}, load {os.getloadavg()[1]:.1f}, "
        f"{time.strftime('%Y-%m-%d %H:%M')}"
    )


def main(path):
    lines, notes, n_above, n_budgets, failed = [["what", "figure", "floor", "budget", "", "beside it"]], [], 0, 0, False
    for text in open(path):
        benchmark = json.loads(text)
        if benchmark["result"] not in ("OK", "SKIP"):
            said = (benchmark.get("stderr") or benchmark["stdout"]).strip()
            notes.append(f"{benchmark['name']}: {benchmark['result']}: {said[-400:]}")
            failed = True
        for row in rows_of(benchmark["name"], benchmark["stdout"]):
            if "why" in row:
                notes.append(f"left out: {row['what']}: {row['why']}")
                continue
            lines.append(cells(row))
            n_budgets += row["budget"] is not None
            n_above += lines[-1][4].startswith("ABOVE")
            if row["more"]:
                notes.append(f"{row['what']}: {row['more']}")
    print(machine())
    print_table(lines)
    for note in notes:
        print("*", note)
    print(f"{n_above} of {n_budgets} figures above their budgets; the others are within, or (above?) undecided")
    return 1 if n_above or failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
