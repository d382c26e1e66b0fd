// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHash, MOST_NOTES, START, toHash, type Place } from '../src/place';

test('the start has no address, and none is the start', () => {
	assert.equal(toHash(START), '');
	assert.deepEqual(fromHash(''), START);
	assert.deepEqual(fromHash('#'), START);
});

test('an address brings everything back', () => {
	const place: Place = {
		of: 2,
		view: [1_000_000_123, 2_000_000_456],
		selection: { row: 3, index: 99 },
		range: [5, 7000],
		measure: [20, 9000],
		latency: [1000, 200000],
		tab: 'operators',
		sub: 'operator_types',
		resources: [1, 4],
		collapsed: [],
		hidden: [7],
		model: 'a & b #1=2.onnx',
		query: '<script>alert("x")</script>\u0007 ü',
		filter: '100%',
		sort: 'p50_ns.desc',
		answer: false,
		notes: [
			{ time: 0, text: '' },
			{ time: 12_345, text: 'a <b>note</b> & #1, 100 % ü' },
		],
		sql: 'SELECT 1\nFROM "a b" -- = & #',
		tall: 45,
	};
	assert.deepEqual(fromHash(toHash(place)), place);
	assert.match(toHash(place), /^#[\x21-\x7e]*$/);
	assert.doesNotMatch(toHash(place), /[<>"]/);
});

test('short views keep parts of nanoseconds', () => {
	const place = { ...START, view: [10.25, 60.75] as const };
	assert.deepEqual(fromHash(toHash(place)).view, [10.25, 60.75]);
});

test('what makes no sense in an address is left out', () => {
	for (const hash of [
		'#t=5',
		'#t=9-3',
		'#t=x-y',
		'#t=-5-7',
		'#s=1',
		'#s=a.b',
		'#tab=nothing',
		'#o=x',
		'#q=%ZZ',
		'#&&=&x',
		'#t',
		'#sub=../x',
		'#y=7',
		'#y=99',
	])
		assert.deepEqual(fromHash(hash), START, hash);
	assert.deepEqual(fromHash('#h=1.x.3').hidden, [1, 3]);
	assert.deepEqual(fromHash(`#n=${encodeURIComponent('x\n5 five\n-1 no\n')}`).notes, [{ time: 5, text: 'five' }]);
	const many = Array.from({ length: 500 }, (_, i) => `${500 - i} x`).join('\n');
	assert.equal(fromHash(`#n=${encodeURIComponent(many)}`).notes.length, MOST_NOTES);
	// in order, and one at a time
	assert.deepEqual(
		fromHash(`#n=${encodeURIComponent('9 b\n5 a\n9 c')}`).notes.map(note => note.text),
		['a', 'b'],
	);
});
