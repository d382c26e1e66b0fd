# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the end-to-end tests. Without its environment, a test is skipped, or fails if INFTRACE_TEST_STRICT=1."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

import envs
import judge
import models as model_factory
from lab import Binaries, Lab, made_once
from marks import often, pytest_addoption, pytest_collection_modifyitems  # noqa: F401 (pytest looks for them here)


def environment(make, *args):
    try:
        return make(*args)
    except envs.Missing as why:
        if os.environ.get("INFTRACE_TEST_STRICT") == "1":
            raise
        pytest.skip(str(why))


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A folder shared by all tests of this run, also by those in other processes."""
    folder = os.environ.get("INFTRACE_TEST_SHARED")
    if folder:
        folder = pathlib.Path(folder)
    else:
        folder = tmp_path_factory.getbasetemp()
        folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    folder /= "shared"
    folder.mkdir(exist_ok=True)
    os.chmod(folder, 0o755)
    return folder


@pytest.fixture(scope="session")
def models(shared):
    def make(folder):
        os.mkdir(folder)
        model_factory.write(folder)
        os.chmod(folder, 0o755)

    made_once(shared / "models", make)
    return shared / "models"


@pytest.fixture(scope="session")
def binaries(shared):
    return Binaries(shared)


@pytest.fixture(scope="session", autouse=True)
def kept_judge():
    yield
    judge.close()


@pytest.fixture
def lab(tmp_path, models, binaries):
    """A Lab for one test. When the test ends, every recording made with it is checked."""
    lab = Lab(tmp_path, models, binaries)
    yield lab
    lab.stop()
    lab.judge()


@pytest.fixture
def public(lab, library):
    """A Lab whose files every user may use: inftrace with its agent, models, programs. public.library: the runtime."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        for path in (lab.inftrace, os.path.join(os.path.dirname(lab.inftrace), "libinftrace-agent.so")):
            shutil.copy(path, folder)
        binaries = os.path.join(folder, "programs")
        os.mkdir(binaries)
        own = Lab(folder, shutil.copytree(lab.models, os.path.join(folder, "models")), Binaries(binaries))
        own.inftrace = os.path.join(folder, os.path.basename(lab.inftrace))
        own.library = shutil.copy(os.path.realpath(library), folder)
        for path in (own.library, own.models):
            os.chmod(path, 0o755)
        yield own
        own.stop()
        own.judge()


@pytest.fixture
def wheel():
    """The newest wheel. Another one: parametrise indirectly with its key."""
    return environment(envs.wheel, "newest")


@pytest.fixture(params=list(envs.WHEELS))
def each_wheel(request):
    return environment(envs.wheel, request.param)


BETWEEN = pytest.mark.full("versions between the oldest and the newest")


@pytest.fixture(params=[*("1.15", "newest"), *(pytest.param(key, marks=BETWEEN) for key in ("1.18", "1.22"))])
def two_wheels(request):
    """For what does not depend on how a version lays out its memory: each_wheel is for that."""
    return environment(envs.wheel, request.param)


@pytest.fixture(params=list(envs.NODE_PACKAGES))
def each_node(request):
    return environment(envs.node_package, request.param)


@pytest.fixture
def library(wheel):
    """libonnxruntime of the newest wheel."""
    return wheel.library


# Packages that contain a libonnxruntime.
LIBRARIES = [
    (envs.node_package, "1.14"),
    (envs.node_package, "1.17"),
    (envs.node_package, "1.20"),
    (envs.wheel, "1.22"),
    (envs.wheel, "newest"),
    (envs.sherpa,),
]


def library_name(param):
    return "-".join([param[0].__name__.split("_")[0], *param[1:]])


@pytest.fixture(params=LIBRARIES, ids=library_name)
def each_library(request):
    return environment(*request.param).library


def marks_of(param):
    return [BETWEEN] if param[-1] in ("1.17", "1.20", "1.22") else []


@pytest.fixture(params=[pytest.param(param, marks=marks_of(param), id=library_name(param)) for param in LIBRARIES])
def few_libraries(request):
    """For what does not depend on how a version lays out its memory: each_library is for that."""
    return environment(*request.param).library


BINDINGS = [
    *(pytest.param((param, True), marks=marks_of(param), id=library_name(param) + "-linked") for param in LIBRARIES),
    pytest.param(((envs.wheel, "newest"), False), id="wheel-newest-opened"),
]


@pytest.fixture(params=BINDINGS)
def few_bindings(request):
    """(library, whether the program is linked with it): how it is bound makes the same difference in each version."""
    param, linked = request.param
    return environment(*param).library, linked


@pytest.fixture
def crowded_cpu():
    """A CPU on which three other programs compute all the time."""
    cpu = min(os.sched_getaffinity(0))
    hogs = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, [cpu]))
        for _ in range(3)
    ]
    yield cpu
    for hog in hogs:
        hog.kill()
        hog.wait()


def pytest_terminal_summary(terminalreporter):
    """The tables that tests have made, a row each."""
    rows = [
        value
        for kind in ("passed", "failed")
        for report in terminalreporter.stats.get(kind, [])
        for name, value in getattr(report, "user_properties", [])
        if name == "row" and report.when == "call"
    ]
    for row in rows:
        terminalreporter.write_line(row)
