// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { judge } from '../src/usable';
import { nameOf, NEEDED, plain, variableIn } from '../src/words';

const folder = mkdtempSync(join(tmpdir(), 'inftrace-test-'));
test.after(() => rmSync(folder, { recursive: true }));

function file(name: string, contents: string | Buffer, mode = 0o755): string {
	const path = join(folder, name);
	writeFileSync(path, contents);
	chmodSync(path, mode);
	return path;
}

const script = (name: string, line: string): string => file(name, `#!/bin/sh\n${line}\n`);

test('an inftrace of this version or a newer one is used', async () => {
	for (const version of [NEEDED, '9.0.0']) {
		const path = script('inftrace', `echo "inftrace ${version} (abc)"`);
		const numbers = version.split('.').map(Number);
		assert.deepEqual(await judge(path), { state: 'ok', path, trouble: '', version: numbers });
	}
});

test('of every other file one sentence says what is wrong, and what to do', async () => {
	const head = Buffer.alloc(64);
	head.write('\u007fELF\u0002\u0001\u0001', 'latin1');
	head.writeUInt16LE(process.arch === 'arm64' ? 62 : 183, 18);
	const other = process.arch === 'arm64' ? 'x64' : 'arm64';
	mkdirSync(join(folder, 'inside'));
	const cases: readonly (readonly [string, string, RegExp])[] = [
		[join(folder, 'nowhere'), 'missing', /nowhere, which the setting .* does not exist: choose/],
		[script('old', 'echo inftrace 0.1.9'), 'old', /is inftrace 0\.1\.9, .* needs .*: update it$/],
		[file('elf', head), 'broken', new RegExp(`is for ${other}, this machine is ${process.arch}: install`)],
		[join(folder, 'inside'), 'broken', /inside is a folder: choose the program in it/],
		[script('bash', 'echo GNU bash'), 'broken', /is not inftrace: choose another program/],
		[script('fails', 'exit 7'), 'broken', /is not inftrace: choose another program/],
		[file('lost', '#!/nowhere/sh\n'), 'broken', /its interpreter or its loader is not here: install/],
		[file('text', 'inftrace 9.0.0\n', 0o644), 'broken', /is not executable: run chmod \+x/],
		[script('hangs', 'exec sleep 60'), 'broken', /does not answer: choose another program/],
	];
	for (const [path, state, words] of cases) {
		const found = await judge(path, 3000);
		assert.equal(found.state, state, path);
		assert.match(found.trouble, words);
		assert.doesNotMatch(found.trouble, /\n/);
	}
});

test('names of others neither lead anywhere nor fill the screen', () => {
	assert.equal(plain('[free](command:x) $(bug) a\nb'), '[free]\u2060(command:x) $\u2060(bug) a␊b');
	assert.equal(plain('x\u2028\u2066y'), 'x\ufffd\ufffdy');
	assert.equal([...plain('\u{1f600}'.repeat(4096))].length, 200);
	assert.equal(nameOf(`/usr/bin/python ${'a'.repeat(4096)}`).length, 200);
	assert.equal(variableIn(['m.onnx', '/w/${command:x}/m']), '${command:x}');
	assert.equal(variableIn(['$x', '{a}']), null);
});
