# SPDX-License-Identifier: Apache-2.0
"""Generations of programs that time themselves: tokens are exact, times are theirs; the program makes the same tokens
with and without the recorder."""

import csv
import json
import os
import re
import subprocess

import pytest

import envs
from attaching import Server, attach
from conftest import environment
from lab import made_once
from test_view import view


def report_of(lab, path):
    return json.loads(lab.plain([lab.inftrace, "report", "--json", path]).out)


def decoded(lab, wheel, how, *more, model="decoder", **options):
    times = lab.path("times")
    recording = lab.both(lab.python(wheel, "decoding", how, lab.model(model), times, *more), **options).recording
    with open(times) as file:
        return recording, json.load(file), report_of(lab, recording.path)


def table(lab, recording, sql):
    return json.loads(lab.plain([lab.inftrace, "query", "--format", "json", recording.path, sql]).out)


def matches(lab, recording, own):
    """Each token was made in the call that the program has measured; the figures are those of its tokens. own: of each
    generation the length of its prompt, when that began to go in, at most how long, and the calls."""
    slack = recording.note("clock")["error_ns"]
    rows = table(lab, recording, "SELECT * FROM generations ORDER BY id")
    tokens = table(lab, recording, "SELECT * FROM tokens ORDER BY generation_id, number")
    assert len(rows) == len(own)
    for row, (prompt, parts, begin, calls) in zip(rows, own):
        made = [token for token in tokens if token["generation_id"] == row["id"]]
        assert (row["prompt_tokens"], row["prefills"], row["cached_tokens"]) == (prompt, parts, 0)
        assert len(made) == row["output_tokens"] == row["steps"] + 1 == len(calls)
        assert begin - slack <= row["begin_ns"] <= calls[0][1] + slack
        for number, (token, (since, until)) in enumerate(zip(made, calls), 1):
            assert token["number"] == number and since - slack <= token["time_ns"] <= until + slack
            assert token["cache_length"] == prompt + number - 1 and token["is_first"] == (number == 1)
        assert row["first_token_ns"] == made[0]["time_ns"] - row["begin_ns"] == made[0]["since_ns"]
        whole = made[-1]["time_ns"] - made[0]["time_ns"]
        assert row["per_token_ns"] * (len(made) - 1) == pytest.approx(whole) == sum(of["since_ns"] for of in made[1:])
        assert sum(row[of + "_ns"] for of in ("prefill", "decode", "others", "outside")) == row["duration_ns"]
    return rows


def in_calls(own):
    return [[prompt, 1, calls[0][0], calls] for prompt, calls in own]


TALL_INPUTS = 24  # of keys or values


def cache_of(length, inputs):
    """Of 4 heads of 16."""
    return inputs * 4 * 16 * 4 * length


def has_bytes(row, inputs):
    """Of all inputs, however many they are."""
    lengths = range(row["prompt_tokens"], row["prompt_tokens"] + row["output_tokens"] - 1)
    assert row["cache_bytes"] == cache_of(lengths[-1], inputs)
    assert row["copied_bytes"] == cache_of(sum(lengths), inputs)


