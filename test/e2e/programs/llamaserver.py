# SPDX-License-Identifier: Apache-2.0
"""The server of llama.cpp with several slots and continuous batching: llamaserver.py MODEL TIMES [N]. One request
alone, then N at once.

Prints the tokens. Writes to TIMES, for each request: the length of its prompt, its tokens, and milliseconds for each
but the first, by the server's own clock."""

import json
import sys
import threading

import xllamacpp

TOKENS = 40
model, times, *more = sys.argv[1:]
n = int(more[0]) if more else 8
params = xllamacpp.CommonParams()
params.model.path, params.n_parallel, params.n_ctx, params.warmup = model, n, 4096, False
params.cpuparams.n_threads, params.cont_batching, params.fit_params = 1, True, False
server, told = xllamacpp.Server(params), []


def ask(prompt):
    tokens, last = [], {}

    def take(answer):
        parts = answer if isinstance(answer, (dict, list)) else json.loads(answer)
        for part in parts if isinstance(parts, list) else [parts]:
            tokens.extend(part.get("tokens") or [])
            last.update(part.get("timings") or {})

    request = {"prompt": list(range(3, 3 + prompt)), "n_predict": TOKENS, "temperature": 0, "ignore_eos": True}
    server.handle_completions({**request, "stream": True, "cache_prompt": False, "return_tokens": True}, take)
    told.append([prompt, last["predicted_n"], last["predicted_ms"] / (last["predicted_n"] - 1), tokens])


ask(16)
threads = [threading.Thread(target=ask, args=(17 + 7 * i,)) for i in range(n)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for prompt, _, _, tokens in sorted(told):
    print(prompt, *tokens)
with open(times, "w") as out:
    json.dump([row[:3] for row in told], out)
