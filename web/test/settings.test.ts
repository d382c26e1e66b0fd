// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

// what a page has that brings no host of its own
Object.assign(globalThis, { document: { cookie: '' } });
const { settingsOf, textOf, USUAL } = await import('../src/settings');

test('what was chosen comes back, and nothing else is written', () => {
	const own = {
		...USUAL,
		theme: 'dark' as const,
		tall: 55,
		columns: { inferences: ['begin', 'why'] },
	};
	assert.deepEqual(settingsOf(textOf(own)), own);
	assert.equal(textOf(USUAL), '{}');
	assert.deepEqual(settingsOf('{}'), USUAL);
});

test('what makes no sense is left out', () => {
	for (const text of ['', '{', '[]', '7', 'null', '{"theme":"pink","tall":7,"wide":"40","columns":[1]}'])
		assert.deepEqual(settingsOf(text), USUAL);
	assert.deepEqual(settingsOf('{"columns":{"a b":["x"],"rows":["<b>"],"none":[],"inferences":["id"]}}').columns, {
		inferences: ['id'],
	});
});

test('columns go where there is no room for all', () => {
	const columns = Object.fromEntries(
		Array.from({ length: 40 }, (_, i) => [
			`table_${i}`,
			Array.from({ length: 9 }, (_, k) => `column_${k}`),
		]),
	);
	const text = textOf({ ...USUAL, wheel: 'scroll', columns });
	assert.deepEqual(settingsOf(text), { ...USUAL, wheel: 'scroll' });
});
