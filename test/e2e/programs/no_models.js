// SPDX-License-Identifier: Apache-2.0
// no_models.js FILE...: makes a session from the path of each file, and from its bytes. Prints the runtime's messages.
const ort = require('onnxruntime-node');
const fs = require('fs');

async function attempt(what, model) {
	try {
		await ort.InferenceSession.create(model, { logSeverityLevel: 4 });
		console.log(`worked: ${what}`);
	} catch (error) {
		console.log(`failed: ${error.message}`);
	}
}

async function main() {
	for (const path of process.argv.slice(2)) {
		await attempt(path, path);
		if (fs.existsSync(path) && fs.statSync(path).isFile() && fs.statSync(path).size)
			await attempt('bytes', new Uint8Array(fs.readFileSync(path)));
	}
}

main();
