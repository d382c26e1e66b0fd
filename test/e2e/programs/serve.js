// SPDX-License-Identifier: Apache-2.0
// serve.js MODEL SHAPE [TIMES [again]]: runs a model with one float input "x" and one output "y" until standard input ends, and
// compares each result with the first. Prints "ready", at the end "runs N failed 0" and "differ N". Writes a line per
// run to TIMES. again: each run has a session of its own.
const ort = require('onnxruntime-node');
const fs = require('fs');

const [model, shape, times, again] = process.argv.slice(2);
const dims = shape.split('x').map(Number);
const length = dims.reduce((a, b) => a * b, 1);
const numbers = Float32Array.from({ length }, (_, i) => i / length);
const lines = [];
let ended = false, differ = 0;

async function run(session) {
	const start = process.hrtime.bigint();
	const { y } = await session.run({ x: new ort.Tensor('float32', numbers, dims) });
	lines.push(`${start} ${process.hrtime.bigint()} 0\n`);
	return Buffer.from(y.data.buffer, y.data.byteOffset, y.data.byteLength);
}

async function main() {
	const create = () => ort.InferenceSession.create(model, { intraOpNumThreads: 1, logSeverityLevel: 4 });
	const session = await create();
	const expected = Buffer.from(await run(session));
	process.stdin.on('end', () => { ended = true; }).resume();
	console.log('ready');
	while (!ended) {
		differ += !expected.equals(await run(again ? await create() : session));
		await new Promise(resolve => setTimeout(resolve, 2));
	}
	if (times)
		fs.writeFileSync(times, lines.join(''));
	console.log(`runs ${lines.length} failed 0\ndiffer ${differ}`);
}

main();
