// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	ancestor,
	covering,
	Gate,
	levelFor,
	likely,
	TILE,
	TileCache,
	tileSpan,
	topLevel,
	wanted,
	type TileKey,
} from '../src/tiles';

const END = 1e9;
const TOP = topLevel(END);

test('one to two pixels of a tile fall on a pixel of the screen', () => {
	for (const ns of [0.01, 1, 1.5, 2, 3, 700, 1e6]) {
		const size = 2 ** levelFor(ns);
		assert.ok(ns < 1 ? size === 1 : size <= ns && ns < 2 * size, String(ns));
	}
});

test('the top tile shows everything, the level below does not', () => {
	assert.ok(tileSpan(TOP) >= END && tileSpan(TOP - 1) < END);
	assert.equal(topLevel(0), 0);
	assert.equal(topLevel(TILE), 0);
	assert.equal(topLevel(TILE + 1), 1);
});

test('tiles cover the view and no more', () => {
	const [first, last] = covering(10, 3 * tileSpan(10), 5.5 * tileSpan(10), END);
	assert.deepEqual([first, last], [3, 5]);
	assert.deepEqual(covering(10, 0, 2 * END, END), [0, Math.floor(END / tileSpan(10))]);
});

test('an ancestor covers its tile', () => {
	for (let up = 1; up < 9; up++) {
		const above = ancestor({ level: 4, index: 1234 }, up);
		assert.ok(above.index * tileSpan(above.level) <= 1234 * tileSpan(4));
		assert.ok((above.index + 1) * tileSpan(above.level) >= 1235 * tileSpan(4));
	}
});

test('ancestors are wanted first, each once, and the middle of the view before its edges', () => {
	const asked = wanted(4, 8, 15, TOP, () => false);
	assert.deepEqual(asked[0], { level: 7, index: 1 });
	assert.equal(asked.filter(tile => tile.level === 7).length, 1);
	assert.equal(asked.length, 9);
	assert.ok([11, 12].includes(asked[1].index));
	assert.ok([8, 15].includes(asked[asked.length - 1].index));
});

test('no ancestor is wanted where a near one is here, nothing where all is here', () => {
	const near = wanted(4, 8, 9, TOP, tile => tile.level === 6);
	assert.deepEqual(new Set(near.map(tile => tile.level)), new Set([4]));
	assert.deepEqual(
		wanted(4, 8, 9, TOP, () => true),
		[],
	);
	assert.deepEqual(
		wanted(TOP, 0, 0, TOP, () => false),
		[{ level: TOP, index: 0 }],
	);
});

test('neighbours, the level above and the level below are likely next', () => {
	const next = likely(5, 10, 13);
	assert.deepEqual(
		next.map(tile => tile.level),
		[5, 5, 6, 4],
	);
	assert.deepEqual([next[0].index, next[1].index], [14, 9]);
});

/** A server that answers when it is told to. */
function server() {
	const waiting: { tile: TileKey; answer: (value: string) => void; refuse: () => void }[] = [];
	const load = (tile: TileKey): Promise<string> =>
		new Promise((answer, refuse) => waiting.push({ tile, answer, refuse: () => refuse(new Error('no')) }));
	const settle = async (): Promise<void> => {
		for (let i = 0; i < 5; i++) await Promise.resolve();
	};
	return { waiting, load, settle };
}

test('at most so many requests are under way, and none is sent twice', async () => {
	const { waiting, load, settle } = server();
	const cache = new TileCache<string>(load, new Gate(6), () => undefined);
	for (let i = 0; i < 3; i++) cache.pieces(2, 0, 40 * tileSpan(2), END, '0-63');
	assert.equal(waiting.length, 6);
	assert.deepEqual(waiting[0].tile, { level: TOP, index: 0 });
	waiting[0].answer('all');
	await settle();
	cache.pieces(2, 0, 40 * tileSpan(2), END, '0-63');
	assert.equal(waiting.length, 7);
	assert.equal(new Set(waiting.map(one => JSON.stringify(one.tile))).size, 7);
});

test('the picture is never empty once the top tile is here, and exact once all are', async () => {
	const { waiting, load, settle } = server();
	const cache = new TileCache<string>(load, new Gate(6), () => undefined);
	const look = (): readonly string[] =>
		cache.pieces(20, 0, 100e6, END, 'a').map(piece => `${piece.tile}${piece.isExact ? '!' : ''}`);
	assert.deepEqual(look(), []);
	waiting[0].answer('top');
	await settle();
	assert.ok(look().length > 0 && look().every(tile => tile === 'top'));
	for (let i = 1; i < waiting.length; i++) {
		waiting[i].answer(waiting[i].tile.level === 20 ? 'fine' : 'coarse');
		await settle();
		look();
	}
	assert.ok(
		look().every(tile => tile === 'fine!'),
		look().join(),
	);
});

