// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Counter, Track } from '../src/api';
import { usualResources } from '../src/app';
import { blocksOf, collapsedAtFirst, layOut, linesOfRows, pathOf, rowCount, trackOfRow } from '../src/rows';

const track = (
	id: number,
	parent: number | null,
	kind: string,
	row: number,
	rows: number,
	name = `${kind} ${id}`,
): Track => ({
	id,
	parent,
	kind,
	name,
	row,
	rows,
	slices: rows,
	row_kinds: [],
	kinds: [],
});

const TRACKS = [
	track(0, null, 'process', -1, 0),
	track(1, 0, 'group', -1, 0, 'models'),
	track(2, 1, 'model', -1, 0),
	track(3, 2, 'lane', 0, 3),
	track(4, 2, 'function', 3, 2),
	track(5, 0, 'group', -1, 0, 'providers'),
	track(6, 5, 'lane', 5, 1, 'libraries'),
	track(7, 0, 'thread', 6, 1),
];

const show = (collapsed: number[] = [], hidden: number[] = []): string[] =>
	layOut(TRACKS, new Set(collapsed), new Set(hidden)).map(
		line => `${line.level} ${line.label}.${line.depth} [${line.rows}]`,
	);

test('each depth of a track is a line; groups that say nothing take none', () => {
	assert.deepEqual(show(), [
		'0 process 0.0 []',
		'1 model 2.0 []',
		'2 lane 3.0 [0]',
		'2 lane 3.1 [1]',
		'2 lane 3.2 [2]',
		'2 function 4.0 [3]',
		'2 function 4.1 [4]',
		'1 providers › libraries.0 [5]',
		'1 thread 7.0 [6]',
	]);
});

test('a collapsed track shows the first rows of what it hides on one line', () => {
	assert.deepEqual(show([0]), ['0 process 0.0 [0,3,5,6]']);
	assert.deepEqual(show([3]).slice(2, 4), ['2 lane 3.0 [0]', '2 function 4.0 [3]']);
});

test('a hidden track is gone with what is below it', () => {
	assert.deepEqual(show([], [2, 7]), ['0 process 0.0 []', '1 providers › libraries.0 [5]']);
	assert.deepEqual(show([], [0]), []);
});

test('rows find their lines', () => {
	const lines = layOut(TRACKS, new Set([3]), new Set([6]));
	assert.equal(rowCount(TRACKS), 7);
	assert.deepEqual([...linesOfRows(lines, 7)], [2, -1, -1, 3, 4, -1, 5]);
	assert.equal(trackOfRow(TRACKS, 4)?.id, 4);
	assert.equal(trackOfRow(TRACKS, 99), null);
	assert.deepEqual(
		pathOf(TRACKS, 4).map(one => one.id),
		[0, 1, 2, 4],
	);
});

test('processes that ran models come before the others', () => {
	const all = [track(10, null, 'process', 20, 1), ...TRACKS, track(11, null, 'process', 21, 1)];
	const order = layOut(all, new Set([0]), new Set()).map(line => line.label);
	assert.deepEqual(order, ['process 0', 'process 10', 'process 11']);
	const counter = (id: number, process: number) =>
		({ id, process, name: 'cpu', scope: 'process', samples: 2 }) as unknown as Counter;
	const counters = [counter(1, 10), counter(2, 0), counter(3, 11)];
	assert.deepEqual(usualResources({ counters, tracks: all }), [2]);
	assert.deepEqual(usualResources({ counters, tracks: all.slice(-1) }), [1, 2]);
	assert.deepEqual(usualResources({ counters, tracks: all.slice(-1) }, true), [1]);
});

test('a parent that is not there, or goes round in a circle, harms nothing', () => {
	assert.equal(layOut([track(1, 77, 'thread', 0, 1)], new Set(), new Set()).length, 1);
	assert.equal(
		layOut([track(1, 2, 'thread', 0, 1), track(2, 1, 'thread', 1, 1)], new Set(), new Set()).length,
		0,
	);
	assert.equal(pathOf([track(1, 2, 'a', 0, 1), track(2, 1, 'b', 1, 1)], 1).length, 64);
});

test('rows are asked for in blocks that do not move with the view', () => {
	const many = Array.from({ length: 200 }, (_, i) => track(i, null, 'thread', i, 1));
	const lines = layOut(many, new Set(), new Set());
	assert.deepEqual(blocksOf(lines.slice(60, 70), 200), ['0-63', '64-127']);
	assert.deepEqual(blocksOf(lines.slice(195), 200), ['192-199']);
});

test('a long tree is collapsed at first until it fits, a short one is not', () => {
	assert.equal(collapsedAtFirst(TRACKS).size, 0);
	assert.deepEqual([...collapsedAtFirst(TRACKS, 8)], [3]);
	const threads = [
		track(0, null, 'process', -1, 0),
		...Array.from({ length: 100 }, (_, i) => track(i + 1, 0, 'thread', 3 * i, 3)),
	];
	assert.equal(layOut(threads, collapsedAtFirst(threads, 16, 150), new Set()).length <= 150, true);
});

test('models and later processes are collapsed before the first process is, which stays open', () => {
	const models = (process: number, n: number): Track[] => [
		track(process, null, 'process', -1, 0),
		...Array.from({ length: n }, (_, i) => [
			track(process + 2 * i + 1, process, 'model', -1, 0),
			track(process + 2 * i + 2, process + 2 * i + 1, 'lane', process + i, 1),
		]).flat(),
	];
	const forty = models(0, 40);
	const collapsed = collapsedAtFirst(forty);
	assert.equal(collapsed.has(0), false);
	assert.equal(collapsed.has(1), false, 'the first model');
	assert.equal(layOut(forty, collapsed, new Set()).length, 60);
	const many = [...models(0, 100), ...models(1000, 100)];
	assert.deepEqual(
		[...collapsedAtFirst(many)].filter(id => id % 1000 === 0),
		[1000],
	);
	assert.equal(layOut(many, collapsedAtFirst(many), new Set())[1].isCollapsed, true);
	assert.equal(collapsedAtFirst(models(0, 2000)).has(0), true, 'too many lines to draw');
});
