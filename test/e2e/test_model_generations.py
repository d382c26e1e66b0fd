# SPDX-License-Identifier: Apache-2.0
"""inftrace model --tokens: decoders make as many tokens as asked for, with the figures that the recording has, too."""

import json

import pytest

import envs
from conftest import environment
from test_generations import genai_folder
from test_llama import made  # noqa: F401 (a fixture)


def measured(lab, *args, status=0):
    """The report as JSON, or the error."""
    command = [
        lab.inftrace,
        "model",
        "--rounds",
        "1",
        "--warm-up-max",
        "0.1s",
        "-o",
        lab.path("run.pftrace"),
        "--json",
        *args,
    ]
    done = lab.plain(command)
    assert done.status == status, done.err
    return json.loads(done.out) if done.out else done.err


def recorded(lab):
    name = lab.path("run-cpu.pftrace")
    rows = lab.plain([lab.inftrace, "query", "--format", "json", name, "SELECT * FROM generations ORDER BY begin_ns"])
    return json.loads(rows.out)


def test_a_decoder_makes_the_tokens_and_they_are_in_the_recording(lab, library):
    args = ("--tokens", "12", "--prompt", "5,40", "-n", "6", "--level", "inference")
    report = measured(lab, lab.model("decoder"), "--runtime", library, *args)
    run = report["runs"][0]
    own = run["generations"]
    assert (own["output_tokens"], own["count"], run["speed_of"]) == (12, 6, "token")
    assert [(of["prompt_tokens"], of["first_token"]["count"]) for of in own["prompts"]] == [(5, 3), (40, 3)]
    assert own["between_tokens"]["count"] == run["latency"]["count"] == 6 * 11
    assert own["between_tokens"]["total_ns"] + own["first_token"]["total_ns"] <= run["steady_ns"]
    assert own["tokens_per_second"] == pytest.approx(6 * 12e9 / run["steady_ns"])
    # of what each step reads, the table of words is none
    assert report["model"]["weight_bytes"] - report["model"]["weight_bytes_read"] == 1000 * 64 * 4
    rows = recorded(lab)
    assert {(row["prompt_tokens"], row["output_tokens"]) for row in rows} == {(5, 12), (40, 12)}
    measured_rows = rows[-6:]
    assert sum(row["first_token_ns"] for row in measured_rows) == pytest.approx(
        own["first_token"]["total_ns"], rel=0.05, abs=2e6
    )
    steps = sum(row["per_token_ns"] * 11 for row in measured_rows)
    assert steps == pytest.approx(own["between_tokens"]["total_ns"], rel=0.05, abs=2e6)


def test_masks_positions_and_lengths_fit_the_cache(lab, library):
    """Logits of the model are NaN where they do not."""
    args = ("--tokens", "6", "--prompt", "3,9", "-n", "4", "--batch-size", "2", "--level", "inference")
    run = measured(lab, lab.model("checked"), "--runtime", library, *args)["runs"][0]
    assert (run["error"], run["generations"]["count"]) == (None, 4)


def test_requests_side_by_side_and_batches_are_counted(lab, library):
    args = ("--tokens", "6", "--prompt", "8", "-n", "8", "-c", "2", "--batch-size", "3", "--level", "inference")
    run = measured(lab, lab.model("decoder"), "--runtime", library, *args)["runs"][0]
    assert run["generations"]["count"] == 8
    assert run["generations"]["tokens_per_second"] == pytest.approx(8 * 6 * 3e9 / run["steady_ns"])
    assert set(run["samples"]["thread"]) <= {0, 1}


def test_a_folder_of_genai_is_its_decoder_and_is_compared_with_a_file(lab, library):
    folder = genai_folder(lab)
    args = ("--runtime", library, "--tokens", "5", "--prompt", "6", "-n", "4", "--level", "inference")
    report = measured(lab, folder, lab.model("decoder"), *args)
    assert [run["generations"]["count"] for run in report["runs"]] == [4, 4]
    assert [run["error"] for run in report["runs"]] == [None, None]
    assert report["model"]["path"] == folder + "/model.onnx"
    err = measured(lab, folder, *args, "--prompt", "2048", status=3)
    assert "the model takes 2048 tokens in all" in err
    err = measured(lab, folder, "--runtime", library, status=2)
    assert "pass --tokens" in err


@pytest.mark.parametrize("key", ["3.1.1", "newest"])
@pytest.mark.in_turn(2)
def test_a_gguf_file_is_run_by_llama_cpp(lab, made, key):
    library = environment(envs.llama, key).libraries
    model = made("tiny")
    args = ("--runtime", library, "--tokens", "6", "--prompt", "5,9", "-n", "4", "--batch-size", "2", "-x", "1")
    report = measured(lab, model, *args, "--level", "inference")
    run = report["runs"][0]
    assert (run["error"], run["runtime"], run["generations"]["count"]) == (None, "llama.cpp", 4)
    rows = recorded(lab)
    assert {(row["prompt_tokens"], row["output_tokens"], row["found_by"]) for row in rows} == {
        (5, 6, "sequences of batches"),
        (9, 6, "sequences of batches"),
    }
    assert "pass --tokens" in measured(lab, model, status=2)
    assert "llama.cpp runs it on the CPU" in measured(lab, model, *args, "--ep", "cuda", status=3)


def test_what_is_no_decoder_is_refused_with_the_reason(lab, library):
    err = measured(lab, lab.model("cnn"), "--runtime", library, "--tokens", "4", status=3)
    assert "as a decoder: no input takes token ids" in err
    err = measured(lab, lab.model("decoder"), "--runtime", library, "--tokens", "1", status=2)
    assert "cannot use '1' as --tokens" in err
