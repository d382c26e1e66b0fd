// SPDX-License-Identifier: Apache-2.0
// Figures as people read them. Times are nanoseconds. Missing is a dash, never 0.

const MISSING = '–';

const UNITS: readonly (readonly [number, string])[] = [
	[1e9, 's'],
	[1e6, 'ms'],
	[1e3, 'µs'],
	[1, 'ns'],
];

/** `value` with at most `digits` significant digits, and no fewer than its whole part has. */
export function significant(value: number, digits = 3): string {
	if (!Number.isFinite(value)) return MISSING;
	const rounded = Number(value.toPrecision(digits)); // 0.9996 is 1.00
	const whole = rounded === 0 ? 1 : Math.floor(Math.log10(Math.abs(rounded))) + 1;
	return value.toFixed(Math.max(0, Math.min(6, digits - whole)));
}

/** A whole number with commas between thousands, as sentences of the report have it. */
export function count(value: number | null | undefined): string {
	if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
	return Math.round(value)
		.toString()
		.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A duration: 12.3 ms. */
export function duration(ns: number | null | undefined, digits = 3): string {
	if (ns === null || ns === undefined || !Number.isFinite(ns)) return MISSING;
	const size = Math.abs(ns);
	const unit = UNITS.find(([factor]) => size >= factor * 0.9995) ?? UNITS[3];
	if (unit[0] === 1) return `${Math.round(ns)} ns`;
	return `${significant(ns / unit[0], digits)} ${unit[1]}`;
}

/** A duration to the nanosecond: 12.345 678 ms. */
export function exact(ns: number): string {
	const unit = UNITS.find(([factor]) => Math.abs(ns) >= factor) ?? UNITS[3];
	const [whole, part = ''] = (ns / unit[0]).toFixed(Math.log10(unit[0])).split('.');
	const groups = part.replace(/(000)+$/, '').replace(/(\d{3})(?=\d)/g, '$1\u202f');
	return `${count(Number(whole)) === '0' && ns < 0 ? '-0' : count(Number(whole))}${groups ? `.${groups}` : ''} ${unit[1]}`;
}

/**
 * A point in time on an axis whose ticks are `step` apart: just as many digits as tell two ticks apart, in the unit of
 * `largest`, so that all of an axis or a column have one unit.
 */
export function timeAt(ns: number, step: number, largest = ns): string {
	const size = Math.max(Math.abs(largest), step);
	const unit = UNITS.find(([factor]) => size >= factor) ?? UNITS[3];
	const places = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit[0] / step) - 1e-9)));
	const [whole, part] = (ns / unit[0]).toFixed(places).split('.');
	return `${whole}${part ? `.${part.replace(/(\d{3})(?=\d)/g, '$1\u202f')}` : ''} ${unit[1]}`;
}

/** Bytes in powers of 1024: 787 MiB. */
export function bytes(value: number): string {
	const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
	let i = 0;
	for (; Math.abs(value) >= 1023.5 && i < names.length - 1; i++) value /= 1024;
	return `${i === 0 ? Math.round(value) : significant(value)} ${names[i]}`;
}

/** A figure of a resource or of a table, in its unit. */
export function inUnit(value: number | null | undefined, unit: string): string {
	if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
	if (unit === 'ns') return duration(value);
	if (unit === 'bytes') return bytes(value);
	if (unit === 'bytes/s') return `${bytes(value)}/s`;
	if (unit === '%' || unit === 'percent') return `${significant(value)} %`;
	if (unit === 'share') return `${significant(value * 100)} %`;
	if (unit === '' || unit === 'count') return Number.isInteger(value) ? count(value) : significant(value);
	if (unit.startsWith('count/'))
		return `${Math.abs(value) >= 1e4 ? count(value) : significant(value)} ${unit.slice(5)}`;
	return `${Math.abs(value) >= 1e4 ? count(value) : significant(value)} ${unit}`;
}

/** What people type into "go to a time": `1.5s`, `250 ms`, `12us`, or seconds. NaN where it is no time. */
export function parseTime(text: string): number {
	const match = /^\s*(\d+(?:[.,]\d+)?)\s*(s|ms|us|µs|ns|m|min)?\s*$/i.exec(text.replace(/[\u202f ](?=\d)/g, ''));
	if (!match) return NaN;
	const factor = { s: 1e9, ms: 1e6, us: 1e3, µs: 1e3, ns: 1, m: 60e9, min: 60e9 }[
		(match[2] ?? 's').toLowerCase()
	];
	return Number(match[1].replace(',', '.')) * (factor ?? NaN);
}

/** A command line without the folders of its words. */
export const commandName = (command: string): string => oneLine(command.replace(/(^|\s)\/\S*\/(?=\S)/g, '$1'));

/** The last part of a path. */
export const baseName = (path: string): string => oneLine(path.slice(path.lastIndexOf('/') + 1) || path);

/** One line of text: control characters are shown as their pictures, so that a name cannot break a line. */
export function oneLine(text: string): string {
	return text
		.replace(/[\u0000-\u001f]/g, c => String.fromCharCode(0x2400 + c.charCodeAt(0)))
		.replace(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** A sentence of the report, with the units of this page. */
export const words = (text: string): string => oneLine(text).replace(/(\d) us\b/g, '$1 µs');

/** "gpu nvidia0" and "memory used" of the counter "gpu nvidia0 memory used"; '' and the name of one of no device. */
export function deviceAndName(counter: string): readonly [string, string] {
	const [, device = '', name = counter] = /^([gn]pu \S+) (.+)$/.exec(counter) ?? [];
	return [device, name];
}

/** With a capital letter. Names keep theirs: a word with a digit, a dot or an underscore is one. */
export function sentence(text: string): string {
	return /^[a-z]+[ ,:]/.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
}
