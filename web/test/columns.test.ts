// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from '../src/api';
import { columnsOf, fittingColumns, hasTwoLines, MARGINS, tellingColumns, widthOf } from '../src/columns';

const column = (name: string, type: Column['type'] = 'number'): Column => ({ name, title: name, unit: null, type });
const COLUMNS = [column('begin', 'time'), column('duration'), column('model', 'text'), column('id'), column('row')];
const WHY = { column: column('why', 'text'), after: 'model', of: () => '' };
const names = (shown: readonly { readonly column: Column }[]): string[] => shown.map(one => one.column.name);

test('a reader may choose from all but those for the page', () => {
	assert.deepEqual(names(columnsOf(COLUMNS, WHY)), ['begin', 'duration', 'model', 'why', 'id']);
});

test('what is empty, or everywhere the same, is not shown by itself', () => {
	const rows = [1, 2, 3].map(n => [n, n, 'one', n === 2 ? null : n, 0]);
	const all = columnsOf(COLUMNS, WHY);
	assert.deepEqual(names(tellingColumns(all, rows)), ['begin', 'duration', 'why', 'id']);
	assert.deepEqual(
		names(
			tellingColumns(
				all,
				rows.map(row => row.with(3, null)),
			),
		),
		['begin', 'duration', 'why'],
	);
});

test('columns have room, and the reason has most of it', () => {
	const all = columnsOf(COLUMNS, WHY);
	for (const room of [300, 500, 700, 1100, 2000]) {
		const shown = fittingColumns(all, room, 90);
		const width = shown.reduce((sum, one, i) => sum + widthOf(one.column, i, 90, room)[0], MARGINS);
		assert.ok(width <= room || shown.length === 2, `${room}: ${names(shown)}`);
	}
	assert.deepEqual(names(fittingColumns(all, 1100, 90)), names(all));
	assert.ok(names(fittingColumns(all, 900, 90)).includes('why'));
	assert.equal(hasTwoLines(90, 560), true);
	assert.equal(hasTwoLines(60, 560), false);
});
