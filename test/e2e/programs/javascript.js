// Work of known length in known functions and lines: javascript.js MS ROUNDS. Writes how long each took, by its name.
const { execFileSync } = require("child_process");
const { Worker, isMainThread, parentPort } = require("worker_threads");
const { performance } = require("perf_hooks");
const big = JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ id: i, name: "item " + i })));
const took = {};
let answer = 0;

function spin(ms) {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    for (let i = 0; i < 2000; i++) answer = (answer + i) % 1000003; // the line of spin
  }
}

function parse(ms) {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    answer += JSON.parse(big).length; // the line of parse
  }
}

function deep(n, ms) {
  return n ? deep(n - 1, ms) + 1 : (spin(ms), 0); // the line of deep
}

class Größe {
  messen(ms) {
    spin(ms / 2);
    parse(ms / 2); // the line of messen
  }
}

function* parts(ms) {
  spin(ms / 2);
  yield 1;
  parse(ms / 2); // the line of parts
}

async function later(ms) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  spin(ms); // the line of later
}

function waits(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms); // the line of waits
}

function naps(ms) {
  execFileSync("sleep", [String(ms / 1000)]); // the line of naps
}

const arrow = (ms) => [1].forEach(() => spin(ms));
const made = new Function("spin", "ms", "\n\nspin(ms);");
const calls = {
  parse,
  deep: (ms) => deep(12, ms),
  messen: (ms) => new Größe().messen(ms),
  parts: (ms) => [...parts(ms)],
  later,
  waits,
  naps,
  arrow,
  anonymous: (ms) => made(spin, ms),
};

async function main(ms, rounds) {
  const worker = new Worker(__filename);
  for (let i = 0; i < rounds; i++)
    for (const [name, call] of Object.entries(calls)) {
      const began = performance.now();
      await call(ms);
      took[name] = (took[name] || 0) + performance.now() - began;
    }
  const began = performance.now();
  await new Promise((resolve) => worker.once("message", resolve).postMessage(ms * rounds));
  took.inWorker = performance.now() - began;
  await worker.terminate();
  console.log(JSON.stringify(took));
}

function inWorker(ms) {
  spin(ms); // the line of inWorker
  parentPort.postMessage(0);
}

if (isMainThread) main(Number(process.argv[2]), Number(process.argv[3]));
else parentPort.on("message", inWorker);
