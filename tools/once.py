#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""once.py NAME BUILD [--deps] CONFIG -- COMMAND...: runs COMMAND on each file of standard input (paths, one a line),
unless it has already passed on the same contents.

What has passed is kept in ~/.cache/inftrace-test/NAME. It counts again where the command, the files CONFIG and
tools/lint.txt are the same, and the file; with --deps also what Ninja knows of its object in BUILD: how it is compiled,
and every file that it includes."""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import subprocess
import sys

BATCH = 8  # files of one call


@functools.lru_cache(maxsize=None)
def of_file(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def compiled(build):
    """{path: what its objects are made from and how}, of files that are compiled in the build folder."""
    included, found = {}, {}
    for block in subprocess.run(
        ["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True
    ).stdout.split("\n\n"):
        lines = block.splitlines()
        if lines and "(VALID)" in lines[0]:
            included[lines[0].partition(":")[0]] = [os.path.join(build, line.strip()) for line in lines[1:]]
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        path = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        parts = [[name, of_file(name)] for name in included.get(entry["output"], ())]
        if parts:
            command = entry["command"].replace(os.path.realpath(build), "BUILD")
            found.setdefault(path, []).append([command, sorted(part[1] for part in parts)])
    return found


def main():
    words, command = sys.argv[1 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
    name, build, config = words[0], words[1], [word for word in words[2:] if word != "--deps"]
    objects = compiled(build) if "--deps" in words else None
    ours = [*command, *map(of_file, [*config, os.path.join(os.path.dirname(__file__), "lint.txt")])]
    ours = json.dumps(ours).replace(os.path.realpath(build), "BUILD")
    cache = os.environ.get("INFTRACE_TEST_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "inftrace-test"
    )
    passed = pathlib.Path(cache) / name
    passed.mkdir(parents=True, exist_ok=True)

    def key(path):
        """None: it is not known what the file is made from."""
        more = objects.get(os.path.realpath(path)) if objects is not None else []
        if more is None:
            return None
        return hashlib.sha256(json.dumps([ours, path, of_file(path), more]).encode()).hexdigest()

    keys = {path: key(path) for path in sys.stdin.read().splitlines()}
    todo = [path for path in keys if not keys[path] or not (passed / keys[path]).exists()]

    def checked(files):
        done = subprocess.run([*command, *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not done.returncode:
            for path in filter(None, map(keys.get, files)):
                (passed / path).touch()
        return done

    batches = [todo[i : i + BATCH] for i in range(0, len(todo), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        bad = [done for done in pool.map(checked, batches) if done.returncode]
    for done in bad:
        print(done.stdout)
    print("%d files, %d checked now" % (len(keys), len(todo)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