def test_a_loop_in_a_row_has_its_figures_everywhere(lab, two_wheels):
    recording, own, report = decoded(lab, two_wheels, "row", model="tall")
    (model,) = report["models"]
    of = model["generations"]
    assert (of["count"], of["with_prefill"], of["output_tokens"], of["prompt_tokens"]) == (3, 3, 120, 336)
    assert of["most_at_a_time"] == 1 and of["time"]["others_ns"] == 0
    rows = matches(lab, recording, in_calls(own))
    assert {row["found_by"] for row in rows} == {"cache inputs"}
    # all prompts begin alike; whole blocks of 16 are compared
    assert [row["seen_tokens"] for row in rows] == [None, 16, 64]
    for row in rows:
        has_bytes(row, TALL_INPUTS)
    shapes = table(lab, recording, "SELECT shapes FROM inferences LIMIT 2")[1]["shapes"]
    assert shapes == "int64[1x1]" + 15 * ",float32[1x4x16x16]" + ",float32[1x4x16x16]*9"
    text = " ".join(lab.plain([lab.inftrace, "report", recording.path]).out.split())
    assert (
        "3 generations of tall: first token " in text and " a token, " in text and " tokens/s. 120 inferences" in text
    )
    assert "3 generations, one at a time; prompts of 16 to 256 tokens, 120 tokens made, caches of up to 295" in text
    assert "it gets slower" not in text
    names = ("prompt_tokens", "output_tokens", "first_token_ns")
    assert [[row[name] for name in names] for row in rows] == [[row[name] for name in names] for row in of["list"]]
    tokens = table(
        lab,
        recording,
        "SELECT generation_id, tokens.number, since_ns, inference_ns, inferences.duration_ns AS took "
        "FROM tokens JOIN inferences USING (inference) ORDER BY generation_id, tokens.number",
    )
    assert [(row["generation_id"], row["number"]) for row in tokens] == [
        (g, n) for g in (1, 2, 3) for n in range(1, 41)
    ]
    assert all(row["inference_ns"] == row["took"] <= row["since_ns"] for row in tokens)
    assert sum(row["since_ns"] for row in tokens) == of["time"]["all_ns"]
    lines = lab.plain([lab.inftrace, "report", "--format", "csv-generations", recording.path]).out.splitlines()
    assert [int(row["first_token_ns"]) for row in csv.DictReader(lines)] == [
        row["first_token_ns"] for row in of["list"]
    ]
    page = lab.plain([lab.inftrace, "report", "--format", "html", recording.path]).out
    assert ">Generations<" in page and "Median time between tokens over the length of the cache" in page
    (line,) = re.findall("Generations on a time line.*?</svg>", page, re.DOTALL)
    # of each, up to the first token and behind it, in its row
    assert re.findall("<title>prompt of (\\d+) tokens, first token after ", line) == ["16", "64", "256"]
    assert (
        line.count("<title>39 tokens behind it, each ") == 3 and len(set(re.findall(' y="([0-9.]+)" width', line))) == 3
    )


def test_prompts_of_a_loop_in_c_are_compared_with_earlier_ones(lab, wheel):
    lengths = [40, 64, 15, 256, 100]
    program = [lab.binaries.opened("prompts"), wheel.library, lab.model("decoder"), *map(str, lengths)]
    recording = lab.both(program, level="inference").recording
    rows = table(lab, recording, "SELECT * FROM generations ORDER BY begin_ns")
    assert [(row["prompt_tokens"], row["output_tokens"]) for row in rows] == [(n, 4) for n in lengths]
    assert [row["seen_tokens"] for row in rows] == [None, 32, None, 64, 96]


def test_an_encoder_is_part_of_the_first_token(lab, wheel):
    times = lab.path("times")
    models = ",".join(lab.model(name) for name in ("hearer", "encoder"))
    program = lab.python(wheel, "decoding", "heard", models, times, "--prompts", "4,4,6", "--tokens", "12")
    recording = lab.both(program).recording
    with open(times) as file:
        own = json.load(file)
    rows = matches(lab, recording, [[prompt, 1, heard[0], calls] for prompt, calls, heard in own])
    slack = recording.note("clock")["error_ns"]
    for row, (_, calls, heard) in zip(rows, own):
        assert heard[0] - slack <= row["begin_ns"] <= heard[1] + slack
        assert row["begin_ns"] + row["encoder_ns"] <= heard[1] + slack and row["encoder_ns"] < row["prefill_ns"]
    of = next(model for model in report_of(lab, recording.path)["models"] if model["name"] == "hearer")["generations"]
    assert of["time"]["encoder_ns"] == sum(row["encoder_ns"] for row in rows)
    assert "encoder " in lab.plain([lab.inftrace, "report", "--all", recording.path]).out


