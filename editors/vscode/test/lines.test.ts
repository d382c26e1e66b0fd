// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { Lines } from '../src/lines';

const folder = mkdtempSync(join(tmpdir(), 'inftrace-test-'));
test.after(() => rmSync(folder, { recursive: true }));

const head = (length: number): string => `HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nConTent-LenGth:  ${length}\r\n\r\n`;

let made = 0;

/** A server that does FN with each question, and what asks it. */
async function served(
	fn: (text: string, socket: Socket) => void,
	ask: (lines: Lines) => Promise<void>,
): Promise<number> {
	const path = join(folder, String(++made));
	let connections = 0;
	const server = createServer(socket => {
		connections++;
		socket.on('error', () => undefined);
		socket.on('data', data => fn(data.toString(), socket));
	});
	await new Promise<void>(done => server.listen(path, done));
	const lines = new Lines(path);
	try {
		await ask(lines);
	} finally {
		lines.end();
		server.close();
	}
	return connections;
}

test('questions are answered on few connections, however the bytes of an answer are cut', async () => {
	const answer = (text: string, socket: Socket): void => {
		const all = Buffer.from(head(text.length) + text);
		const step = 1 + (text.length % 7);
		for (let at = 0; at < all.length; at += step) {
			const part = all.subarray(at, at + step);
			setImmediate(() => socket.write(part));
		}
	};
	const connections = await served(answer, async lines => {
		const words = Array.from({ length: 40 }, (_, i) => 'x'.repeat(i + 1));
		const got = await Promise.all(words.map(word => lines.ask(word)));
		assert.deepEqual(
			got.map(one => one.body.toString()),
			words,
		);
		assert.deepEqual([got[0].status, got[0].type], [200, 'a/b']);
	});
	assert.ok(connections <= 6);
});

test('an answer without a body is one', async () => {
	await served(
		(_, socket) => socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'),
		async lines => {
			const { status, type, body } = await lines.ask('x');
			assert.deepEqual([status, type, body.length], [404, '', 0]);
		},
	);
});

test('what is no answer, or none that is whole, fails, and the next question does not', async () => {
	const bad = [
		'x',
		'HTTP/1.1 200 OK\r\n\r\n',
		`${head(9)}short`,
		'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
		'y'.repeat(1 << 17),
	];
	await served(
		(text, socket) => {
			const one = bad[Number(text)];
			if (one === undefined) socket.write(head(2) + 'ok');
			else socket.end(one);
		},
		async lines => {
			for (let i = 0; i <= bad.length; i++)
				if (i < bad.length) await assert.rejects(lines.ask(String(i)));
				else assert.equal((await lines.ask(String(i))).body.toString(), 'ok');
		},
	);
	await assert.rejects(new Lines(join(folder, 'nowhere')).ask('x'));
});

test('an answer to nothing closes its connection, and no question waits for it', async () => {
	let isFirst = true;
	await served(
		(text, socket) => {
			const whole = head(text.length) + text;
			socket.write(whole);
			if (isFirst) setTimeout(() => socket.write(whole), 20);
			isFirst = false;
		},
		async lines => {
			await lines.ask('first');
			await new Promise(done => setTimeout(done, 60));
			const got = await Promise.all(['a', 'b', 'c'].map(word => lines.ask(word)));
			assert.deepEqual(
				got.map(one => one.body.toString()),
				['a', 'b', 'c'],
			);
		},
	);
});

test('an end fails what waits', async () => {
	await served(
		() => undefined,
		async lines => {
			const asked = [...'12345678'].map(word => assert.rejects(lines.ask(word)));
			setImmediate(() => lines.end());
			await Promise.all(asked);
			await assert.rejects(lines.ask('9'));
		},
	);
});

test(
	'a question that nobody waits for any more ends its connection, or never has one',
	{ timeout: 60000 },
	async () => {
		let closed = 0;
		let asks = 0;
		// a busy machine takes its time; what never comes ends the test
		const until = async (isSo: () => boolean): Promise<void> => {
			while (!isSo()) await new Promise(done => setTimeout(done, 5));
		};
		const connections = await served(
			(text, socket) => {
				asks++;
				socket.on('close', () => closed++);
				if (text === 'short') socket.write(head(2) + 'ok');
			},
			async lines => {
				const abort = new AbortController();
				const asked = Array.from({ length: 8 }, () =>
					assert.rejects(lines.ask('long', abort.signal)),
				);
				await until(() => asks === 6);
				abort.abort();
				await Promise.all(asked);
				await assert.rejects(lines.ask('long', abort.signal), /nobody waits/);
				assert.equal((await lines.ask('short')).body.toString(), 'ok');
				await until(() => closed === 6);
			},
		);
		assert.equal(connections, 7);
	},
);
