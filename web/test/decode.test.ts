// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Counter } from '../src/api';
import { counterTile, sliceTile } from '../src/decode';
import { columnsOf, topOf } from '../src/paint_counters';

/** Columns as the server writes them. */
function encode(...columns: ArrayBufferView[]): ArrayBuffer {
	const sizes = columns.map(column => (column.byteLength + 7) & ~7);
	const out = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
	let at = 0;
	columns.forEach((column, i) => {
		out.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
		at += sizes[i];
	});
	return out.buffer;
}

test('a tile of slices is read column by column', () => {
	const buffer = encode(
		Uint32Array.of(0x31544649, 1, 2, 3),
		Float64Array.of(10.5),
		Float64Array.of(99),
		Uint32Array.of(4),
		Uint32Array.of(7),
		Uint32Array.of(2),
		Uint16Array.of(0x8003),
		Uint32Array.of(1, 5),
		Uint32Array.of(0, 1),
		Uint32Array.of(11, 12, 13),
		Uint16Array.of(0, 3, 9),
		Uint16Array.of(1, 2, 3),
		Uint16Array.of(0, 0, 1),
		Uint8Array.of(255, 16, 1),
		Uint8Array.of(40, 41, 42),
	);
	const tile = sliceTile(buffer, 1000, 8);
	assert.deepEqual(
		[tile.big.begin[0], tile.big.end[0], tile.big.row[0], tile.big.class[0]],
		[10.5, 99, 4, 0x8003],
	);
	assert.deepEqual([...tile.runs.first], [0, 1, 3]);
	assert.deepEqual([...tile.runs.length], [1, 2, 3]);
	assert.deepEqual([...tile.runs.longest], [40, 41, 42]);
	assert.throws(() => sliceTile(buffer.slice(0, 40), 0, 1));
	assert.throws(() => sliceTile(encode(Uint32Array.of(1, 2, 3, 4)), 0, 1), /not a tile/);
});

const counters = (before: number, x: number[], values: number[]): ArrayBuffer =>
	encode(
		Uint32Array.of(0x31434649, 1),
		Uint32Array.of(5, x.length),
		Float64Array.of(before),
		Uint16Array.from(x),
		Float32Array.from(values),
		Float32Array.from(values.map(value => value + 1)),
		Float32Array.from(values),
	);

test('a value of a resource holds until the next, from before the view on', () => {
	const tile = counterTile(counters(3, [2, 5], [10, 20]), 0, 10);
	const { low, high, last } = columnsOf(
		[{ tile, from: 0, to: 5120, isExact: true }],
		5,
		{ begin: 0, end: 80 },
		8,
	);
	assert.deepEqual([...last], [3, 3, 10, 10, 10, 20, 20, 20]);
	assert.deepEqual([...high], [3, 3, 11, 10, 10, 21, 20, 20]);
	assert.deepEqual([...low], [3, 3, 10, 10, 10, 20, 20, 20]);
});

test('before the first value nothing is known', () => {
	const tile = counterTile(counters(NaN, [4], [1]), 0, 10);
	const { last } = columnsOf([{ tile, from: 0, to: 5120, isExact: true }], 5, { begin: 0, end: 80 }, 8);
	assert.deepEqual([...last].map(Number.isNaN), [true, true, true, true, false, false, false, false]);
});

test('a view inside a tile begins with the value that holds there', () => {
	const tile = counterTile(counters(1, [2, 30], [5, 9]), 0, 10);
	const { last } = columnsOf([{ tile, from: 0, to: 5120, isExact: true }], 5, { begin: 100, end: 500 }, 4);
	assert.deepEqual([...last], [5, 5, 9, 9]);
});

test('the scale of a resource ends at a round figure', () => {
	const counter = (unit: string, max: number): Counter => ({
		id: 1,
		name: 'x',
		unit,
		scope: 'process',
		track: null,
		group: 'cpu',
		samples: 1,
		min: 0,
		max,
	});
	assert.equal(topOf(counter('percent', 40)), 100);
	assert.equal(topOf(counter('percent', 230)), 300);
	assert.equal(topOf(counter('bytes', 700 * 1024 ** 2)), 800 * 1024 ** 2);
	assert.equal(topOf(counter('count', 0)), 1);
	assert.equal(topOf(counter('W', 12)), 15);
});
