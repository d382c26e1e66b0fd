# SPDX-License-Identifier: Apache-2.0
"""arm64_guest.py INFTRACE MODEL OUT KEY=PYTHON...: runs in the guest of tools/boot-arm64.sh, for test_arm64_kernel.py.

For each Python: programs that serve are attached to by probes and by --inject, others are recorded by next and by
record. OUT has the recordings, the runtime's own profile, and KEY.json with what the programs and inftrace have said.
Uses Python's own library alone, because nothing else is installed in the guest.
"""

import json
import os
import signal
import subprocess
import sys

from code_bytes import text_differs

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
INFTRACE, MODEL, OUT = sys.argv[1:4]
RUNS = 12


def program(python, name, *args):
    return [python, os.path.join(PROGRAMS, name), *map(str, args)]


def infer(python, runs, *args):
    return program(python, "infer.py", "run", MODEL, "--runs", runs, *args)


def run(args):
    done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return {"status": done.returncode, "out": done.stdout, "err": done.stderr}


def attach(key, name, pid, *options):
    path = "%s/%s-%s.pftrace" % (OUT, key, name)
    return run([INFTRACE, "attach", "-o", path, "-n", str(RUNS), *options, str(pid)])


class Server:
    """programs/serve.py, from its first results until the end of the block."""

    def __init__(self, key, name, python, *options):
        times = "%s/%s-%s-times" % (OUT, key, name)
        args = program(python, "serve.py", MODEL, "--rest", 0.01, "--times", times, *options)
        self.said = {}
        self.process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.said["out"], _ = self.process.communicate()
        self.said["status"] = self.process.returncode


def attached(key, python):
    """A server that is attached to in both ways, and again."""
    with Server(key, "attached", python) as server:
        server.said["probes"] = attach(key, "probes", server.pid)
        server.said["differs"] = text_differs(server.pid)
        server.said["inject"] = attach(key, "inject", server.pid, "--inject")
        server.said["again"] = attach(key, "again", server.pid, "--inject")
    return server.said


def rejecting(key, python):
    """Every other run fails; with the kind of links of older kernels, which takes long to remove."""
    with Server(key, "rejecting", python, "--reject", "--threads", 2) as server:
        server.said["rejected"] = attach(key, "rejected", server.pid, "--link", "perf", "--level", "inference")
        server.said["rejected-inject"] = attach(key, "rejected-inject", server.pid, "--inject")
    return server.said


def awaited(key, python):
    """A program that is recorded from its start."""
    command = [INFTRACE, "next", "-o", "%s/%s-next.pftrace" % (OUT, key), "--level", "operator"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as waiting:
        lines = []
        for line in waiting.stderr:
            lines.append(line)
            if "waiting for" in line:
                break
        done = run(infer(python, RUNS, "--times", "%s/%s-next-times" % (OUT, key)))
        if done["status"]:
            waiting.send_signal(signal.SIGINT)
        lines += waiting.stderr
    return {"program": done, "next": {"status": waiting.returncode, "err": "".join(lines)}}


def recorded(key, python):
    """A program that inftrace starts, with rings of one page of the largest size, and the report of it."""
    path, times = "%s/%s-record.pftrace" % (OUT, key), "%s/%s-record-times" % (OUT, key)
    command = infer(python, RUNS, "--times", times)
    said = run([INFTRACE, "record", "-o", path, "--ring-size", "64K", "--level", "operator", "--", *command])
    return {**said, "report": run([INFTRACE, "report", "--json", path])}


for pair in sys.argv[4:]:
    key, _, python = pair.partition("=")
    result = {"profile": run(infer(python, 1, "--profile", "%s/%s-profile" % (OUT, key)))}
    result["attached"] = attached(key, python)
    result["rejecting"] = rejecting(key, python)
    result.update(awaited(key, python))
    result["record"] = recorded(key, python)
    with open("%s/%s.json" % (OUT, key), "w") as file:
        json.dump(result, file)
    print("arm64_guest:", key, flush=True)
