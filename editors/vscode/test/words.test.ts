// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { canWrap, isPart, targetOf, wishOf, wrapped } from '../src/debug_words';
import {
	brief,
	clock,
	duration,
	failureOf,
	isOlder,
	leadersOf,
	lastProgress,
	laterWords,
	linesOf,
	nameOf,
	oneLine,
	placeOf,
	providersOf,
	recorded,
	runtimesOf,
	shortly,
	split,
	stemOf,
	versionOf,
	wordsOf,
} from '../src/words';

test('an older version is told from a newer one', () => {
	assert.deepEqual(versionOf('inftrace 0.2.10 (abc)\n'), [0, 2, 10]);
	assert.equal(versionOf('GNU bash 5.2.0'), null);
	assert.match(laterWords([0, 9, 0], '0.2.0'), /inftrace is 0\.9\.0, and this extension 0\.2\.0: update/);
	assert.equal(
		laterWords([0, 2, 7], '0.2.0') + laterWords([0, 2, 0], '0.3.1') + laterWords(undefined, '0.2.0'),
		'',
	);
	assert.ok(isOlder([0, 1, 9], '0.2.0') && isOlder([0, 9, 0], '1.0.0'));
	assert.ok(!isOlder([0, 2, 0], '0.2.0') && !isOlder([0, 10, 0], '0.2.0') && !isOlder([1, 0, 0], '0.2.0'));
});

test('a task becomes the words of a command', () => {
	const record = {
		command: 'record' as const,
		args: ['python', '-c', '1'],
		level: 'detail',
		output: 'a b.pftrace',
	};
	const words = [
		'record',
		'--output',
		'a b.pftrace',
		'--level',
		'detail',
		'--progress',
		'p',
		'--',
		'python',
		'-c',
		'1',
	];
	assert.deepEqual(wordsOf(record, 'p'), words);
	assert.deepEqual(wordsOf({ command: 'attach', args: ['--name', 'x'], duration: '1s' }, 'p'), [
		'attach',
		'--duration',
		'1s',
		'--progress',
		'p',
		'--name',
		'x',
	]);
	// a model has no progress of its own, and no level detail
	const model = wordsOf({ command: 'model', args: ['m.onnx'], options: ['--ep', 'cpu'], level: 'detail' }, 'p');
	assert.deepEqual(model, ['model', '--ep', 'cpu', '--', 'm.onnx']);
});

test('the last whole line of progress counts', () => {
	const line = (n: number): string =>
		`{"state":"recording","file":"x","elapsed_ns":${n}e9,"inferences":1024,"lost":0,"median_ns":7,"p99_ns":8e6}\n`;
	assert.equal(lastProgress(`e\n${line(1)}${line(2)}{"state":"over`)?.elapsed_ns, 2e9);
	assert.equal(lastProgress(''), null);
	assert.equal(lastProgress('[1]\nnull\n7\n'), null);
	assert.equal(shortly(lastProgress(line(12)), 0), '00:12 · 1,024 inferences · p99 8.00 ms');
	assert.equal(shortly(null, 61e9), '01:01');
	assert.equal(clock(3661e9), '1:01:01');
	assert.equal(duration(950), '950 ns');
});

test('the end of a recording is one sentence', () => {
	const last = {
		state: 'over' as const,
		file: 'x',
		elapsed_ns: 6.9e9,
		inferences: 1200,
		lost: 0,
		median_ns: 1,
		p99_ns: 1,
	};
	assert.equal(recorded('run.py', last, 'x.pftrace'), 'run.py: 1,200 inferences in 6.90 s, in x.pftrace.');
	const one = { ...last, inferences: 1, elapsed_ns: 72e9 };
	assert.equal(recorded('a', one, 'x.pftrace'), 'a: 1 inference in 01:12, in x.pftrace.');
	assert.match(recorded('a', { ...last, inferences: 0 }, 'x'), /^a: no inferences in/);
	assert.deepEqual([undefined, 0, 130, 143].map(failureOf), ['', '', '', '']);
	assert.equal(failureOf(1), ' ended with status 1');
	assert.equal(failureOf(139), ' was ended by signal 11');
});

