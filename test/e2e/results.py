# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin for gate.py. It writes each collected test and each result to $INFTRACE_TEST_RESULTS, one JSON object
a line. If $INFTRACE_TEST_ONLY is set, it runs only the tests listed there, in that order."""

import json
import os

import pytest

parts = {}  # of unfinished tests: {id: [reports]}


def put(**facts):
    with open(os.environ["INFTRACE_TEST_RESULTS"], "a") as out:
        out.write(json.dumps(facts) + "\n")


def is_worker(config):
    return hasattr(config, "workerinput")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    path = os.environ.get("INFTRACE_TEST_ONLY")
    if path:
        with open(path) as file:
            wanted = {line: number for number, line in enumerate(file.read().splitlines())}
        items[:] = sorted((item for item in items if item.nodeid in wanted), key=lambda item: wanted[item.nodeid])


def pytest_deselected(items):
    for item in items:
        mark = item.get_closest_marker("full")
        if mark and item.config.option.collectonly:
            put(left_out=item.nodeid, why=mark.args[0])


def pytest_collection_finish(session):
    if session.config.option.collectonly:
        for item in session.items:
            put(collected=item.nodeid, alone=bool(item.get_closest_marker("alone")))


@pytest.hookimpl
def pytest_configure(config):
    if not is_worker(config):
        config.pluginmanager.register(Results(), "inftrace-results")


class Results:
    """Writes the result of each test, from its setup, call and teardown."""

    def pytest_runtest_logreport(self, report):
        reports = parts.setdefault(report.nodeid, [])
        reports.append(report)
        if report.when in ("teardown", "???"):  # ???: the process that ran it has died
            del parts[report.nodeid]
            put(**result(report.nodeid, reports))


def result(nodeid, reports):
    bad = [report for report in reports if report.failed]
    skipped = [report for report in reports if report.skipped]
    outcome = "failed" if bad else "skipped" if skipped else "passed"
    text = "\n".join(report.longreprtext for report in bad)
    if outcome == "skipped":
        text = skipped[0].longrepr[2] if isinstance(skipped[0].longrepr, tuple) else str(skipped[0].longrepr)
    return {"test": nodeid, "outcome": outcome, "text": text, "seconds": sum(report.duration for report in reports)}
