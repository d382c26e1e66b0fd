// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { isRunning, Shelf, startOf, type Kept } from '../src/kept';

const root = mkdtempSync(join(tmpdir(), 'inftrace-test-'));
test.after(() => rmSync(root, { recursive: true }));

/** The PID of a process that has ended. */
const ended = (): number => spawnSync('true').pid;

const keptBy = (shelf: Shelf, pid: number, start = startOf(pid)): Kept => ({
	name: 'run.py',
	wanted: { command: 'record', output: '/tmp/run.pftrace' },
	begun: Date.now(),
	cwd: '/tmp',
	progress: join(shelf.folder, '1.progress'),
	pid,
	start,
	isRoot: false,
});

/** A shelf as an extension host leaves it that has ended. */
function left(workspace: string, kept: (shelf: Shelf) => Kept[]): Shelf {
	const shelf = new Shelf(root, workspace, ended());
	const all = kept(shelf);
	for (const { progress } of all) writeFileSync(progress ?? '', '{}\n');
	shelf.put(all);
	shelf.close(all);
	return shelf;
}

test('a process is told from a later one of its number', () => {
	assert.ok(isRunning({ pid: process.pid, start: startOf(process.pid) }));
	assert.ok(!isRunning({ pid: process.pid, start: '1' }));
	assert.ok(!isRunning({ pid: ended(), start: '' }));
});

test('what goes on is taken over once, by the same workspace', () => {
	const child = spawn('sleep', ['60']);
	const old = left('file:///a', shelf => [keptBy(shelf, child.pid ?? 0)]);
	assert.deepEqual(new Shelf(root, 'file:///b', process.ppid).take(), []);
	const own = new Shelf(root, 'file:///a');
	const [one] = own.take();
	assert.equal(one.pid, child.pid);
	assert.ok(isRunning(one));
	assert.deepEqual(own.take(), []);
	assert.ok(existsSync(one.progress ?? ''));
	child.kill();
	own.drop(one);
	assert.ok(!existsSync(old.folder));
	own.close([]);
});

test('what ended meanwhile is news for an hour', () => {
	const gone = (shelf: Shelf): Kept[] => [keptBy(shelf, ended(), '1')];
	left('file:///a', gone);
	const own = new Shelf(root, 'file:///a');
	assert.equal(own.take().length, 1);
	left('file:///a', gone);
	assert.equal(own.take(Date.now() + 7200 * 1000).length, 0);
});

test('a window that is still there keeps what is its own', () => {
	const child = spawn('sleep', ['60']);
	const other = new Shelf(root, 'file:///c', process.ppid);
	other.put([keptBy(other, child.pid ?? 0)]);
	const own = new Shelf(root, 'file:///c');
	assert.deepEqual(own.take(), []);
	assert.ok(own.isAwaited());
	assert.ok(!new Shelf(root, 'file:///d').isAwaited());
	child.kill();
});

test('nothing is left behind', () => {
	const shelf = new Shelf(root, 'file:///e', ended());
	shelf.close([]);
	assert.ok(!existsSync(shelf.folder));
	const late = left('file:///e', one => [keptBy(one, ended(), '1')]);
	utimesSync(join(late.folder, 'kept.json'), 1, 1);
	new Shelf(root, 'file:///f').take();
	assert.ok(!readdirSync(root).includes(late.folder.split('/').pop() ?? ''));
});
