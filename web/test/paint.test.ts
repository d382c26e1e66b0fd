// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNamedIn } from '../src/paint_slices';

test('a slice is named once, however many parts of the screen show its tile', () => {
	// a coarse tile that stands in for four fine ones, and the view from 150 on
	const parts = [100, 200, 300, 400].map(from => ({ from, to: from + 100 }));
	for (const begin of [0, 100, 150, 199, 200, 350, 499])
		assert.equal(parts.filter(part => isNamedIn(part, begin, 150)).length, 1, String(begin));
});
