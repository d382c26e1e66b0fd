# SPDX-License-Identifier: Apache-2.0
"""`%%inftrace` of the Python package, in a real kernel of Jupyter that nbclient drives."""

import json
import os

import pytest

import envs
from conftest import environment

PACKAGE = os.path.join(os.path.dirname(os.path.dirname(envs.HERE)), "python")
DRIVER = """import json, sys
import nbclient, nbformat

book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in json.loads(sys.argv[1])])
nbclient.NotebookClient(book, timeout=240, kernel_name="python3", allow_errors=True).execute()
print(json.dumps([cell.outputs for cell in book.cells]))
"""
IMPORT = """import numpy, onnxruntime, time
session = onnxruntime.InferenceSession(%r, providers=["CPUExecutionProvider"])
one = session.get_inputs()[0]
feed = {one.name: numpy.zeros([d if isinstance(d, int) else 1 for d in one.shape], numpy.float32)}"""
RUN = """for _ in range(%d):
    _ = session.run(None, feed)
    time.sleep(%f)
print("ran")"""


@pytest.mark.root
@pytest.mark.parametrize("rights", ["probes", pytest.param("none", marks=pytest.mark.full("a cell of seconds"))])
def test_a_cell_is_recorded_and_its_report_shown_below_it(lab, rights):
    """A kernel is not started again; without the rights of probes, the agent comes into it while the cell runs."""
    is_whole = rights == "probes"
    python = environment(envs.notebook)
    cells = [
        "%load_ext inftrace",
        "%%inftrace\n1",
        IMPORT % lab.model("cnn"),
        "%%inftrace --name kept\n" + RUN % (40 if is_whole else 600, 0 if is_whole else 0.005),
        "print(kept.verdict)",
        "%%inftrace --no-report -o "
        + lab.path("cell.pftrace")
        + "\n"
        + RUN % (20 if is_whole else 600, 0 if is_whole else 0.005),
        "%%inftrace\nraise KeyError('its own')",
        "%%inftrace --wrong\n1",
    ]
    env = {"PYTHONPATH": PACKAGE, "INFTRACE_PROGRAM": lab.inftrace, "HOME": lab.path("home")}
    command = [python, "-c", DRIVER, json.dumps(cells)]
    if not is_whole:
        command = ["capsh", "--drop=cap_bpf,cap_perfmon,cap_sys_admin", "--", "-c", 'exec "$0" "$@"', *command]
    done = lab.plain(command, env=env)
    assert done.status == 0, done.err
    loaded, early, _, recorded, read, short, raised, wrong = json.loads(done.out)
    assert loaded == []
    assert "no runtime of models is loaded in this kernel yet" in early[0]["evalue"]
    said, shown = recorded
    assert said["text"] == "ran\n"
    assert shown["data"]["text/html"].startswith("<iframe sandbox srcdoc=")
    assert ("40 inferences of" if is_whole else " inferences of") in read[0]["text"]
    assert ("20 inferences of" if is_whole else " inferences of") in short[0]["text"] and len(short) == 1
    assert os.stat(lab.path("cell.pftrace")).st_size > 0
    # an exception of the cell is the cell's, and the report comes all the same
    assert [one["output_type"] for one in raised] == ["error", "execute_result"] and "its own" in raised[0]["evalue"]
    assert "unrecognized arguments: --wrong" in wrong[0]["evalue"]
