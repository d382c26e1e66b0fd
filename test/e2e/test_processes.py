# SPDX-License-Identifier: Apache-2.0
"""A server that starts a process for each request: processes come and go as long as the recording lasts."""

import json
import os

import pytest

from lab import PATIENCE, wait_until
from marks import often

RUNS = 12  # of each worker


def memory_of(pid):
    """kB of anonymous memory."""
    with open("/proc/%d/status" % pid) as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))


def progress_of(path):
    """Bytes of the shared counter file."""
    return os.path.getsize(path) if os.path.exists(path) else 0


@pytest.mark.parametrize("n", often(300, 5000))
@pytest.mark.parametrize(
    "options",
    [["--keep", "4M"], pytest.param(["--thin", "4"], marks=pytest.mark.full("300 processes more"))],
    ids=["kept", "thinned"],
)
@pytest.mark.in_turn(2)
def test_memory_of_the_recorder_depends_on_the_processes_that_live(lab, library, n, options):
    program = lab.native("generations", library, lab.model("chain"), 256, 256, n, 4, lab.path("done"))
    command, path = lab.command(program, options=options)
    with open(lab.path("out"), "w+b") as out:
        recorder = lab.start(command, stdout=out, stderr=out)
        memory = []
        for part in range(1, 8):
            wait_until(lambda part=part: progress_of(lab.path("done")) >= n * part // 8, recorder)
            memory.append(memory_of(recorder.pid))
        assert recorder.wait(20 * PATIENCE) == 0
        out.seek(0)
        assert b"runs %d failed 0" % (n * RUNS) in out.read()
    # a worker takes 60 ms at least: 4 at a time, after half of them tracks have been ended for seconds. What waits to
    # be compressed comes and goes, by 10 MiB.
    assert min(memory[-2:]) < max(memory[2:5]) + 4096, memory
    assert max(memory) < 40 * 1024, memory
    report = json.loads(lab.plain([lab.inftrace, "report", "--json", path]).out)
    models = report["models"]
    if "--keep" not in options:
        assert sum(model["inferences"]["count"] for model in models) == n * RUNS
        assert sum(model.get("processes", 1) for model in models) == n and len(models) < 200
    assert report["losses"]["lost_events"] == report["losses"]["processes_not_seen"] == 0
