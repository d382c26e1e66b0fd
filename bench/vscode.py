#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vscode.py BUILD: what the extension for VS Code takes, in a real workbench (npm's code-server) in headless Chromium:
its activation, a recording of a million events from the click to the picture, a tile beside one of the same page in the
browser, and how often views ask while nobody sees them. Needs what test/e2e/test_vscode.py needs, and the
Python of the tests (bench/README.md)."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
E2E = os.path.join(HERE, "..", "test", "e2e")
sys.path.insert(0, E2E)

import envs  # noqa: E402
import judge  # noqa: E402
import test_vscode  # noqa: E402

EVENTS = 1000000


class Lab:
    """What workbench() and drive() use of the lab of tests."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)


def measure(build, folder):
    lab, kind = Lab(folder), envs.workbench("newest")
    inftrace, work = os.path.join(build, "inftrace"), os.path.join(folder, "workspace")
    os.makedirs(work)
    subprocess.run(
        [os.path.join(build, "bench", "view_recording"), work + "/million.pftrace", str(EVENTS), "4"], check=True
    )
    subprocess.run([os.path.join(build, "bench", "view_recording"), work + "/small.pftrace", "1000", "1"], check=True)
    package = [sys.executable, os.path.join(HERE, "..", "tools", "package"), "vsix", "-o", folder]
    extension = subprocess.run(package, capture_output=True, text=True, check=True).stdout.strip()
    asked, wrapper, figures = (os.path.join(folder, name) for name in ("asked", "inftrace", "figures"))
    with open(wrapper, "w") as out:
        out.write('#!/bin/sh\necho "$*" >> "%s"\nexec "%s" "$@"\n' % (asked, inftrace))
    os.chmod(wrapper, 0o755)
    view = subprocess.Popen(
        [inftrace, "view", "--no-browser", work + "/million.pftrace"], stdout=subprocess.PIPE, text=True
    )
    try:
        env = {"VSCODE_BROWSER_PAGE": view.stdout.readline().strip(), "VSCODE_ASKED": asked, "VSCODE_FIGURES": figures}
        with test_vscode.workbench(lab, kind, [extension], work, {"inftrace.path": wrapper}) as address:
            test_vscode.drive(lab, kind, address, os.path.join(HERE, "vscode_steps.js"), **env)
    finally:
        view.terminate()
    with open(figures) as file:
        return json.load(file)


def main(build):
    if not judge._browser():
        raise SystemExit("no Chromium is installed")
    with tempfile.TemporaryDirectory() as folder:
        got = measure(os.path.abspath(build), folder)
    print("activation  %.0f ms  budget 100" % got["activation_ms"])
    print("a million events, from the click to the picture  %.2f s  budget 2.5" % got["million_s"])
    for name, words in (("tile", "a tile"), ("screen", "four tiles at once")):
        print("%s: editor over browser  %.2f times  budget 1.5" % (words, got[name + "_ratio"]))
        print("(editor %.2f ms, browser %.2f ms)" % (got[name + "_editor_ms"], got[name + "_browser_ms"]))
    print("questions of hidden views, in 8 s  %d asked  budget 0" % got["asked_hidden"])


if __name__ == "__main__":
    main(*sys.argv[1:])
