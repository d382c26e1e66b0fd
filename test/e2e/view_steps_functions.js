// SPDX-License-Identifier: Apache-2.0
// A model with functions in the tree of the page of `inftrace view`: programs/functions.c, recorded.
'use strict';
const assert = require('assert/strict');

exports.inferences_lie_below_their_function = async d => {
	await d.until(() => document.querySelectorAll('[role=treeitem]').length > 10);
	const said = await d.page.$$eval('[role=treeitem]', all =>
		all.map(one => `${one.ariaLevel} ${one.ariaLabel.replace(/ \d+, (process|thread)/, ', $1')}`),
	);
	const digits = said.findIndex(line => line.startsWith('2 digits,'));
	assert.deepEqual(said.slice(digits, digits + 12), [
		'2 digits, model, 0 slices',
		'3 session creation, lane, 2 slices',
		'3 decode, function, 0 slices',
		'4 inferences, lane, 10 slices',
		'4 inferences 2, lane, 10 slices',
		'3 encode, function, 0 slices',
		'4 inferences, lane, 10 slices',
		'4 inferences 2, lane, 10 slices',
		'2 plain, model, 0 slices',
		'3 inferences, lane, 10 slices',
		'3 inferences 2, lane, 10 slices',
		said[digits + 11],
	]);
	assert.match(said[digits + 11], /^2 functions, thread/);
};

exports.a_function_can_be_collapsed_and_hidden = async d => {
	const lines = () => d.page.$$eval('[role=treeitem]', all => all.length);
	const all = await lines();
	await d.page.focus('[role=treeitem][aria-label^="decode"]');
	await d.press('ArrowLeft');
	await d.until(n => document.querySelectorAll('[role=treeitem]').length === n, all - 2);
	await d.press('ArrowRight');
	await d.until(n => document.querySelectorAll('[role=treeitem]').length === n, all);
	await d.press('h');
	await d.until(n => document.querySelectorAll('[role=treeitem]').length === n, all - 3);
	await d.rest();
};
