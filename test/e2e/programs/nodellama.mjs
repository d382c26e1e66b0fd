// SPDX-License-Identifier: Apache-2.0
// Generations by node-llama-cpp: nodellama.mjs MODEL TIMES N, N at a time. Prints the tokens. Writes to TIMES, for each
// generation: the length of the prompt, when it was asked for, and when each token came.
import fs from "fs";
import { getLlama } from "node-llama-cpp";

const PROMPTS = [16, 17, 40, 64, 16, 5, 30, 31];
const N_TOKENS = 20;
const [path, times, atOnce] = process.argv.slice(2);
const now = () => Number(process.hrtime.bigint());
const llama = await getLlama({ gpu: false, build: "never", logLevel: "error", maxThreads: 1 });
const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
const n = Number(atOnce);
const context = await model.createContext({ contextSize: 128, sequences: n, batchSize: 256 });
const rows = [];

async function generate(prompt) {
  const sequence = context.getSequence();
  const tokens = Array.from({ length: prompt }, (_, i) => 10 + i);
  const made = [];
  const ends = [];
  const begin = now();
  for await (const token of sequence.evaluate(tokens, { temperature: 0, yieldEogToken: true })) {
    ends.push(now());
    made.push(token);
    if (made.length == N_TOKENS) break;
  }
  await sequence.clearHistory();
  sequence.dispose();
  rows.push([prompt, begin, ends]);
  return made;
}

const all = [];
for (let i = 0; i < PROMPTS.length; i += n) all.push(...(await Promise.all(PROMPTS.slice(i, i + n).map(generate))));
for (const made of all) console.log(made.join(" "));
fs.writeFileSync(times, JSON.stringify(rows));
await context.dispose();
await model.dispose();
await llama.dispose();
