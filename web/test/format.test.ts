// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	bytes,
	count,
	deviceAndName,
	duration,
	exact,
	inUnit,
	oneLine,
	parseTime,
	significant,
	timeAt,
} from '../src/format';
import { csvCell, toCsv, toJson } from '../src/save';

test('durations have three digits and the unit that fits', () => {
	assert.deepEqual(
		[0, 1, 999, 1000, 12345, 999_499, 1e6, 15.25e6, 999.6e6, 1e9, 83.2e9, -1500].map(ns => duration(ns)),
		[
			'0 ns',
			'1 ns',
			'999 ns',
			'1.00 µs',
			'12.3 µs',
			'999 µs',
			'1.00 ms',
			'15.3 ms',
			'1.00 s',
			'1.00 s',
			'83.2 s',
			'-1.50 µs',
		],
	);
	assert.deepEqual(
		[null, undefined, NaN].map(ns => duration(ns)),
		['–', '–', '–'],
	);
});

test('exact figures lose no nanosecond', () => {
	assert.equal(exact(12_345_678), '12.345\u202f678 ms');
	assert.equal(exact(5_000_000_000), '5 s');
	assert.equal(exact(1_234_567_890_123), '1,234.567\u202f890\u202f123 s');
	assert.equal(exact(7), '7 ns');
	assert.equal(exact(0), '0 ns');
});

test('times on an axis have the digits that tell two ticks apart, and one unit', () => {
	assert.equal(timeAt(1.5e9, 0.5e9), '1.5 s');
	assert.equal(timeAt(3e9, 1e9), '3 s');
	assert.equal(timeAt(1_234_567_000, 1000), '1.234\u202f567 s');
	assert.equal(timeAt(0, 0.5e9, 4e9), '0.0 s');
	assert.equal(timeAt(500, 100), '500 ns');
});

test('figures have their units', () => {
	assert.equal(bytes(0), '0 B');
	assert.equal(bytes(1023), '1023 B');
	assert.equal(bytes(1024 * 1023.9), '1.00 MiB');
	assert.equal(inUnit(825e6, 'bytes'), '787 MiB');
	assert.equal(inUnit(0.4568, 'share'), '45.7 %');
	assert.equal(inUnit(1234567, ''), '1,234,567');
	assert.equal(inUnit(null, 'ns'), '–');
	assert.equal(inUnit(2e6, 'ns'), '2.00 ms');
	assert.equal(inUnit(12.5, 'W'), '12.5 W');
	assert.equal(count(1e6), '1,000,000');
	assert.equal(significant(0.000123), '0.000123');
});

test('times that people type are understood, others are not', () => {
	assert.equal(parseTime('1.5s'), 1.5e9);
	assert.equal(parseTime(' 250 ms '), 250e6);
	assert.equal(parseTime('12us'), 12e3);
	assert.equal(parseTime('3,5'), 3.5e9);
	assert.equal(parseTime('2 min'), 120e9);
	for (const text of ['', 'x', '-1 s', '1.2.3', '5 parsec']) assert.ok(Number.isNaN(parseTime(text)), text);
});

test('a name stays on one line and cannot turn the text around', () => {
	assert.equal(oneLine('a\nb\u001b[31m'), 'a\u240ab\u241b[31m');
	assert.equal(oneLine('safe\u202egnp.exe'), 'safe\ufffdgnp.exe');
	assert.equal(oneLine('<b>ü</b>'), '<b>ü</b>');
});

test('tables are saved as spreadsheets and programs read them', () => {
	const columns = [
		{ name: 'name', title: 'Name', unit: null, type: 'text' as const },
		{ name: 'total_ns', title: 'Total', unit: 'ns', type: 'number' as const },
	];
	const rows = [
		['a "b", c\n', 5],
		['=cmd()', null],
	];
	assert.equal(toCsv(columns, rows), 'name,total_ns\r\n"a ""b"", c\n",5\r\n\'=cmd(),\r\n');
	assert.deepEqual(JSON.parse(toJson(columns, rows)), [
		{ name: 'a "b", c\n', total_ns: 5 },
		{ name: '=cmd()', total_ns: null },
	]);
	assert.equal(csvCell(-5), '-5');
});

test('a counter of a device is told from its device', () => {
	assert.deepEqual(deviceAndName('gpu nvidia0 memory used'), ['gpu nvidia0', 'memory used']);
	assert.deepEqual(deviceAndName('npu accel0 busy'), ['npu accel0', 'busy']);
	for (const name of ['cpu', 'rss', 'gpu', 'gpu nvidia0', 'my gpu nvidia0 busy'])
		assert.deepEqual(deviceAndName(name), ['', name]);
});
