# SPDX-License-Identifier: Apache-2.0
"""queries.py BUILD [--check]: the speed of `inftrace query` over 10 million operators on one core, and beside it, in
the same run on a smaller recording, the real trace_processor (WebAssembly, run by test/e2e/judge.py) with the same
questions. Prints seconds, and how much longer trace_processor takes for as many operators. Without Node.js or a network
the latter is left out."""

import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "../test/e2e"))
import judge

OPERATORS, FEWER, TIMES = 10_000_000, 500_000, 3
OF_OPERATORS = "from slice where category = 'operator'"
TYPE = "extract_arg(arg_set_id, 'debug.op_type')"
THEIRS = {
    "sum": f"select count(*), sum(dur) {OF_OPERATORS}",
    "by type": f"select {TYPE} as t, count(*), sum(dur), max(dur) {OF_OPERATORS} group by t",
    "by name": f"select name, count(*), sum(dur) {OF_OPERATORS} group by name order by 3 desc limit 10",
    "longest": f"select name, dur {OF_OPERATORS} order by dur desc limit 10",
    "one second": f"select count(*), sum(dur) {OF_OPERATORS} and ts >= (select min(ts) from slice) + 1000000000 "
    "and ts < (select min(ts) from slice) + 2000000000",
}


def measure_ours(program, operators, path, check):
    """name: (seconds, seconds of the first run), and whether it keeps the budget."""
    command = [program, "--operators", str(operators), str(path)] + ["--check"] * check
    run = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if run.returncode not in (0, 1):
        sys.exit(3)
    rows = [line.split("\t") for line in run.stdout.splitlines()]
    return {name: (float(best), float(first)) for name, best, first, _ in rows}, run.returncode == 0


def measure_theirs(path):
    """name: seconds; empty where trace_processor cannot run."""
    try:
        processor = judge.TraceProcessor(str(path))
    except (judge.Refused, judge.envs.Missing, OSError, subprocess.SubprocessError) as why:
        print(f"trace_processor cannot run here and is left out: {why}", file=sys.stderr)
        return {}
    with processor:
        seconds = {"reading": processor.import_seconds}
        for name, sql in THEIRS.items():
            took = []
            for _ in range(TIMES):
                begin = time.monotonic()
                processor.query(sql)
                took.append(time.monotonic() - begin)
            seconds[name] = min(took)
        return seconds


def main(build, *options):
    program = pathlib.Path(build) / "bench/query_bench"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bench.pftrace"
        ours, is_good = measure_ours(program, OPERATORS, path, "--check" in options)
        path.unlink()
        fewer, _ = measure_ours(program, FEWER, path, False)
        theirs = measure_theirs(path)
    print(f"{'query':18} {'10 M operators':>15} {'first time':>11} {'0.5 M':>9} {'trace_processor':>16} {'ratio':>8}")
    for name, (best, first) in ours.items():
        peer = theirs.get(name)
        beside = f"{peer:14.3f} s {peer / max(fewer[name][0], 1e-6):7.1f}x" if peer else ""
        print(f"{name:18} {best:13.3f} s {first:9.3f} s {fewer[name][0]:7.3f} s {beside}")
    return 0 if is_good else 1


sys.exit(main(*sys.argv[1:]))
