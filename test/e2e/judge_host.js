// SPDX-License-Identifier: Apache-2.0
// Perfetto's trace_processor.wasm as a pipe: judge_host.js FOLDER, with the UI's engine_bundle.js and the wasm inside.
// Requests go in on standard input and answers come out on standard output, both as Perfetto's own stream of
// TraceProcessorRpc messages; nothing is understood here. What the engine says aloud goes to standard error.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const crypto = globalThis.crypto || require('crypto').webcrypto; // Node.js 18 has no global one

const folder = process.argv[2];

function load(url) {
	return fs.readFileSync(path.join(folder, path.basename(String(url))));
}

// The bundle is made for a web worker: it gets a world with what a worker has, and without Node's `process`.
class XMLHttpRequest {
	open(method, url) {
		this.url = url;
	}
	send() {
		const bytes = load(this.url);
		this.status = 200;
		this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
	}
}

const say = (...words) => process.stderr.write(words.join(' ') + '\n');
const world = {
	XMLHttpRequest, Uint8Array, URL, TextDecoder, TextEncoder, performance, crypto, Date,
	setTimeout, clearTimeout, queueMicrotask,
	WorkerGlobalScope: class {},
	location: { href: 'file:///engine_bundle.js', search: '' },
	console: { log: say, info: say, debug: say, warn: say, error: say },
};
world.self = world;
world.globalThis = world;
vm.createContext(world);
vm.runInContext(load('engine_bundle.js').toString(), world);

function put(bytes) {
	for (let done = 0; done < bytes.length;) {
		try {
			done += fs.writeSync(1, bytes, done);
		} catch (error) {
			if (error.code !== 'EAGAIN')
				throw error;
		}
	}
}

const port = { onmessage: null, postMessage: put };
world.self.onmessage({ data: port });
process.stdin.on('data', chunk => port.onmessage({ data: new Uint8Array(chunk) }));