test('what shows all of each group comes before anything finer of one', async () => {
	const asked: string[] = [];
	const cache = new TileCache<string>(
		async ({ level, index }, group) => (asked.push(`${level} ${group}`), `${level}/${index}`),
		new Gate(3),
		() => undefined,
	);
	const groups = ['0-63', '64-127', '128-191', '192-200'];
	for (let frame = 0; frame < 3; frame++) {
		cache.pin(END, groups);
		cache.pieces(2, frame * 1e6, frame * 1e6 + 4000, END, groups[0]);
		await new Promise(done => setTimeout(done));
	}
	assert.deepEqual(
		asked.slice(0, 4),
		groups.map(group => `${TOP} ${group}`),
	);
	for (const group of groups) assert.ok(cache.peek({ level: TOP, index: 0 }, group));
});

test('pieces lie end to end over the view', async () => {
	const { waiting, load, settle } = server();
	const cache = new TileCache<string>(load, new Gate(6), () => undefined);
	cache.pieces(10, 5e6, 9e6, END, 'a');
	waiting[0].answer('top');
	await settle();
	const pieces = cache.pieces(10, 5e6, 9e6, END, 'a');
	assert.ok(pieces[0].from <= 5e6 && pieces[pieces.length - 1].to >= 9e6);
	pieces.slice(1).forEach((piece, i) => assert.equal(piece.from, pieces[i].to));
});

test('the least used go first, the top tile never', async () => {
	const { waiting, load, settle } = server();
	const cache = new TileCache<string>(load, new Gate(1000), () => undefined, 20);
	for (let i = 0; i < 60; i++) {
		cache.pieces(5, i * tileSpan(5), i * tileSpan(5) + 1, END, 'a');
		waiting.splice(0).forEach(one => one.answer(`${one.tile.level}/${one.tile.index}`));
		await settle();
	}
	assert.ok(cache.size <= 26, String(cache.size));
	assert.equal(cache.peek({ level: TOP, index: 0 }, 'a'), `${TOP}/0`);
	assert.equal(cache.peek({ level: 5, index: 0 }, 'a'), null);
	assert.equal(cache.peek({ level: 5, index: 59 }, 'a'), '5/59');
});

test('what was refused is asked for again, but not at once', async () => {
	const { waiting, load, settle } = server();
	const gate = new Gate(6);
	const cache = new TileCache<string>(load, gate, () => undefined);
	cache.ask({ level: 3, index: 1 }, 'a');
	waiting[0].refuse();
	await settle();
	assert.equal(gate.busy, 0);
	cache.ask({ level: 3, index: 1 }, 'a');
	assert.equal(waiting.length, 1);
});

test('what a growing recording may change is forgotten, the rest stays', async () => {
	const { waiting, load, settle } = server();
	const cache = new TileCache<string>(load, new Gate(6), () => undefined);
	for (const index of [0, 1, 2]) cache.ask({ level: 10, index }, 'a');
	waiting.forEach(one => one.answer('x'));
	await settle();
	cache.forgetAfter(1.5 * tileSpan(10));
	assert.equal(cache.peek({ level: 10, index: 0 }, 'a'), 'x');
	assert.equal(cache.peek({ level: 10, index: 1 }, 'a'), null);
	assert.equal(cache.peek({ level: 10, index: 2 }, 'a'), null);
});

test('what a live recording may change is drawn until it has come again', async () => {
	const { waiting, load, settle } = server();
	const cache = new TileCache<string>(load, new Gate(6), () => undefined);
	for (const index of [0, 1]) cache.ask({ level: 10, index }, 'a');
	waiting.splice(0).forEach(one => one.answer('old'));
	await settle();
	cache.refreshAfter(1.5 * tileSpan(10));
	for (const index of [0, 1]) cache.ask({ level: 10, index }, 'a');
	assert.deepEqual(
		waiting.map(one => one.tile.index),
		[1],
	);
	assert.equal(cache.peek({ level: 10, index: 1 }, 'a'), 'old');
	// changed again while it is under way: once more, when it has come
	cache.refreshAfter(0);
	cache.ask({ level: 10, index: 1 }, 'a');
	assert.equal(waiting.length, 1);
	waiting.splice(0).forEach(one => one.answer('new'));
	await settle();
	assert.equal(cache.peek({ level: 10, index: 1 }, 'a'), 'new');
	assert.equal(cache.freshness, 1);
	cache.ask({ level: 10, index: 1 }, 'a');
	assert.equal(waiting.length, 1);
});