test('runtimes have their names for people', () => {
	const one = { pid: 1, name: 'p', command: 'p', user: null, can_attach: true, obstacle: null };
	const runtimes = [
		{ name: 'onnxruntime', title: 'ONNX Runtime', version: '1.32.0' },
		{ name: 'litert', version: null },
	];
	assert.equal(runtimesOf({ ...one, runtimes }), 'ONNX Runtime 1.32.0, litert');
});

test('names are harmless', () => {
	assert.equal(nameOf('/usr/bin/python3 /home/me/app.py --x=/a'), 'python3 app.py --x=/a');
	assert.equal(oneLine('a\nb\u202ec\u001b'), 'a␊b\ufffdc␛');
});

test('a command line is split as a shell does', () => {
	assert.deepEqual(split(`python 'a b.py' --x="1 \\"2" c\\ d ''`), ['python', 'a b.py', '--x=1 "2', 'c d', '']);
	assert.equal(split('python "a'), null);
	assert.deepEqual(split('  '), []);
	assert.equal(stemOf(['/usr/bin/python3', '-m', '/a/app.py', 'x']), 'app');
	assert.equal(stemOf(['/bin/serve.sh', '--x=1.5']), 'serve');
	assert.equal(stemOf([]), '');
});

test('lines of the program come from callers', () => {
	const at = { text: 'main (/a b/x.py:12)', inferences: 300 };
	const latency = { p50_ns: 77644, p99_ns: 202859 };
	const sessions = [{ caller: 'main (/a b/x.py:7)', creation_ns: 13e6 }, { caller: null }];
	const report = { verdict: '', models: [{ name: 'cnn', inferences: { latency, callers: [at] }, sessions }] };
	assert.deepEqual(linesOf(report), [
		{
			file: '/a b/x.py',
			line: 12,
			text: 'cnn: 300 inferences · median 77.6 µs · p99 203 µs',
			begunMs: null,
		},
		{ file: '/a b/x.py', line: 7, text: 'cnn created in 13.0 ms', begunMs: null },
	]);
	// a session for each request is one remark
	const again = report.models.map(model => ({ ...model, sessions: [...sessions, ...sessions, ...sessions] }));
	assert.deepEqual(
		linesOf({ ...report, models: again }).map(one => one.text),
		['cnn: 300 inferences · median 77.6 µs · p99 203 µs', 'cnn created 3 times in 39.0 ms'],
	);
	assert.equal(brief(['a', 'b', 'c']), 'a; b; c');
	assert.equal(brief(['a', 'b', 'c', 'd', 'e']), 'a; b; c; 2 more');
	const recording = { start_realtime_ns: 9e18, begin_monotonic_ns: 7e9 };
	const models = report.models.map(model => ({ ...model, pid: 5 }));
	const begun = (start_monotonic_ns: number | null): (number | null)[] =>
		linesOf({ ...report, models, recording, processes: [{ pid: 5, start_monotonic_ns }] }).map(
			one => one.begunMs,
		);
	// a second before the recording; or not before it
	assert.deepEqual(begun(6e9), [9e12 - 1000, 9e12 - 1000]);
	assert.deepEqual(begun(null), [9e12, 9e12]);
	// of two callers, neither has the latency of both
	const two = { verdict: '', models: [{ name: 'c', inferences: { latency, callers: [at, at] } }] };
	assert.deepEqual(linesOf(two)[0].text, 'c: 300 inferences');
	assert.equal(placeOf('PyObject_Call in libpython'), null);
});

test('devices of plugins are providers', () => {
	const text =
		'runtime        1.32.0 /x (option)\ndevice 0       CPUExecutionProvider on cpu (AMD)\ndevice 1       A on npu\n';
	assert.deepEqual(providersOf(text), ['CPUExecutionProvider', 'A']);
});

