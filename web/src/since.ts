// SPDX-License-Identifier: Apache-2.0
// Tables of everything since the beginning, from the report: a live page keeps the newest part of the detail alone, and
// sums of what is kept would be too small. Asks nothing of the server.
import type { Cell, Column, Report, ReportModel, ReportOperator, ReportSize, Table } from './api';

interface Made {
	readonly column: Column;
	readonly values: readonly Cell[];
}

export interface Shown {
	/** This model alone; '': all. */
	readonly model: string;
	/** Rows with this text alone; '': all. */
	readonly filter: string;
	/** "column.asc" or "column.desc"; '': by time. */
	readonly sort: string;
}

/** What slices are called by number, for rows that lead to one. */
export interface Numbers {
	readonly names: readonly string[];
	readonly classes: readonly string[];
}

const text = (name: string, title: string): Column => ({ name, title, unit: '', type: 'text' });
const number = (name: string, title: string, unit = ''): Column => ({ name, title, unit, type: 'number' });

function made<T>(rows: readonly T[], columns: readonly (readonly [Column, (row: T) => Cell | undefined])[]): Made[] {
	return columns.map(([column, of]) => ({ column, values: rows.map(row => of(row) ?? null) }));
}

function modelsOf(models: readonly ReportModel[]): Made[] {
	return made(models, [
		[text('model', 'Model'), model => model.name],
		[text('program', 'Program'), model => model.program],
		[number('processes', 'Processes'), model => model.processes ?? 1],
		[number('pid', 'Process'), model => ((model.processes ?? 1) > 1 ? null : model.pid)],
		[number('sessions', 'Sessions'), model => model.creation?.sessions],
		[number('creation_ns', 'Creation', 'ns'), model => model.creation?.duration?.total_ns],
		[number('inferences', 'Inferences'), model => model.inferences?.count],
		[number('failed', 'Failed'), model => model.inferences?.failed],
		[number('cut', 'Cut off'), model => model.inferences?.not_ended],
		[number('rate', 'Inferences a second'), model => model.inferences?.per_second],
		[number('total_ns', 'Time', 'ns'), model => model.inferences?.wall_ns],
		[number('mean_ns', 'Mean', 'ns'), model => model.inferences?.latency?.mean_ns],
		[number('p50_ns', 'Median', 'ns'), model => model.inferences?.latency?.p50_ns],
		[number('p90_ns', 'p90', 'ns'), model => model.inferences?.latency?.p90_ns],
		[number('p99_ns', 'p99', 'ns'), model => model.inferences?.latency?.p99_ns],
		[number('max_ns', 'Slowest', 'ns'), model => model.inferences?.latency?.max_ns],
		[number('measured', 'Measured'), model => model.inferences?.latency?.count],
	]);
}

type SizeOfModel = readonly [ReportModel, ReportSize];

function sizesOf(rows: readonly SizeOfModel[]): Made[] {
	const share = (of: 'count' | 'wall_ns', [model, size]: SizeOfModel): number | null => {
		const all = (model.inferences?.sizes ?? []).reduce((sum, one) => sum + one[of], 0);
		return all > 0 ? (size[of] / all) * 100 : null;
	};
	return made(rows, [
		[text('model', 'Model'), ([model]) => model.name],
		[number('elements', 'Input elements'), ([, size]) => size.elements],
		[text('shapes', 'Shapes of one'), ([, size]) => size.shapes],
		[number('inferences', 'Inferences'), ([, size]) => size.count],
		[number('share', 'Share', 'percent'), row => share('count', row)],
		[number('total_ns', 'Time', 'ns'), ([, size]) => size.wall_ns],
		[number('time_share', 'Share of time', 'percent'), row => share('wall_ns', row)],
		[number('p50_ns', 'Median', 'ns'), ([, size]) => size.p50_ns],
		[number('p90_ns', 'p90', 'ns'), ([, size]) => size.p90_ns],
		[number('p99_ns', 'p99', 'ns'), ([, size]) => size.p99_ns],
	]);
}

