# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the end-to-end tests. A missing environment is a visible skip, or with INFTRACE_TEST_STRICT=1 a
failure."""

import os

import pytest

import envs
import models as model_factory
from lab import Binaries, Lab

FULL = os.environ.get("INFTRACE_TEST_FULL") == "1"


def pytest_collection_modifyitems(items):
    for item in items:
        if "full" in item.keywords and not FULL:
            item.add_marker(pytest.mark.skip(reason="long: set INFTRACE_TEST_FULL=1"))
        if "root" in item.keywords and os.geteuid():
            item.add_marker(pytest.mark.skip(reason="needs root"))


def environment(make, *args):
    try:
        return make(*args)
    except envs.Missing as why:
        if os.environ.get("INFTRACE_TEST_STRICT") == "1":
            raise
        pytest.skip(str(why))


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    model_factory.write(str(folder))
    os.chmod(folder, 0o755)
    return folder


@pytest.fixture(scope="session")
def binaries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("binaries")
    return Binaries(folder)


@pytest.fixture
def lab(tmp_path, models, binaries):
    """Every recording that a test makes here is judged when the test is over."""
    lab = Lab(tmp_path, models, binaries)
    yield lab
    lab.stop()
    lab.judge()


@pytest.fixture
def wheel():
    """The newest wheel; parametrise indirectly by key for another one."""
    return environment(envs.wheel, "newest")


@pytest.fixture(params=list(envs.WHEELS))
def each_wheel(request):
    return environment(envs.wheel, request.param)


@pytest.fixture(params=list(envs.NODE_PACKAGES))
def each_node(request):
    return environment(envs.node_package, request.param)


@pytest.fixture
def library(wheel):
    """libonnxruntime of the newest wheel."""
    return wheel.library


# Every libonnxruntime that some package brings.
LIBRARIES = [
    (envs.node_package, "1.14"),
    (envs.node_package, "1.17"),
    (envs.node_package, "1.20"),
    (envs.wheel, "1.22"),
    (envs.wheel, "newest"),
    (envs.sherpa,),
]


@pytest.fixture(params=LIBRARIES, ids=lambda param: "-".join([param[0].__name__.split("_")[0], *param[1:]]))
def each_library(request):
    return environment(*request.param).library