test('a launch of Python and Node.js starts inftrace', () => {
	const python = { type: 'debugpy', request: 'launch', name: 'p', program: 'x.py', inftrace: true };
	const words = ['/bin/inftrace', 'record', '--'];
	assert.deepEqual(wishOf(python), {});
	assert.deepEqual(wishOf({ ...python, inftrace: false }), null);
	const one = wrapped(python, words, '/venv/bin/python');
	assert.deepEqual(one.python, [...words, '/venv/bin/python']);
	assert.equal(one.debugLauncherPython, '/venv/bin/python');
	const node = {
		type: 'node',
		request: 'launch',
		name: 'n',
		runtimeArgs: ['--inspect'],
		inftrace: { level: 'detail' },
	};
	assert.deepEqual(wrapped(node, words, ''), {
		...node,
		runtimeExecutable: '/bin/inftrace',
		runtimeArgs: ['record', '--', 'node', '--inspect'],
	});
	const terminal = { type: 'node-terminal', request: 'launch', name: 't', command: "npm run 'a b'" };
	assert.ok(canWrap(terminal));
	const line = wrapped(terminal, ['/a b/inftrace', 'record', '--'], '').command;
	assert.equal(line, "'/a b/inftrace' 'record' '--' 'sh' '-c' 'npm run '\\''a b'\\'''");
	assert.ok(isPart({ ...node, request: 'attach', __pendingTargetId: '1' }) && !isPart(node));
	assert.deepEqual(targetOf({ ...python, request: 'attach', processId: 42 }, '/w'), ['42']);
	assert.match(targetOf({ ...python, request: 'attach', connect: {} }, '/w') as string, /needs "processId"/);
	assert.ok(canWrap(node) && !canWrap({ ...node, request: 'attach' }) && !canWrap({ ...node, type: 'cppdbg' }));
});

test('a native program is waited for by its file, one that runs is recorded by its number', () => {
	const all = (path: string): string[] => ['--all', '--path', path];
	const launch = { type: 'gdb', request: 'launch', name: 'x' };
	assert.deepEqual(targetOf({ ...launch, program: 'build/app' }, '/w'), all('/w/build/app'));
	assert.deepEqual(targetOf({ ...launch, program: '/app' }, '/w'), all('/app'));
	assert.match(targetOf(launch, '/w') as string, /needs "program"/);
	// cppdbg, as its documentation has it
	const cpp = { type: 'cppdbg', name: 'x', MIMode: 'gdb', program: '/app' };
	assert.deepEqual(targetOf({ ...cpp, request: 'launch', args: [], cwd: '/w' }, '/w'), all('/app'));
	assert.deepEqual(targetOf({ ...cpp, request: 'attach', processId: '42' }, '/w'), ['42']);
	assert.match(
		targetOf({ ...cpp, request: 'launch', miDebuggerServerAddress: 'board:1234' }, '/w') as string,
		/on this machine alone/,
	);
	assert.match(targetOf({ ...cpp, request: 'launch', coreDumpPath: '/core' }, '/w') as string, /on this machine/);
	// CodeLLDB: a number or a text, a program by its file, also one that is still to start
	const lldb = { type: 'lldb', request: 'attach', name: 'x' };
	assert.deepEqual(targetOf({ ...lldb, pid: 42 }, '/w'), ['42']);
	assert.deepEqual(targetOf({ ...lldb, pid: '42' }, '/w'), ['42']);
	assert.deepEqual(targetOf({ ...lldb, program: 'app' }, '/w'), ['--path', '/w/app', '--first']);
	assert.deepEqual(targetOf({ ...lldb, program: 'app', waitFor: true }, '/w'), all('/w/app'));
	assert.match(targetOf({ ...lldb, request: 'launch', cargo: {} }, '/w') as string, /needs "program"/);
	assert.match(targetOf({ ...lldb, pid: '${command:pick}' }, '/w') as string, /needs the PID/);
});

test('a program that has the runtime in itself is listed once', () => {
	const one = { name: 'b', command: 'b', user: null, runtimes: [], can_attach: true, obstacle: null };
	const all = [
		{ ...one, pid: 1, leader: null },
		{ ...one, pid: 2, leader: 1 },
		{ ...one, pid: 3, leader: 1 },
		{ ...one, pid: 4 },
	];
	assert.deepEqual(
		leadersOf(all).map(({ pid, more }) => [pid, more]),
		[
			[1, 2],
			[4, 0],
		],
	);
});

test('no condition waits for what the editor knows of trust only seconds later', () => {
	const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
	const conditions = [...text.matchAll(/"(?:when|enablement)": "([^"]*rusted[^"]*)"/g)].map(found => found[1]);
	assert.ok(conditions.length > 10);
	for (const one of conditions) assert.match(one, /inftrace\.isTrusted/);
});