type OfModel = readonly [ReportModel, ReportOperator];

function operatorsOf(rows: readonly OfModel[], byNode: boolean, numbers: Numbers): Made[] {
	const all = rows.reduce((sum, [, one]) => sum + (one.self_ns ?? 0), 0);
	const wanted = new Set(rows.map(([, one]) => one.name));
	const numberOf = new Map<string, number>();
	numbers.names.forEach((name, i) => {
		if (wanted.has(name)) numberOf.set(name, i);
	});
	const columns = made(rows, [
		[text('name', 'Operator'), ([, one]) => one.name],
		[text('op_type', 'Type'), ([, one]) => one.op_type],
		[text('model', 'Model'), ([model]) => model.name],
		[text('provider', 'Provider'), ([, one]) => one.provider],
		[number('calls', 'Calls'), ([, one]) => one.calls],
		[number('self_ns', 'Time', 'ns'), ([, one]) => one.self_ns],
		[number('share', 'Share', 'percent'), ([, one]) => (all > 0 ? ((one.self_ns ?? 0) / all) * 100 : null)],
		[number('mean_ns', 'Mean', 'ns'), ([, one]) => one.duration?.mean_ns],
		[number('min_ns', 'Shortest', 'ns'), ([, one]) => one.duration?.min_ns],
		[number('max_ns', 'Longest', 'ns'), ([, one]) => one.duration?.max_ns],
		[number('class', 'Class'), ([, one]) => numbers.classes.indexOf(one.op_type ?? '')],
		[number('name_number', 'Name'), ([, one]) => numberOf.get(one.name ?? '') ?? -1],
	]);
	return byNode ? columns : columns.filter(({ column }) => !/^(name|provider|name_number)$/.test(column.name));
}

function compare(a: Cell, b: Cell): number {
	if (a === b) return 0;
	// what is not known comes last, as in the tables of the server
	if (a === null) return -1;
	if (b === null) return 1;
	return typeof a === 'string' || typeof b === 'string'
		? String(a) < String(b)
			? -1
			: 1
		: Number(a) - Number(b);
}

/** Of the rows those that are wanted, in order. */
function ordered(columns: readonly Made[], { model, filter, sort }: Shown, usual: string): Table {
	const [by, dir] = sort.split('.');
	const key = columns.find(({ column }) => column.name === (by || usual));
	const models = columns.find(({ column }) => column.name === 'model');
	const texts = columns.filter(({ column }) => column.type === 'text');
	const wanted = filter.toLowerCase();
	const rows = Array.from({ length: columns[0].values.length }, (_, i) => i)
		.filter(i => !model || models?.values[i] === model)
		.filter(i =>
			texts.some(({ values }) =>
				String(values[i] ?? '')
					.toLowerCase()
					.includes(wanted),
			),
		)
		.sort((a, b) => (key ? compare(key.values[a], key.values[b]) * (dir === 'asc' ? 1 : -1) : 0));
	return {
		columns: columns.map(({ column }) => column),
		rows: rows.map(i => columns.map(({ values }) => values[i])),
		total: rows.length,
	};
}

/** The table of the report; null: it has none of this. */
export function sinceBeginning(report: Report, what: string, shown: Shown, numbers: Numbers): Table | null {
	const models = report.models ?? [];
	if (what === 'models') return ordered(modelsOf(models), { ...shown, model: '' }, 'total_ns');
	if (what === 'sizes') {
		const rows = models.flatMap(model =>
			(model.inferences?.sizes ?? []).map((size): SizeOfModel => [model, size]),
		);
		return ordered(sizesOf(rows), shown, 'elements');
	}
	if (what !== 'operators' && what !== 'operator_types') return null;
	const byNode = what === 'operators';
	const rows = models.flatMap(model =>
		((byNode ? model.operators?.nodes : model.operators?.types) ?? []).map((one): OfModel => [model, one]),
	);
	return ordered(operatorsOf(rows, byNode, numbers), shown, 'self_ns');
}