def test_top_has_tokens_a_second(lab, wheel):
    program = lab.python(wheel, "decoding", "row", lab.model("decoder"), lab.path("times"))
    out = lab.plain([lab.inftrace, "top", "--json", "--interval", "0.5s", "--", *program]).out
    (model,) = json.loads([line for line in out.splitlines() if line.startswith("{")][-1])["models"]
    # the last generation may go on, for all that top can know
    assert model["tokens"] == model["inferences"] == 120 and model["generations"] == 3


def in_order_of_rows(lab, recording, own):
    """The program's generations in the order of the recorded ones. A thread may lose its CPU between its own time stamp
    and the runtime, so its own times have another order; the one that made a token in each call is the same."""
    slack = recording.note("clock")["error_ns"]
    tokens = table(lab, recording, "SELECT * FROM tokens ORDER BY generation_id, number")
    left = list(own)

    def made_by(id):
        times = [token["time_ns"] for token in tokens if token["generation_id"] == id]
        for one in left:
            if all(since - slack <= time <= until + slack for time, (since, until) in zip(times, one[1])):
                left.remove(one)
                return one
        raise AssertionError(f"generation {id} is none of the program's")

    return [made_by(row["id"]) for row in table(lab, recording, "SELECT id FROM generations ORDER BY id")]


@pytest.mark.parametrize("how", ["turns", "threads"])
def test_eight_at_a_time_are_told_apart(lab, wheel, how):
    prompts = "16,16,16,30,31,32,64,16"
    recording, own, report = decoded(lab, wheel, how, "--prompts", prompts, "--tokens", 30)
    of = report["models"][0]["generations"]
    assert (of["count"], of["with_prefill"], of["output_tokens"]) == (8, 8, 240)
    matches(lab, recording, in_calls(in_order_of_rows(lab, recording, own)))
    if how == "turns":
        assert of["most_at_a_time"] == 8 and of["time"]["others_ns"] > of["time"]["decode_ns"]


@pytest.mark.parametrize("how", ["mixed", "values", "bound"])
def test_those_of_one_length_whose_order_changes_are_told_apart(lab, wheel, how):
    recording, own, report = decoded(lab, wheel, how, "--prompts", "16,16,16,16,16,16,16,16", "--tokens", 30)
    of = report["models"][0]["generations"]
    assert (of["count"], of["with_prefill"], of["output_tokens"]) == (8, 8, 240)
    matches(lab, recording, in_calls(in_order_of_rows(lab, recording, own)))


@pytest.mark.parametrize("how", ["values", "bound"])
def test_those_of_a_program_in_c_whose_order_changes_are_told_apart(lab, wheel, how):
    times = lab.path("times")
    recording = lab.both(lab.native("decoding", wheel.library, lab.model("decoder"), how, times)).recording
    with open(times) as file:
        own = json.load(file)
    assert len(own) == 8
    matches(lab, recording, in_calls(in_order_of_rows(lab, recording, own)))


@pytest.mark.parametrize("key", ["2023.3", "newest"])
@pytest.mark.in_turn(2)
def test_openvino_with_its_cache_outside_and_inside(lab, key):
    times = lab.path("times")
    program = lab.python(environment(envs.openvino, key), "ovprogram", "decode", lab.model("tall"))
    recording = lab.both([*program, "--runs", "20", "--nodes", times], level="inference").recording
    with open(times) as file:
        own = json.load(file)
    rows = matches(lab, recording, in_calls(own))
    assert [row["found_by"] for row in rows] == ["cache inputs"] * 3 + ["length of a mask"] * 3
    # prompts of 16, 5 and 40 tokens begin alike
    assert [row["seen_tokens"] for row in rows] == [None, None, 16] * 2
    for row in rows[:3]:
        has_bytes(row, TALL_INPUTS)


