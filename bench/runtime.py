# SPDX-License-Identifier: Apache-2.0
"""The ONNX Runtime to measure, and models for it: the newest one of PyPI, in an environment of its own in the build
folder. BENCH_RUNTIME names another library to measure, BENCH_MODEL one more model."""

import fcntl
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
PACKAGES = ["onnxruntime", "onnx", "numpy"]


class Missing(Exception):
    """The runtime is not available on this machine; the text gives the reason."""


def call(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        raise Missing(f"{' '.join(command[:5])}: {' '.join(done.stdout.strip().splitlines()[-1:])}")


def environment(build, name, packages):
    """Makes an environment of Python with these packages in the build folder, once. Returns its interpreter."""
    path = os.path.join(os.path.abspath(build), "bench", name)
    python = os.path.join(path, "bin/python")
    os.makedirs(path, exist_ok=True)
    with open(path + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(os.path.join(path, "is-complete")):
            call([sys.executable, "-m", "venv", "--clear", path])
            call([python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *packages])
            open(os.path.join(path, "is-complete"), "w").close()
    return python


class Runtime:
    def __init__(self, build):
        """python is an interpreter that can import onnxruntime."""
        self.python = environment(build, "runtime", PACKAGES)
        path = os.path.dirname(os.path.dirname(self.python))
        inside = glob.glob(os.path.join(path, "lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so.1*"))
        self.library = os.environ.get("BENCH_RUNTIME") or (inside or [None])[0]
        if not self.library or not os.path.exists(self.library):
            raise Missing("the package of onnxruntime has no libonnxruntime.so (set BENCH_RUNTIME to one)")
        self.version = os.path.basename(os.path.realpath(self.library)).partition(".so.")[2] or self.library

    def model(self, folder, name):
        """Path of a model made in this folder: chain, tiny or decoder (make_tiny.py), or one of tools/make_model.py."""
        path = os.path.join(folder, name + ".onnx")
        maker = (
            os.path.join(HERE, "make_tiny.py")
            if name in ("chain", "tiny", "decoder")
            else os.path.join(TOP, "tools/make_model.py")
        )
        call([self.python, maker, name, path])
        return path
