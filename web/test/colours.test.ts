// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { colourOf, DARK, familyOf, FILLS, LIGHT, paleTable, resourceColour, table, type Rgb } from '../src/colours';

const OPERATORS = (
	'Conv FusedConv ConvTranspose MatMul Gemm FusedMatMul LSTM Attention MultiHeadAttention Relu Sigmoid Softmax Gelu Add Mul Div ' +
	'LayerNormalization BatchNormalization MaxPool ReduceMean TopK Reshape Transpose Concat Gather Cast ReorderInput QuantizeLinear ' +
	'DequantizeLinear QLinearConv MatMulInteger If Loop Unheard'
).split(' ');
const KINDS = [
	'inference',
	'session',
	'specialize',
	'load',
	'setup',
	'phase',
	'kernel',
	'stage',
	'user',
	'provider_ready',
	'note',
];

const linear = (x: number): number => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]: Rgb): number => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const hex = (text: string): Rgb => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16)) as unknown as Rgb;

function contrast(a: Rgb, b: Rgb): number {
	const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
	return (high + 0.05) / (low + 0.05);
}

/** As an eye without one kind of cones sees it (Viénot, Brettel, Mollon 1999), on linear light. */
function seenBy(kind: 'red-blind' | 'green-blind', [r, g, b]: Rgb): readonly [number, number, number] {
	const [lr, lg, lb] = [linear(r), linear(g), linear(b)];
	const yellow = kind === 'red-blind' ? 0.11238 * lr + 0.88762 * lg : 0.29275 * lr + 0.70725 * lg;
	const blue = kind === 'red-blind' ? 0.00401 * lr - 0.00401 * lg + lb : -0.02234 * lr + 0.02234 * lg + lb;
	return [yellow, yellow, blue];
}

function oklab([r, g, b]: readonly [number, number, number]): readonly [number, number, number] {
	const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
	const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
	const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
	return [
		0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
		1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
		0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
	];
}

const apart = (a: readonly number[], b: readonly number[]): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

test('text is legible on every colour, light and dark', () => {
	for (const theme of [LIGHT, DARK])
		for (const [name, kind] of [
			...OPERATORS.map(name => [name, 'operator']),
			...KINDS.map(kind => [kind, kind]),
		]) {
			const ratio = contrast(colourOf(name, kind, theme.isDark), hex(theme.ink));
			assert.ok(ratio >= 4.5, `${name} ${theme.isDark ? 'dark' : 'light'}: ${ratio.toFixed(2)}`);
		}
});

test('every colour stands out from the ground', () => {
	for (const theme of [LIGHT, DARK])
		for (const name of OPERATORS)
			assert.ok(
				apart(
					oklab(theme.ground.map(linear) as never),
					oklab(colourOf(name, 'operator', theme.isDark).map(linear) as never),
				) > 0.08,
				name,
			);
});

test('what stands beside each other is told apart by most colour-blind eyes', () => {
	const pairs = [
		['Conv', 'MatMul'],
		['Conv', 'Relu'],
		['Conv', 'Reshape'],
		['Conv', 'LayerNormalization'],
		['MatMul', 'Softmax'],
		['MatMul', 'LayerNormalization'],
		['MatMul', 'Reshape'],
		['QuantizeLinear', 'Conv'],
		['QuantizeLinear', 'Relu'],
		['MaxPool', 'Conv'],
	];
	for (const isDark of [false, true])
		for (const eye of ['red-blind', 'green-blind'] as const)
			for (const [a, b] of pairs) {
				const difference = apart(
					oklab(seenBy(eye, colourOf(a, 'operator', isDark))),
					oklab(seenBy(eye, colourOf(b, 'operator', isDark))),
				);
				assert.ok(
					difference > 0.045,
					`${a} and ${b}, ${eye}, ${isDark ? 'dark' : 'light'}: ${difference.toFixed(3)}`,
				);
			}
});

test('operators belong to what they do', () => {
	// of every runtime; the HTML report is tested with the same
	const data = readFileSync(new URL('../test/families.csv', import.meta.url), 'utf8');
	for (const line of data.trim().split('\n')) {
		const [family, types] = line.split(',');
		for (const type of types.split(' '))
			assert.equal(familyOf(type, 'operator').toLowerCase(), family.replace(';', ','), type);
	}
	assert.equal(familyOf('inference', 'inference'), 'Inference');
	assert.equal(familyOf('what is this', 'operator'), 'Other');
});

test('a class has one colour everywhere, and the fill only pales it', () => {
	const one = table(['Conv', 'Relu'], ['operator', 'operator'], LIGHT);
	const other = table(['Relu', 'x', 'Conv'], ['operator', 'operator', 'operator'], LIGHT);
	assert.equal(one[FILLS - 1], other[2 * FILLS + FILLS - 1]);
	const steps = [...one.slice(0, FILLS)];
	assert.equal(new Set(steps).size, FILLS);
	assert.equal(paleTable(one, LIGHT).length, one.length);
	assert.notEqual(resourceColour('cpu', LIGHT), resourceColour('memory', LIGHT));
});