def test_other_models_make_no_generations(lab, wheel):
    recording, _, report = decoded(lab, wheel, "whole", "--prompts", "5", "--tokens", 20)
    assert report["models"][0]["generations"] is None
    assert "whole_sequence" in {finding["kind"] for finding in report["insights"]}
    assert recording.inferences and "generation" not in report["verdict"]


def tiny_gguf(folder):
    make = [environment(envs.gguf).python, os.path.join(envs.PROGRAMS, "tinygguf.py")]
    return str(made_once(folder / "tiny.gguf", lambda path: subprocess.run([*make, path], check=True)))


def test_batches_of_llama_cpp_name_their_sequences(lab, shared):
    libraries = environment(envs.llama, "newest").libraries
    program = lab.python(environment(envs.gguf), "llamaslots", libraries, tiny_gguf(shared), lab.path("times"))
    recording = lab.both(program, level="inference").recording
    with open(lab.path("times")) as file:
        own = json.load(file)
    rows = matches(lab, recording, own)
    assert {row["found_by"] for row in rows} == {"sequences of batches"}
    # all prompts begin alike; whole blocks of 16 are compared, and what the library refuses is none of them
    assert [row["seen_tokens"] for row in rows] == [None] * 5 + [16] * 4
    assert report_of(lab, recording.path)["models"][0]["generations"]["most_at_a_time"] == 8


