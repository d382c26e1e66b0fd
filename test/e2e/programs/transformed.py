# SPDX-License-Identifier: Apache-2.0
"""Generations by generate() of the package transformers: transformed.py KIND TIMES [--at-once]. KIND: llama, t5,
whisper; small, with random weights. One after the other, or eight by as many threads. Prints the tokens.

Writes to TIMES, for each generation: the length of the prompt (of t5, of the encoder's text), when its first module
began, the ends of the decoder's calls, when generate() was called, and when it handed the first token out."""

import argparse
import json
import threading
import time

import torch
import transformers

now = time.monotonic_ns
parser = argparse.ArgumentParser()
parser.add_argument("kind", choices=["llama", "t5", "whisper"])
parser.add_argument("times")
parser.add_argument("--at-once", action="store_true")
args = parser.parse_args()
torch.manual_seed(0)
torch.set_num_threads(1)
N_TOKENS, WORDS, FRAMES = 20, 500, 200
ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}


def model_of(kind):
    if kind == "llama":
        config = transformers.LlamaConfig(
            vocab_size=WORDS, hidden_size=64, intermediate_size=128, num_hidden_layers=4, num_attention_heads=4, **ids
        )
        return transformers.LlamaForCausalLM(config)
    if kind == "t5":
        config = transformers.T5Config(
            vocab_size=WORDS, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_decoder_layers=2, num_heads=4, **ids
        )
        return transformers.T5ForConditionalGeneration(config)
    config = transformers.WhisperConfig(
        vocab_size=WORDS,
        d_model=64,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=128,
        decoder_ffn_dim=128,
        max_source_positions=FRAMES,
        max_target_positions=64,
        suppress_tokens=None,
        begin_suppress_tokens=None,
        **ids,
    )
    return transformers.WhisperForConditionalGeneration(config)


model, own, lock = model_of(args.kind).eval(), threading.local(), threading.Lock()
main_module = getattr(model, "get_encoder", lambda: None)() if args.kind != "llama" else None
rows, texts = {}, {}


def began(*_):
    own.begin = own.begin or now()


def ended(*_):
    own.ends.append(now())


(main_module or model).register_forward_pre_hook(began)
model.register_forward_hook(ended)


class Streamer:
    """generate() puts the prompt first, then each token."""

    def __init__(self):
        self.n = 0

    def put(self, value):
        self.n += 1
        if self.n == 2:
            own.handed = now()

    def end(self):
        pass


def generate(number, n):
    own.begin, own.ends, own.handed = None, [], None
    if args.kind == "whisper":
        prompt = {"input_features": torch.ones(1, 80, 2 * FRAMES)}
        n = 1
    else:
        prompt = {"input_ids": torch.arange(3, 3 + n)[None]}
    called = now()
    with torch.no_grad():
        made = model.generate(
            **prompt, max_new_tokens=N_TOKENS, min_new_tokens=N_TOKENS, do_sample=False, streamer=Streamer()
        )
    with lock:
        rows[number] = [n, own.begin, own.ends, called, own.handed]
        texts[number] = made[0].tolist()


# without threads, the last ones are as long as caches of earlier ones were at their ends
prompts = [16, 64, 5, 35, 24] if not args.at_once else [16, 17, 18, 40, 64, 16, 5, 30]
if args.at_once:
    generate(-1, 7)
    threads = [threading.Thread(target=generate, args=of) for of in enumerate(prompts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
else:
    for of in enumerate(prompts):
        generate(*of)
for number in sorted(texts):
    print(*texts[number])
with open(args.times, "w") as out:
    json.dump([rows[number] for number in sorted(rows)], out)
