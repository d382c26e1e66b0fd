# SPDX-License-Identifier: Apache-2.0
"""gate.py [--junitxml=FILE] [--times=FILE] [-n N] [pytest arguments]: runs the end-to-end tests as the gate does, in
three rounds.

Round 1 runs tests side by side, N at a time. Round 2 runs tests marked alone(reason), one by one. Round 3 repeats the
failed tests, one by one. A test that then passes is unsteady: it is listed, and does not fail the gate. Progress is
printed every 30 seconds. FILE receives the results as JUnit XML, one suite a round, with a `flakyFailure` for each
unsteady test. --times receives a line "SECONDS WHAT" for each round. The output of pytest goes to a log beside the XML.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

EVERY_S = 30  # seconds between two lines of progress
TOO_MANY = 40  # failed tests: above this, something is broken that a second run cannot repair


def say(text):
    print(text, flush=True)


class Round:
    """Tests that ran in one round: {id: result}, as results.py writes them."""

    def __init__(self, name):
        self.name, self.results, self.seconds, self.trouble = name, {}, 0, None

    def of(self, outcome):
        return [result for result in self.results.values() if result["outcome"] == outcome]


def lines_of(path, position):
    """(the complete lines of JSON after a position, the position after them)."""
    with open(path, "rb") as file:
        file.seek(position)
        data = file.read()
    end = data.rfind(b"\n") + 1
    return [json.loads(line) for line in data[:end].splitlines()], position + end


class Gate:
    def __init__(self, folder, log, pytest, arguments, n):
        self.folder, self.log, self.pytest, self.arguments, self.n = folder, log, pytest, arguments, n
        self.began, self.said, self.doing = time.monotonic(), time.monotonic(), "collecting"
        self.n_all, self.n_over, self.n_failed = 0, 0, 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def progress(self, is_due=False):
        if is_due or time.monotonic() - self.said >= EVERY_S:
            self.said = time.monotonic()
            say(
                "e2e: %d of %d, %d failed, %.0f min (%s)"
                % (self.n_over, self.n_all, self.n_failed, (self.said - self.began) / 60, self.doing)
            )

    def run(self, words, take, **env):
        """Runs pytest and calls take with each line of its results as it arrives. Returns the exit status and the
        seconds."""
        path, position, begin = self.path("results"), 0, time.monotonic()
        open(path, "w").close()
        env = dict(os.environ, INFTRACE_TEST_RESULTS=path, INFTRACE_TEST_SHARED=self.folder, **env)
        with open(self.log, "ab") as log:
            process = subprocess.Popen(
                [*self.pytest, "-p", "results", *words, *self.arguments], env=env, stdout=log, stderr=log
            )
        is_over = False
        try:
            while not is_over:
                is_over = process.poll() is not None  # checked first, so that nothing written before the end is missed
                found, position = lines_of(path, position)
                for line in found:
                    take(line)
                if not is_over:
                    self.progress()
                    time.sleep(0.1)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        return process.returncode, time.monotonic() - begin

    def collect(self):
        """([{"collected": id, "alone": bool}], [{"left_out": id, "why": reason}]), or None if pytest cannot collect."""
        found = []
        status, _ = self.run(["--collect-only", "-q"], found.append)
        if status not in (0, 5):
            return None
        return [line for line in found if "collected" in line], [line for line in found if "left_out" in line]

    def round(self, name, ids, n):
        """Runs these tests, n at a time. A test without a result counts as failed."""
        this, self.doing = Round(name), name

        def take(line):
            if "test" not in line:
                return
            self.n_over += line["test"] not in this.results
            self.n_failed += line["outcome"] == "failed"
            this.results[line["test"]] = line
            if line["outcome"] == "failed":
                say("e2e: %s failed" % line["test"])
            self.progress()

        with open(self.path("only"), "w") as out:
            out.write("".join(id + "\n" for id in ids))
        words = ["-n", str(n), "--dist", "worksteal"]  # a separate process even for one: a test may kill it
        words += sorted({id.partition("::")[0] for id in ids})  # collecting all takes seconds
        status, this.seconds = self.run(words, take, INFTRACE_TEST_ONLY=self.path("only"))
        if status not in (0, 1):
            this.trouble = "pytest ended with status %d" % status
        for id in ids:
            if id not in this.results:
                self.n_failed += 1
                this.results[id] = {
                    "test": id,
                    "outcome": "failed",
                    "seconds": 0,
                    "text": "it was not run; see " + self.log,
                }
        self.progress(is_due=True)
        return this


def split(rounds, again):
    """(unsteady, failed) ids: failed and then passed; failed both times."""
    failed = [result["test"] for this in rounds for result in this.of("failed")]
    passed = {result["test"] for result in again.of("passed")} if again else set()
    return [id for id in failed if id in passed], [id for id in failed if id not in passed]


def written(rounds, unsteady, path):
    """Writes each result once, as JUnit XML."""
    root = xml.Element("testsuites")
    for this in rounds:
        suite = xml.SubElement(
            root, "testsuite", name="e2e " + this.name, time="%.3f" % this.seconds, tests=str(len(this.results))
        )
        for result in this.results.values():
            file, _, name = result["test"].partition("::")
            case = xml.SubElement(suite, "testcase", classname=file, name=name, time="%.3f" % result["seconds"])
            if result["outcome"] == "skipped":
                xml.SubElement(case, "skipped", message=result["text"])
            elif result["outcome"] == "failed":
                kind = "flakyFailure" if result["test"] in unsteady else "failure"
                xml.SubElement(case, kind, message="failed").text = "".join(
                    c for c in result["text"] if c.isprintable() or c in "\n\t"
                )
        if this.trouble:
            xml.SubElement(
                xml.SubElement(suite, "testcase", classname="e2e", name=this.name), "error", message=this.trouble
            )
    xml.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def say_left_out(left_out):
    """Prints one line for each test function that was left out."""
    found = {}
    for line in left_out:
        found.setdefault((line["left_out"].partition("[")[0], line["why"]), []).append(line)
    for (name, why), lines in found.items():
        say("left to ./check --full: %s%s: %s" % (name, " (%d cases)" % len(lines) if len(lines) > 1 else "", why))


def say_failures(rounds, again, unsteady):
    for this in [*rounds, again] if again else rounds:
        for result in this.of("failed"):
            what = "unsteady" if result["test"] in unsteady else "failed"
            say("\n---- %s: %s (%s)\n%s" % (what, result["test"], this.name, result["text"].rstrip()))


def run(gate, junitxml, times):
    found = gate.collect()
    if found is None:
        with open(gate.log, errors="replace") as log:
            say("".join(log.readlines()[-30:]))
        return 1
    tests, left_out = found
    gate.n_all = len(tests)
    side = [test["collected"] for test in tests if not test["alone"]]
    alone = [test["collected"] for test in tests if test["alone"]]
    rounds = [gate.round(name, ids, n) for name, ids, n in (("side by side", side, gate.n), ("alone", alone, 1)) if ids]
    _, failed = split(rounds, None)
    again = None
    if 0 < len(failed) <= TOO_MANY:
        say("e2e: %d failed; running them once more, alone" % len(failed))
        gate.n_all += len(failed)
        again = gate.round("again", failed, 1)
    elif failed:
        say("e2e: %d failed; that is too many to run them once more" % len(failed))
    unsteady, failed = split(rounds, again)
    say_failures(rounds, again, unsteady)
    say_left_out(left_out)
    if junitxml:
        written(rounds, unsteady, junitxml)
    if times:
        with open(times, "a") as out:
            out.write(
                "".join("%.0f end-to-end tests, %s\n" % (this.seconds, this.name) for this in [*rounds, again] if this)
            )
    return 1 if failed or not tests or any(this.trouble for this in rounds) else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--junitxml")
    parser.add_argument("--times")
    parser.add_argument("-n", type=int, default=2 * len(os.sched_getaffinity(0)))
    options, arguments = parser.parse_known_args()
    log = options.junitxml.removesuffix(".xml").removesuffix(".junit") + ".log" if options.junitxml else os.devnull
    if options.junitxml:
        open(log, "w").close()
    with tempfile.TemporaryDirectory(prefix="inftrace-test-") as folder:
        pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
        return run(Gate(folder, log, pytest, arguments, options.n), options.junitxml, options.times)


if __name__ == "__main__":
    sys.exit(main())
