// SPDX-License-Identifier: Apache-2.0
// infer.js MODEL SHAPE RUNS [TIMES]: runs a model with one float input "x" and one output "y" RUNS times in sequence,
// then RUNS times at once, from one thread of JavaScript. Prints checksums and writes a line per run to TIMES.
const ort = require('onnxruntime-node');
const crypto = require('crypto');
const fs = require('fs');

const [model, shape, runs, times] = process.argv.slice(2);
const dims = shape.split('x').map(Number);
const length = dims.reduce((a, b) => a * b, 1);
const numbers = Float32Array.from({ length }, (_, i) => i / length);
const lines = [];

async function run(session) {
	const start = process.hrtime.bigint();
	const { y } = await session.run({ x: new ort.Tensor('float32', numbers, dims) });
	lines.push(`${start} ${process.hrtime.bigint()} 0\n`);
	return crypto.createHash('sha256').update(Buffer.from(y.data.buffer, y.data.byteOffset, y.data.byteLength)).digest('hex').slice(0, 16);
}

async function main() {
	const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1, logSeverityLevel: 4 });
	for (let i = 0; i < +runs; i++)
		console.log(await run(session));
	for (const sum of await Promise.all(Array.from({ length: +runs }, () => run(session))))
		console.log(sum);
	if (times)
		fs.writeFileSync(times, lines.join(''));
	console.log(`runs ${2 * +runs} failed 0`);
}

main();
