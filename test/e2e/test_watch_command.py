# SPDX-License-Identifier: Apache-2.0
"""inftrace watch of a program that it starts: by the agent, without rights, as the program ends."""

import json
import pytest

import envs
from conftest import environment
from test_generations import genai_folder


def watched(lab, program, *words, status=0, **more):
    """(lines by kind, what the program printed)."""
    lines = lab.path("lines-%d" % len(lab.started))
    done = lab.plain([lab.inftrace, "watch", "-q", "-i", "200ms", "--lines", lines, *words, "--", *program], **more)
    assert (done.status, done.err) == (status, "")
    rows = [json.loads(line) for line in open(lines)]
    return {
        kind: [row for row in rows if row["kind"] == kind] for kind in ("watch", "series", "service", "inference")
    }, done.out


def total(rows, what, model=None):
    return sum(row.get(what, 0) for row in rows if model in (None, row.get("model")))


def test_tokens_of_a_loop_and_of_generators_are_summed_up(lab, wheel):
    times = lab.path("times")
    rows, out = watched(
        lab, lab.python(wheel, "decoding", "row", lab.model("decoder"), times), env={"OTEL_SERVICE_NAME": "talker"}
    )
    with open(times) as file:
        own = json.load(file)
    series = rows["series"]
    n_tokens = sum(len(calls) for _, calls in own)
    assert out == lab.plain(lab.python(wheel, "decoding", "row", lab.model("decoder"), times)).out
    assert {row["service"] for row in series} == {"talker"}
    assert (total(series, "inferences"), total(series, "output_tokens")) == (n_tokens, n_tokens)
    assert total(series, "input_tokens") == sum(prompt for prompt, _ in own)
    assert (total(series, "first_tokens"), total(series, "tokens")) == (len(own), n_tokens - len(own))
    whole = sum(calls[-1][1] - calls[0][1] for _, calls in own)
    assert total(series, "token_ns") == pytest.approx(whole, rel=0.1)
    # operators are seen of each
    assert all(row["operators"] != "not seen" for row in rows["inference"])
    assert total(rows["service"], "cpu_s") > 0 and max(row["resident_bytes"] for row in rows["service"]) > 1e6

    rows, _ = watched(lab, lab.python(environment(envs.genai), "genai", genai_folder(lab), times))
    with open(times) as file:
        own = json.load(file)
    assert total(rows["series"], "first_tokens") == len(own)
    assert total(rows["series"], "output_tokens") > total(rows["series"], "first_tokens")


def test_it_ends_as_its_program_does(lab):
    """By its exit status, its signal, or because there is no such program."""
    watched(lab, ["sh", "-c", "exit 7"], status=7)
    watched(lab, ["sh", "-c", "kill -TERM $$"], status=-15)
    done = lab.plain([lab.inftrace, "watch", "--lines", lab.path("none"), "--", "./no-such"])
    assert done.status == 3 and done.err.startswith("inftrace: cannot start ./no-such: no such file")
    for words, text in (
        (["--name", "x", "--", "true"], "give a program to start, or --name or --path of those that run"),
        (["--kernels"], "--kernels needs a program to start: probes see no kernels"),
        (["--dump", "1", "2"], "--dump takes one PID"),
    ):
        done = lab.plain([lab.inftrace, "watch", "--lines", lab.path("none"), *words])
        assert done.status == 2 and text in done.err


def test_nodes_that_fall_back_are_counted(lab):
    """Azure's provider is asked for, and runs no node."""
    wheel = environment(envs.wheel, "newest")
    program = lab.path("fall.py")
    with open(program, "w") as file:
        file.write(
            "import numpy, onnxruntime, sys\n"
            "session = onnxruntime.InferenceSession(sys.argv[1], providers=['AzureExecutionProvider',\n"
            "                                                               'CPUExecutionProvider'])\n"
            "given = {of.name: numpy.ones([1 if not isinstance(n, int) else n for n in of.shape], numpy.float32)\n"
            "         for of in session.get_inputs()}\n"
            "for _ in range(20):\n"
            "    session.run(None, given)\n"
        )
    rows, _ = watched(lab, [wheel.python, program, lab.model("chain")])
    (row,) = [row for row in rows["series"] if row["inferences"]]
    assert (row["provider"], row["inferences"]) == ("Azure", 20)
    assert row["fallback_nodes"] > 1


def test_a_program_that_is_started_inherits_nothing_of_the_watcher(lab):
    """The channels of doors are closed to it."""
    _, out = watched(lab, ["sh", "-c", "readlink /proc/$$/fd/*; true"])
    assert out and "socket:" not in out and "anon_inode" not in out
