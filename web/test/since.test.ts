// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report, ReportOperator, Spread, Table } from '../src/api';
import { sinceBeginning } from '../src/since';

const spread = (count: number, mean_ns: number): Spread => ({
	count,
	total_ns: count * mean_ns,
	mean_ns,
	min_ns: mean_ns - 1,
	p50_ns: mean_ns,
	p90_ns: mean_ns,
	p99_ns: mean_ns,
	max_ns: mean_ns + 1,
});

const operator = (name: string, op_type: string, calls: number, self_ns: number): ReportOperator => ({
	name,
	op_type,
	provider: 'CPUExecutionProvider',
	calls,
	self_ns,
	duration: spread(calls, self_ns / calls),
});

const REPORT: Report = {
	verdict: null,
	models: [
		{
			name: 'det',
			pid: 7,
			creation: { sessions: 2, duration: spread(2, 100) },
			inferences: {
				count: 11,
				failed: 1,
				not_ended: 0,
				per_second: 5,
				wall_ns: 1100,
				latency: spread(9, 100),
				sizes: [
					{
						elements: 64,
						shapes: '64',
						count: 6,
						wall_ns: 300,
						p50_ns: 50,
						p90_ns: 50,
						p99_ns: 50,
					},
					{
						elements: 640,
						shapes: '640',
						count: 2,
						wall_ns: 900,
						p50_ns: 450,
						p90_ns: 450,
						p99_ns: 450,
					},
				],
			},
			operators: {
				nodes: [operator('a', 'Conv', 10, 300), operator('b', 'Relu', 10, 100)],
				types: [operator('', 'Conv', 10, 300), operator('', 'Relu', 10, 100)],
			},
		},
		{
			name: 'rec',
			pid: 7,
			creation: null,
			inferences: { count: 0, wall_ns: 0, latency: null },
			operators: null,
		},
	],
};
const NUMBERS = { names: ['', 'b', 'x', 'a'], classes: ['Relu', 'Conv'] };
const ALL = { model: '', filter: '', sort: '' };

function rowsOf(table: Table | null): Record<string, unknown>[] {
	assert.ok(table);
	return table.rows.map(row => Object.fromEntries(table.columns.map(({ name }, i) => [name, row[i]])));
}

test('models have the sums of the report, and null where it has none', () => {
	const [det, rec] = rowsOf(sinceBeginning(REPORT, 'models', ALL, NUMBERS));
	assert.deepEqual(
		[det.model, det.inferences, det.failed, det.total_ns, det.measured, det.creation_ns],
		['det', 11, 1, 1100, 9, 200],
	);
	assert.deepEqual([rec.model, rec.inferences, rec.p50_ns, rec.sessions], ['rec', 0, null, null]);
});

test('sizes have their share of the inferences and of the time', () => {
	const rows = rowsOf(sinceBeginning(REPORT, 'sizes', ALL, NUMBERS));
	assert.deepEqual(
		rows.map(row => [row.model, row.elements, row.share, row.time_share, row.p50_ns]),
		[
			['det', 640, 25, 75, 450],
			['det', 64, 75, 25, 50],
		],
	);
});

test('operators lead to their slices, and shares are of all that are listed', () => {
	const rows = rowsOf(sinceBeginning(REPORT, 'operators', ALL, NUMBERS));
	assert.deepEqual(
		rows.map(row => [row.name, row.calls, row.share, row.class, row.name_number]),
		[
			['a', 10, 75, 1, 3],
			['b', 10, 25, 0, 1],
		],
	);
});

test('rows are filtered and sorted as those of the server are', () => {
	const names = (shown: Partial<typeof ALL>): unknown[] =>
		rowsOf(sinceBeginning(REPORT, 'operators', { ...ALL, ...shown }, NUMBERS)).map(row => row.name);
	assert.deepEqual(names({ sort: 'self_ns.asc' }), ['b', 'a']);
	assert.deepEqual(names({ sort: 'name.desc' }), ['b', 'a']);
	assert.deepEqual(names({ filter: 'RELU' }), ['b']);
	assert.deepEqual(names({ model: 'rec' }), []);
});

test('types have no columns of nodes, and other tables are asked for', () => {
	const types = sinceBeginning(REPORT, 'operator_types', ALL, NUMBERS);
	assert.ok(types?.columns.every(({ name }) => name !== 'name' && name !== 'provider'));
	assert.equal(types?.total, 2);
	assert.equal(sinceBeginning(REPORT, 'inferences', ALL, NUMBERS), null);
});
