// SPDX-License-Identifier: Apache-2.0
// app.js MODEL N: runs a model N times.
'use strict';
const ort = require('onnxruntime-node');

async function main(path, n) {
	const session = await ort.InferenceSession.create(path);
	const [about] = session.inputMetadata;
	const shape = about.shape.map(extent => (typeof extent === 'number' ? extent : 1));
	const size = shape.reduce((product, extent) => product * extent, 1);
	const feeds = { [about.name]: new ort.Tensor('float32', new Float32Array(size), shape) };
	for (let i = 0; i < n; i++) await session.run(feeds);
}

main(process.argv[2], Number(process.argv[3]));
