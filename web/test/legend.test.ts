// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../src/api';

Object.assign(globalThis, { document: { cookie: '' } });
const { sharesOf } = await import('../src/legend');

test('a kind of work has its part of the time of all operators', () => {
	const type = (op_type: string, self_ns: number | null) => ({ op_type, provider: null, calls: 1, self_ns });
	const models = [
		{ name: 'a', operators: { types: [type('Conv', 60), type('MatMul', 10), type('Relu', 0)] } },
		{ name: 'b', operators: { types: [type('FusedConv', 20), type('Gemm', 10), type('Add', null)] } },
		{ name: 'c', operators: null },
	];
	const shares = sharesOf({ verdict: '', models } satisfies Report);
	assert.deepEqual([...shares].sort(), [
		['Convolution', 0.8],
		['Matrix product', 0.2],
	]);
	assert.equal(sharesOf(null).size, 0);
});
