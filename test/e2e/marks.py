# SPDX-License-Identifier: Apache-2.0
"""The marks of the end-to-end tests: full(reason), alone(reason), in_turn(n), root. A mark without its reason is a
collection error, so nothing runs."""

import collections
import os
import zlib

import pytest

REASONED = ("full", "alone")


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also what takes minutes by nature")


def unreasoned(item):
    """The fault of a test's marks, or None."""
    return [
        '%s: the mark %s needs its reason: @pytest.mark.%s("...")' % (item.nodeid, mark.name, mark.name)
        for name in REASONED
        for mark in item.iter_markers(name)
        if len(mark.args) != 1 or mark.kwargs or not isinstance(mark.args[0], str) or not mark.args[0].strip()
    ]


def left_for_another_turn(items):
    """Marks as full what is not in turn: of the cases of a test, or of the commits of its only case, every n-th is."""
    turn = int(os.environ.get("INFTRACE_TEST_TURN", 0))
    numbers = collections.Counter()
    for item in items:
        mark = item.get_closest_marker("in_turn")
        if not mark or item.get_closest_marker("full"):
            continue
        name = item.nodeid.partition("[")[0]
        if (zlib.crc32(name.encode()) + numbers[name] + turn) % mark.args[0]:
            item.add_marker(pytest.mark.full("one of %d in turn" % mark.args[0]))
        numbers[name] += 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    faults = [fault for item in items for fault in unreasoned(item)]
    if faults:
        raise pytest.UsageError("\n".join(faults))
    if not config.getoption("--full"):
        left_for_another_turn(items)
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("full")])
        items[:] = [item for item in items if not item.get_closest_marker("full")]
    if os.geteuid():
        for item in items:
            if item.get_closest_marker("root"):
                item.add_marker(pytest.mark.skip(reason="needs root"))


def often(few, many):
    """Parameters for a test that repeats something: often in a full run, less often in the gate."""
    return [few, pytest.param(many, marks=pytest.mark.full("%d times take minutes" % many))]
