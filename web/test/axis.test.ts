// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { around, centred, clamp, niceStep, pan, shows, SHORTEST, span, ticks, zoom } from '../src/axis';

const END = 10e9;

test('a view never leaves the recording', () => {
	assert.deepEqual(clamp({ begin: -5, end: 5 }, END), { begin: 0, end: 10 + 40 });
	assert.deepEqual(clamp({ begin: 0, end: 3 * END }, END), { begin: 0, end: END });
	assert.deepEqual(clamp({ begin: END, end: END + 1000 }, END), { begin: END - 1000, end: END });
	assert.deepEqual(clamp({ begin: 0, end: 7 }, 7), { begin: 0, end: 7 });
});

test('zooming keeps the time under the pointer', () => {
	const view = { begin: 2e9, end: 4e9 };
	const closer = zoom(view, 2.5e9, 0.5, END);
	assert.equal(span(closer), 1e9);
	assert.equal((2.5e9 - closer.begin) / span(closer), 0.25);
	let deep = view;
	for (let i = 0; i < 200; i++) deep = zoom(deep, 3e9, 0.5, END);
	assert.equal(span(deep), SHORTEST);
	assert.ok(deep.begin <= 3e9 && deep.end >= 3e9);
	for (let i = 0; i < 200; i++) deep = zoom(deep, 3e9, 2, END);
	assert.deepEqual(deep, { begin: 0, end: END });
});

test('zooming in and out again comes back', () => {
	const view = { begin: 4e9, end: 5e9 };
	const back = zoom(zoom(view, 4.2e9, 0.37, END), 4.2e9, 1 / 0.37, END);
	assert.ok(Math.abs(back.begin - view.begin) < 1e-3 && Math.abs(back.end - view.end) < 1e-3);
});

test('panning keeps the length, also at the ends', () => {
	assert.deepEqual(pan({ begin: 1e9, end: 2e9 }, 0.5, END), { begin: 1.5e9, end: 2.5e9 });
	assert.deepEqual(pan({ begin: 1e9, end: 2e9 }, -9, END), { begin: 0, end: 1e9 });
	assert.deepEqual(pan({ begin: 1e9, end: 2e9 }, 99, END), { begin: 9e9, end: 10e9 });
});

test('a slice is brought into the middle, or fitted where it is longer than the view', () => {
	const view = { begin: 0, end: 1e9 };
	assert.deepEqual(centred(view, 5e9, 5.2e9, END), { begin: 4.6e9, end: 5.6e9 });
	const wide = centred(view, 2e9, 6e9, END);
	assert.ok(wide.begin < 2e9 && wide.end > 6e9);
	assert.deepEqual(around(2e9, 3e9, END, 0.5), { begin: 1.5e9, end: 3.5e9 });
	assert.ok(shows(view, 0.2e9, 0.4e9));
	assert.ok(!shows(view, 0.2e9, 0.2e9 + 10));
	assert.ok(!shows(view, 0.9e9, 1.1e9));
});

test('ticks are round, far enough apart and inside', () => {
	assert.equal(niceStep(1), 1);
	assert.equal(niceStep(1.1), 2);
	assert.equal(niceStep(3), 5);
	assert.equal(niceStep(5.01e6), 1e7);
	for (const [begin, end] of [
		[0, END],
		[1.5e9, 1.6e9],
		[9_999_999_000, END],
		[123_456_789, 123_456_889],
	]) {
		const marks = ticks({ begin, end }, 1000, 90);
		assert.ok(marks.at.length >= 2 && marks.at.length <= 12, String(marks.at.length));
		assert.ok(marks.at.every(at => at >= begin && at <= end && at % marks.step === 0));
		assert.ok((marks.step / (end - begin)) * 1000 >= 89);
		assert.ok(marks.anchor <= begin);
	}
});

test('labels count from a round time where they would be long', () => {
	assert.equal(ticks({ begin: 0, end: END }, 1000).anchor, 0);
	const deep = ticks({ begin: 5_000_000_100, end: 5_000_000_300 }, 1000);
	assert.ok(deep.anchor > 4_999_999_000 && deep.anchor <= 5_000_000_100);
});
