# SPDX-License-Identifier: Apache-2.0
"""`%%inftrace` of the Python package, in a real kernel of Jupyter that nbclient drives."""

import contextlib
import json
import os
import re
import subprocess

import pytest

import envs
import judge
from conftest import environment
from lab import wait_until
from test_view_page import skip_without_page

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
@pytest.mark.in_turn(2)
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
    # what the cell prints may come in two parts
    assert {output["output_type"] for output in short} == {"stream"}, short
    assert ("20 inferences of" if is_whole else " inferences of") in "".join(output["text"] for output in short)
    assert os.stat(lab.path("cell.pftrace")).st_size > 0
    # the recorder is a child of the kernel, but no part of it
    asked = lab.plain([lab.inftrace, "query", "--json", lab.path("cell.pftrace"), "SELECT name FROM processes"])
    assert asked.status == 0 and '"inftrace"' not in asked.out and "python" in asked.out, asked
    # to wait until the recorder has ended is no work of the cell
    ours = "SELECT call, function, line FROM stack_samples WHERE pid = tid AND call = 'wait4'"
    asked = lab.plain([lab.inftrace, "query", "--json", lab.path("cell.pftrace"), ours])
    assert json.loads(asked.out) == []
    # an exception of the cell is the cell's, and the report comes all the same
    assert [one["output_type"] for one in raised] == ["error", "execute_result"] and "its own" in raised[0]["evalue"]
    assert "unrecognized arguments: --wrong" in wrong[0]["evalue"]


@pytest.mark.root
@pytest.mark.full("JupyterLab in a browser")
def test_jupyterlab_shows_the_report_and_the_page(lab):
    """Nothing but the extension of IPython: JupyterLab has none of inftrace."""
    skip_without_page(lab)
    python, browser, modules = environment(envs.jupyterlab), environment(judge._browser), environment(judge.puppeteer)
    cells = ["%load_ext inftrace", IMPORT % lab.model("cnn"), "%%inftrace\n" + RUN % (40, 0)]
    cells.append("%%inftrace --page -o " + lab.path("cell.pftrace") + "\n" + RUN % (30, 0))
    cells = [
        {"cell_type": "code", "id": "c%d" % i, "execution_count": None, "metadata": {}, "outputs": [], "source": text}
        for i, text in enumerate(cells)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    with open(lab.path("book.ipynb"), "w") as out:
        json.dump({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, out)
    words = ["-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", "--ServerApp.token="]
    home = {
        name: lab.path("home") for name in ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    }
    env = {"PYTHONPATH": PACKAGE, "INFTRACE_PROGRAM": lab.inftrace, "PATH": os.path.dirname(python), **home}
    env["PATH"] += ":" + os.environ["PATH"]
    with open(lab.path("server.log"), "w") as log:
        server = lab.start([python, *words, "--ServerApp.root_dir=" + lab.path("")], env=env, stdout=log, stderr=log)
    address = wait_until(lambda: re.search(r"http://127\.0\.0\.1:\d+/lab", open(lab.path("server.log")).read()), server)
    picture = os.path.join(os.environ.get("JUPYTER_PICTURES", lab.path("")), "jupyterlab.png")
    done = subprocess.run(
        ["node", os.path.join(envs.HERE, "jupyter_drive.js"), browser, address[0] + "/tree/book.ipynb", "4", picture],
        env={**os.environ, "NODE_PATH": modules},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr + open(lab.path("server.log")).read()[-2000:]
    said = json.loads(done.stdout)
    assert said["report"] and "30 inferences of" in said["page"]
    server.terminate()
    server.wait()
    # the page ended with the kernel
    wait_until(lambda: not pages_of(lab.path("cell.pftrace")))


def pages_of(recording):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open("/proc/%s/cmdline" % pid, "rb") as file:
            words = file.read().split(b"\0")
            if b"--embed" in words and recording.encode() in words:
                found.append(int(pid))
    return found
