// SPDX-License-Identifier: Apache-2.0
// Files for the reader: what a table or the timeline shows.
import type { Cell, Column } from './api';

export function csvCell(value: Cell): string {
	if (value === null) return '';
	if (typeof value !== 'string') return String(value);
	// a spreadsheet must not take a name for a formula
	const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function toCsv(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
	const head = columns.map(column =>
		csvCell(
			column.unit
				? `${column.name}_${column.unit.replace('%', 'percent')}`.replace(/_ns_ns$/, '_ns')
				: column.name,
		),
	);
	return [head.join(','), ...rows.map(row => row.map(csvCell).join(','))].join('\r\n') + '\r\n';
}

export function toJson(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
	return `${JSON.stringify(
		rows.map(row => Object.fromEntries(columns.map((column, i) => [column.name, row[i]]))),
		null,
		'\t',
	)}\n`;
}
