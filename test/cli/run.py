#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py [--bless] [--without PATTERN,...] INFTRACE [CASE...]: the golden tests of the command line.

A case is a folder beside this file:
  cmd     a shell script; runs in a copy of the folder, with inftrace in PATH, $DATA (test/data) and $SOURCE (the tree)
  out     what it must print; err: the same for standard error (none: nothing); status: its exit status (none: 0)
  edit    optional: a script for sed -E that takes out what differs from run to run, applied to both outputs
A cmd that exits with 77 is skipped; its last line of standard error is the reason.
Prints TAP. --bless writes what was printed into the case instead of comparing."""

import argparse
import difflib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
SKIPPED = 77


def edit(case, text):
    script = case / "edit"
    if not script.exists():
        return text
    return subprocess.run(["sed", "-E", "-f", script], input=text, stdout=subprocess.PIPE, check=True).stdout


def run(case, inftrace):
    """What the case prints now: {"out": bytes, "err": bytes, "status": bytes}."""
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder) / "work"
        shutil.copytree(case, work)
        environment = {
            "PATH": f"{inftrace.parent}:{os.environ['PATH']}",
            "HOME": folder,
            "TMPDIR": folder,
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
            "DATA": str(SOURCE / "test/data"),
            "SOURCE": str(SOURCE),
            "GOCACHE": os.environ.get("GOCACHE", str(pathlib.Path.home() / ".cache/go-build")),  # Go builds its pprof
        }
        environment.update((name, value) for name, value in os.environ.items() if name.endswith("SAN_OPTIONS"))
        done = subprocess.run(
            ["bash", "./cmd"], cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300
        )
        printed = {
            name: edit(case, text.replace(folder.encode(), b"FOLDER"))
            for name, text in (("out", done.stdout), ("err", done.stderr))
        }
        return {**printed, "status": b"%d\n" % done.returncode}


def expected(case):
    unwritten = {"out": b"", "err": b"", "status": b"0\n"}
    return {name: (case / name).read_bytes() if (case / name).exists() else text for name, text in unwritten.items()}


def bless(case, printed):
    for name, unwritten in (("out", None), ("err", b""), ("status", b"0\n")):
        path = case / name
        if printed[name] != unwritten:
            path.write_bytes(printed[name])
        elif path.exists():
            path.unlink()


def differences(case, wanted, printed):
    for name in wanted:
        yield from difflib.unified_diff(
            wanted[name].decode(errors="replace").splitlines(),
            printed[name].decode(errors="replace").splitlines(),
            f"{case.name}/{name}",
            f"{name} now",
            lineterm="",
        )


def main(arguments):
    options = argparse.ArgumentParser()
    options.add_argument("--bless", action="store_true")
    options.add_argument("--without", type=lambda text: text.split(","), default=[])
    options.add_argument("inftrace", type=lambda path: pathlib.Path(path).resolve())
    options.add_argument("case", nargs="*")
    options = options.parse_args(arguments)
    cases = [HERE / name for name in options.case] or sorted(path.parent for path in HERE.glob("*/cmd"))
    cases = [case for case in cases if not any(case.match(pattern) for pattern in options.without)]
    failed = 0
    print(f"1..{len(cases)}")
    for number, case in enumerate(cases, 1):
        printed = run(case, options.inftrace)
        if printed["status"] == b"%d\n" % SKIPPED:
            reason = printed["err"].decode().strip().splitlines() or ["no reason given"]
            print(f"ok {number} - {case.name} # SKIP {reason[-1]}")
            continue
        if options.bless:
            bless(case, printed)
        lines = list(differences(case, expected(case), printed))
        failed += bool(lines)
        print(f"{'not ok' if lines else 'ok'} {number} - {case.name}")
        for line in lines:
            print("# " + line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