@pytest.mark.in_turn(3)
def test_slots_of_the_server_of_llama_cpp_are_generations(lab, shared):
    """Its batches are objects that functions fill; before its first request it decodes two tokens by itself."""
    program = lab.python(environment(envs.llama_server), "llamaserver", tiny_gguf(shared), lab.path("times"))
    recording = lab.both(program, level="inference").recording
    with open(lab.path("times")) as file:
        own = sorted(json.load(file))
    rows = table(lab, recording, "SELECT * FROM generations WHERE prompt_tokens > 2 ORDER BY prompt_tokens")
    assert [(row["prompt_tokens"], row["output_tokens"]) for row in rows] == [(n, tokens) for n, tokens, _ in own]
    assert {(row["found_by"], row["cached_tokens"]) for row in rows} == {("sequences of batches", 0)}
    # all prompts begin alike; whole blocks of 16 are compared
    assert sum(row["seen_tokens"] is None for row in rows) == 1
    off = [abs(row["per_token_ns"] / 1e6 - each) / each for row, (_, _, each) in zip(rows, own)]
    assert sorted(off)[len(off) // 2] < 0.02


def test_a_program_names_its_tokens(lab, wheel):
    env = {"PYTHONPATH": os.path.join(envs.HERE, "..", "..", "python"), "INFTRACE_PROGRAM": lab.inftrace}
    program = lab.python(wheel, "tokens", lab.model("chain"), lab.path("times"))
    recording = lab.both(program, level="inference", judged=False, env=env).recording
    with open(lab.path("times")) as file:
        own = json.load(file)
    rows = matches(lab, recording, own)
    assert [row["model"] for row in rows] == ["own", "own", "own", "chain"]
    assert {row["found_by"] for row in rows} == {"sequences of batches"}
    of = [model["generations"] for model in report_of(lab, recording.path)["models"]]
    assert sorted((one["count"], one["output_tokens"], one["most_at_a_time"]) for one in of) == [(1, 6, 1), (3, 25, 2)]


def genai_folder(lab, of="decoder", layers=2, **engine):
    """A decoder as a folder that onnxruntime-genai loads without a tokenizer."""
    folder = lab.path("genai")
    os.mkdir(folder)
    os.symlink(lab.model(of), os.path.join(folder, "model.onnx"))
    past, present = "past_key_values.%d.", "present.%d."
    decoder = {
        "session_options": {"provider_options": []},
        "filename": "model.onnx",
        "head_size": 16,
        "hidden_size": 64,
        "num_attention_heads": 4,
        "num_hidden_layers": layers,
        "num_key_value_heads": 4,
        "inputs": {"input_ids": "input_ids", "past_key_names": past + "key", "past_value_names": past + "value"},
        "outputs": {"logits": "logits", "present_key_names": present + "key", "present_value_names": present + "value"},
    }
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
    model = {**ids, "type": "llama", "vocab_size": 1000, "context_length": 2048, "decoder": decoder}
    with open(os.path.join(folder, "genai_config.json"), "w") as file:
        search = {"past_present_share_buffer": False}
        json.dump({"model": model, "search": search, **({"engine": engine} if engine else {})}, file)
    return folder


def test_onnxruntime_genai_has_each_call_of_its_generators(lab):
    program = lab.python(environment(envs.genai), "genai", genai_folder(lab), lab.path("times"))
    recording = lab.both(program, level="operator").recording
    with open(lab.path("times")) as file:
        own = json.load(file)
    rows = matches(lab, recording, own)
    assert {row["found_by"] for row in rows} == {"calls of the runtime"}
    # 2 layers of keys and values; the last token does not go in
    assert [row["cache_bytes"] for row in rows] == [cache_of(n + 18, 4) for n in (16, 64, 16, 30)] * 2
    # all prompts begin alike; whole blocks of 16 are compared
    assert [row["seen_tokens"] for row in rows] == [None, 16, 16, 16, 16, 64, 16, 16]
    late = [calls[0][1] - begin - row["first_token_ns"] for row, (_, _, begin, calls) in zip(rows, own)]
    assert 0 <= min(late) < 50_000 and all(0 < row["sampling_ns"] < row["outside_ns"] for row in rows)
    assert report_of(lab, recording.path)["models"][0]["generations"]["most_at_a_time"] == 4
    with view(lab, recording.path) as get:
        lanes = [track for track in get("recording.json")["tracks"] if track["name"].startswith("requests ")]
    # a slice for each request, and for each of its inferences
    assert len(lanes) == 4 and sum(lane["slices"] for lane in lanes) == len(rows) * 21


PAGES = {"dynamic_batching": {"block_size": 16, "num_blocks": 256, "max_batch_size": 4, "max_scheduled_tokens": 64}}


@pytest.mark.parametrize("is_paged", [False, True], ids=["static", "continuous"])
def test_requests_of_an_engine_are_generations_of_their_own(lab, is_paged):
    """Four at a time, of which two wait; then one that goes on. Pages keep what prompts begin with."""
    folder = genai_folder(lab, "paged", layers=1, **PAGES) if is_paged else genai_folder(lab, "masked")
    program = lab.python(environment(envs.genai), "genaiengine", folder, lab.path("times"))
    recording = lab.both(program, level="inference").recording
    with open(lab.path("times")) as file:
        own = json.load(file)
    rows = table(lab, recording, "SELECT * FROM generations ORDER BY begin_ns")
    tokens = table(lab, recording, "SELECT * FROM tokens ORDER BY generation_id, number")
    slack = recording.note("clock")["error_ns"]
    assert len(rows) == len(own) and {row["found_by"] for row in rows} == {"calls of the runtime"}
    for row, (prompt, cached, begin, calls) in zip(rows, own):
        made = [token for token in tokens if token["generation_id"] == row["id"]]
        assert row["prompt_tokens"] + row["cached_tokens"] == prompt + cached and row["batch"] == 1
        assert len(made) == row["output_tokens"] == len(calls)
        assert begin - slack <= row["begin_ns"] <= calls[0][1] + slack
        for number, (token, (since, until)) in enumerate(zip(made, calls)):
            assert since - slack <= token["time_ns"] <= until + slack
            assert token["cache_length"] == prompt + cached + number
        assert sum(row[of + "_ns"] for of in ("prefill", "decode", "others", "outside")) == row["duration_ns"]
    # a page of 16 is in the cache already
    assert [row["cached_tokens"] for row in rows] == [0, 0, 0, 0, *((16, 16) if is_paged else (0, 0)), 0, 16]
    assert (
        all(row["others_ns"] for row in rows[4:6])
        and report_of(lab, recording.path)["models"][0]["generations"]["most_at_a_time"] == len(own) - 2
    )
    with view(lab, recording.path) as get:
        lanes = [track for track in get("recording.json")["tracks"] if track["name"].startswith("requests ")]
    assert sum(lane["slices"] for lane in lanes) == sum(1 + row["prefills"] + row["steps"] for row in rows)


@pytest.mark.in_turn(3)
def test_requests_that_an_engine_returns_one_by_one_are_generations(lab):
    """A token is there once the batch has run, before the engine returns its request."""
    program = lab.python(environment(envs.genai, "0.11"), "genaisteps", genai_folder(lab, "masked"), lab.path("times"))
    recording = lab.both(program, level="inference").recording
    with open(lab.path("times")) as file:
        own = json.load(file)
    rows = table(lab, recording, "SELECT * FROM generations ORDER BY begin_ns")
    assert [(row["prompt_tokens"], row["output_tokens"]) for row in rows] == [(n, len(ends)) for n, _, ends in own]
    slack = recording.note("clock")["error_ns"]
    for row, (_, begin, ends) in zip(rows, own):
        assert begin - slack <= row["begin_ns"] and row["begin_ns"] + row["first_token_ns"] <= ends[0] + slack
        assert row["end_ns"] <= ends[-1] + slack and row["others_ns"] >= 0


def test_top_has_tokens_of_requests(lab):
    times = lab.path("times")
    program = lab.python(environment(envs.genai), "genaiengine", genai_folder(lab, "masked"), times)
    out = lab.plain([lab.inftrace, "top", "--json", "--interval", "0.5s", "--", *program]).out
    (model,) = json.loads([line for line in out.splitlines() if line.startswith("{")][-1])["models"]
    with open(times) as file:
        own = json.load(file)
    assert (model["tokens"], model["generations"]) == (sum(len(calls) for *_, calls in own), len(own))


def test_tokens_behind_a_list_of_sequences_are_no_first_prompt(lab):
    program = lab.python(environment(envs.genai), "genaisequences", genai_folder(lab))
    recording = lab.both(program, level="inference").recording
    rows = table(lab, recording, "SELECT * FROM generations ORDER BY begin_ns")
    assert [(row["prompt_tokens"], row["cached_tokens"]) for row in rows] == [(40, 0), (5, 0), (40, 8)]
    assert {row["seen_tokens"] for row in rows} == {None}


def test_generators_outlive_another_library_that_uses_them(lab):
    """What the first one's words lead to stays, also when libraries that come later may have the addresses."""
    plugin = lab.binaries.shared("genai_plugin")
    others = [lab.binaries.shared("no_provider", ["-DNUMBER=%d" % i]) for i in range(2)]
    program = lab.python(environment(envs.genai), "genaiplugin", genai_folder(lab), plugin, *others)
    recording = lab.both(program, level="inference").recording
    rows = table(lab, recording, "SELECT * FROM generations")
    assert [(row["prompt_tokens"], row["output_tokens"]) for row in rows] == [(10, 10)] * 4


@pytest.mark.parametrize("key", ["0.7", "newest"])
def test_generators_that_go_on_go_back_and_make_several_sequences(lab, key):
    times = lab.path("times")
    recording = lab.both(
        lab.python(environment(envs.genai, key), "genaicalls", genai_folder(lab), times), level="inference"
    ).recording
    with open(times) as file:
        own = json.load(file)
    slack = recording.note("clock")["error_ns"]
    rows = table(lab, recording, "SELECT * FROM generations ORDER BY begin_ns")
    tokens = table(lab, recording, "SELECT * FROM tokens ORDER BY generation_id, number")
    assert {row["found_by"] for row in rows} == {"calls of the runtime"}
    assert [(row["prompt_tokens"], row["cached_tokens"], row["batch"], row["output_tokens"]) for row in rows] == [
        (prompt, cached, batch, len(calls) * batch) for prompt, cached, batch, _, calls in own
    ]
    for row, (prompt, cached, _, begin, calls) in zip(rows, own):
        made = [token for token in tokens if token["generation_id"] == row["id"]]
        assert begin - slack <= row["begin_ns"] <= calls[0][1] + slack
        for number, (token, (since, until)) in enumerate(zip(made, calls)):
            assert since - slack <= token["time_ns"] <= until + slack
            assert token["cache_length"] == cached + prompt + number
    with view(lab, recording.path) as get:
        lanes = [track for track in get("recording.json")["tracks"] if track["name"].startswith("requests ")]
    # 0.7 takes a prompt behind tokens by two inferences in one call, which is one slice
    slices = sum(1 + row["prefills"] + row["steps"] for row in rows) - (key == "0.7")
    assert sum(lane["slices"] for lane in lanes) == slices


def test_top_has_tokens_of_generators(lab):
    times = lab.path("times")
    program = lab.python(environment(envs.genai), "genaicalls", genai_folder(lab), times)
    out = lab.plain([lab.inftrace, "top", "--json", "--interval", "0.5s", "--", *program]).out
    (model,) = json.loads([line for line in out.splitlines() if line.startswith("{")][-1])["models"]
    with open(times) as file:
        own = json.load(file)
    assert model["tokens"] == sum(len(calls) * batch for _, _, batch, _, calls in own)
    assert model["generations"] == len(own)


def test_openvino_genai_with_paged_attention_beams_and_many_at_a_time(lab):
    program = lab.python(environment(envs.openvino_genai), "ovgenai", lab.path("model"), lab.path("times"))
    recording = lab.both(program, level="inference").recording
    with open(lab.path("times")) as file:
        own = json.load(file)
    rows = table(lab, recording, "SELECT * FROM generations ORDER BY begin_ns")
    found = [(row["prompt_tokens"], row["output_tokens"]) for row in rows]
    assert found[:9] == [(prompt, tokens) for prompt, tokens, *_ in own[:9]]
    assert sorted(found[9:]) == sorted((prompt, tokens) for prompt, tokens, *_ in own[9:])
    paged, masked = "sequences of batches", "length of a mask"
    assert [row["found_by"] for row in rows] == [*[paged] * 3, *[masked] * 6, *[paged] * 5]
    assert [row["batch"] for row in rows[6:9]] == [3, 3, 3]
    assert max(row["prefills"] for row in rows if row["prompt_tokens"] == 150) > 1
    for row, (_, _, first_ns, _) in zip(rows, own[:9]):  # of theirs, the sampling of the token is a part
        assert row["first_token_ns"] <= first_ns + 1000 and row["cached_tokens"] == 0


@pytest.mark.in_turn(2)
def test_loops_over_pytorch_are_found_by_caches_and_masks(lab):
    recording = lab.both(lab.python(environment(envs.torch, "debian"), "torchdecoding", lab.path("times"))).recording
    with open(lab.path("times")) as file:
        own = json.load(file)
    rows = matches(lab, recording, own)
    assert [row["found_by"] for row in rows] == [
        *["cache inputs"] * 3,
        *["length of a mask"] * 3,
        *["cache inputs"] * 3,
    ]
    assert [row["seen_tokens"] for row in rows] == [None, 16, None] * 3
    # 20 layers of keys and values of 64 floats each; the last token does not go in
    bytes = [(n + 18) * 20 * 2 * 64 * 4 for n in (16, 64, 5)]
    assert [row["cache_bytes"] for row in rows] == [*bytes, None, None, None, *bytes]


@pytest.mark.parametrize("how", ["turns", "held"])
def test_those_of_pytorch_whose_order_changes_are_told_apart(lab, how):
    recording = lab.both(
        lab.python(environment(envs.torch, "debian"), "torchdecoding", lab.path("times"), how)
    ).recording
    with open(lab.path("times")) as file:
        matches(lab, recording, json.load(file))


@pytest.mark.parametrize("key", ["2023.3", "newest"])
@pytest.mark.in_turn(2)
def test_those_of_openvino_whose_order_changes_are_told_apart(lab, key):
    models = [lab.model("decoder")] * 2
    program = lab.python(environment(envs.openvino, key), "ovprogram", "decode", *models)
    recording = lab.both([*program, "--runs", "20", "--nodes", lab.path("times")], level="inference").recording
    with open(lab.path("times")) as file:
        matches(lab, recording, in_calls(json.load(file)))


def native_genai(lab, how, is_linked=False):
    """programs/genai_native.c, which looks the functions up, or is linked to the library."""
    env = environment(envs.genai)
    if is_linked:  # whose library loads the other one as it is loaded
        program = lab.binaries.against("genai_native", [env.runtime, env.library], ["-DLINKED"])
    else:
        program = lab.binaries.plain("genai_native", ["-pthread"])
    return [program, env.library, genai_folder(lab), lab.path("times"), how, env.runtime]


@pytest.mark.parametrize("is_linked", [False, True], ids=["looked up", "linked"])
def test_programs_in_c_use_onnxruntime_genai(lab, is_linked):
    recording = lab.both(native_genai(lab, "threads", is_linked), level="inference").recording
    with open(lab.path("times")) as file:
        own = [[n, calls, begin] for n, _, begin, calls in json.load(file)]
    own = [[n, 1, begin, calls] for n, calls, begin in in_order_of_rows(lab, recording, own)]
    assert {row["found_by"] for row in matches(lab, recording, own)} == {"calls of the runtime"}


def test_generators_of_a_child_are_its_own(lab):
    recording = lab.both(native_genai(lab, "fork"), level="inference").recording
    own = []
    for name in ("times", "times.child"):
        with open(lab.path(name)) as file:
            own += [[n, calls, begin] for n, _, begin, calls in json.load(file)]
    own = [[n, 1, begin, calls] for n, calls, begin in in_order_of_rows(lab, recording, own)]
    rows = matches(lab, recording, own)
    assert len({row["process_id"] for row in rows}) == 2
    assert {row["found_by"] for row in rows} == {"calls of the runtime"}


@pytest.mark.parametrize("is_linked", [False, True], ids=["looked up", "linked"])
def test_generators_of_a_running_program_are_seen_by_injection(lab, is_linked):
    """Functions that a program has looked up before stay what they are; then generations are found by caches."""
    server = Server(lab, native_genai(lab, "serve", is_linked), times=lab.path("times"))
    done = attach(lab, "--inject", server.pid, n=120)
    n, _ = server.end()
    rows = table(lab, done.recording, "SELECT * FROM generations ORDER BY begin_ns")
    with open(lab.path("times")) as file:
        own = {(prompt, calls[-1][1]): calls for prompt, _, _, calls in json.load(file)}
    assert n == len(own)
    assert {row["found_by"] for row in rows} == {"calls of the runtime" if is_linked else "cache inputs"}
    whole = [row for row in rows if row["first_token_ns"] and row["output_tokens"] == 20]
    assert len(whole) >= 3
    slack = done.recording.note("clock")["error_ns"]
    for row in whole:
        calls = next(
            calls
            for (prompt, _), calls in own.items()
            if prompt == row["prompt_tokens"] and calls[0][0] - slack <= row["begin_ns"] <= calls[0][1] + slack
        )
        assert calls[-1][0] - slack <= row["end_ns"] <= calls[-1][1] + slack


@pytest.mark.in_turn(2)
def test_no_generation_is_invented(lab):
    recording = lab.both(lab.python(environment(envs.torch, "debian"), "nodecoders"), level="inference").recording
    assert table(lab, recording, "SELECT model, found_by FROM generations") == []
    models = table(lab, recording, "SELECT DISTINCT model FROM inferences")
    assert len(models) == 10 and "generation" not in report_of(lab, recording.path)["verdict"]
