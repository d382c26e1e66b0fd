// SPDX-License-Identifier: Apache-2.0
// The tables below the timeline. A selected range filters all of them; a selected row selects in the timeline.
import { useEffect, useState } from 'preact/hooks';
import * as api from './api';
import type { Cell, Slice, Table } from './api';
import type { App } from './app';
import { colourOf, css } from './colours';
import { baseName, bytes, count, duration, oneLine, sentence, timeAt } from './format';
import type { Extra, Values } from './columns';
import { Grid } from './grid';
import { Histogram } from './histogram';
import { Icicle } from './icicle';
import { TABS } from './place';
import { hasNoModel, NoModel } from './nothing';
import type { Plots } from './plots';
import { toneOf } from './paint_counters';
import { ownerOf, toggleResource } from './resources';
import { host } from './host';
import { toCsv, toJson } from './save';
import { sinceBeginning } from './since';
import { Sql } from './sql';
import { Stacks } from './stacks';
import { useApp } from './use';

export const TITLES: Readonly<Record<string, string>> = {
	inferences: 'Inferences',
	operators: 'Operators',
	icicle: 'Where time goes',
	stacks: 'Stacks',
	models: 'Models and sessions',
	resources: 'Resources',
	losses: 'Losses and cost',
	sql: 'SQL',
};

/** What is live has no file that SQL could be asked of. */
export const tabsOf = (app: App): readonly string[] => TABS.filter(tab => tab !== 'sql' || !app.recording.live);

/** The tables of a tab: what the server calls it, what people call it. */
const PARTS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
	inferences: [['inferences', 'Inferences']],
	operators: [
		['operators', 'By node'],
		['operator_types', 'By type'],
	],
	icicle: [],
	stacks: [],
	models: [
		['models', 'Models'],
		['processes', 'By process'],
		['sizes', 'Input sizes'],
		['sessions', 'Sessions'],
		['phases', 'Phases of creation'],
	],
	resources: [
		['resources', 'Resources'],
		['threads', 'Threads'],
	],
	losses: [['losses', 'Losses and cost']],
	sql: [],
};

const KERNELS = ['kernels', 'Kernels'] as const;

/** The tables of a tab that this recording has rows for. */
function partsOf(app: App): readonly (readonly [string, string])[] {
	const { tab } = app.place;
	const parts = PARTS[tab] ?? [];
	const hasKernels = (app.report?.kernels ?? []).length > 0;
	const models = app.report?.models ?? [];
	const isThere: Readonly<Record<string, boolean>> = {
		processes: models.some(model => (model.processes ?? 1) > 1),
		sizes: models.some(model => (model.inferences?.sizes ?? []).length > 1),
	};
	if (tab === 'operators' && hasKernels) return [...parts, KERNELS];
	return parts.filter(([name]) => isThere[name] ?? true);
}

const HAS_MODEL = new Set([
	'inferences',
	'kernels',
	'operators',
	'operator_types',
	'phases',
	'processes',
	'sessions',
	'sizes',
]);

/** Selects in the timeline what a row of a table stands for. */
async function selectRow(app: App, what: string, value: Values): Promise<void> {
	const row = value('row');
	const index = value('index');
	if (typeof row === 'number' && typeof index === 'number' && row >= 0) return app.select(row, index);
	const number = value('name_number');
	if (typeof number === 'number' && number >= 0)
		return app.step(number, 'next', app.place.range ? app.place.range[0] - 1 : -1);
	const track = value('track');
	if (typeof track === 'number') return app.showTrack(track);
	const counter = value('counter');
	if (what === 'resources' && typeof counter === 'number') return toggleResource(app, counter);
	const model = value('model') ?? (what === 'models' ? value('name') : undefined);
	if (what === 'models' && typeof model === 'string')
		app.go({ tab: 'inferences', sub: '', sort: '', filter: '', model });
	else if (what === 'operator_types')
		app.go({ sub: '', sort: '', filter: String(value('op_type') ?? value('name') ?? '') });
	return undefined;
}

function isOfSlice(slice: Slice | null, what: string, value: Values): boolean {
	if (!slice) return false;
	if (value('row') === slice.row && value('index') === slice.index) return true;
	if (what === 'operators' || what === 'kernels' || what === 'phases')
		return value('name_number') === slice.name_number;
	return false;
}

function isChosen(app: App, what: string, value: Values): boolean {
	if (what === 'resources') return app.shownResources.some(counter => counter.id === value('counter'));
	return isOfSlice(app.slice, what, value);
}

function Tabs({ app }: { app: App }) {
	const to = (tab: string): void => app.go({ tab, sub: '', sort: '', filter: '' });
	const onKey = (event: KeyboardEvent): void => {
		const tabs = tabsOf(app);
		const at = tabs.indexOf(app.place.tab);
		const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!by) return;
		const tab = tabs[(at + by + tabs.length) % tabs.length];
		to(tab);
		document.getElementById(`tab-${tab}`)?.focus();
		event.preventDefault();
		event.stopPropagation();
	};
	return (
		<div class="tabs" role="tablist" aria-label="Tables" onKeyDown={onKey}>
			{tabsOf(app).map(tab => (
				<button
					key={tab}
					id={`tab-${tab}`}
					role="tab"
					aria-selected={app.place.tab === tab}
					aria-controls="panel"
					tabIndex={app.place.tab === tab ? 0 : -1}
					onClick={() => to(tab)}
				>
					{TITLES[tab]}
				</button>
			))}
		</div>
	);
}

export function RangeChip({ app }: { app: App }) {
	const { range } = app.place;
	if (!range)
		return (
			<button
				class="quiet"
				title="Filter all tables to what the timeline shows (r)"
				onClick={() => app.go({ range: [app.view.begin, app.view.end] })}
			>
				Only what is on the screen
			</button>
		);
	const step = Math.max(1, (range[1] - range[0]) / 100);
	return (
		<button
			class="chip"
			title="Tables show this range only. Click to show all (Esc)"
			aria-label="Remove the range"
			onClick={() => app.go({ range: null })}
		>
			{timeAt(range[0], step)} to {timeAt(range[1], step)}{' '}
			<span class="dim">{duration(range[1] - range[0])}</span> ×
		</button>
	);
}

function asked(app: App, what: string): api.Asked {
	const { range, latency, model, filter } = app.place;
	return {
		from: range ? Math.floor(range[0]) : undefined,
		to: range ? Math.ceil(range[1]) : undefined,
		model: HAS_MODEL.has(what) ? model : undefined,
		q: filter,
		min: what === 'inferences' && latency ? Math.floor(latency[0]) : undefined,
		max: what === 'inferences' && latency ? Math.ceil(latency[1]) : undefined,
	};
}

/** About which row of the inferences the selected one is in: how many are before it in the order of durations. */
async function rankOf(app: App, what: string): Promise<number | null> {
	const { slice } = app;
	const [by = 'duration', dir = 'desc'] = app.place.sort.split('.').filter(Boolean);
	if (what !== 'inferences' || slice?.kind !== 'inference' || by !== 'duration') return null;
	const duration = Math.round(slice.end - slice.begin);
	const question = asked(app, what);
	const before = dir === 'desc' ? { min: duration + 1 } : { max: duration - 1 };
	const { total } = await app.get<Table>('table', { what, ...question, ...before, limit: 1 });
	return total;
}

/** Of a live page without a range: the sums of everything since the beginning, of which the detail may be gone. */
function tableHere(app: App, what: string): Table | null {
	const { range, model, filter, sort } = app.place;
	if (!app.recording.live || !app.report || range) return null;
	const numbers = { names: app.names, classes: app.recording.classes };
	return sinceBeginning(app.report, what, { model, filter, sort }, numbers);
}

/** All rows of a table, as far as the server gives them. */
async function wholeTable(app: App, what: string): Promise<Table> {
	const here = tableHere(app, what);
	if (here) return here;
	const [sort, dir] = app.place.sort.split('.');
	const rows: (readonly Cell[])[] = [];
	for (;;) {
		const question = {
			what,
			...asked(app, what),
			sort,
			dir: sort ? dir : undefined,
			limit: 1000,
			offset: rows.length,
		};
		const table = await app.get<Table>('table', question);
		rows.push(...table.rows);
		if (table.rows.length === 0 || rows.length >= Math.min(table.total, 100000)) return { ...table, rows };
	}
}

async function exportTable(app: App, what: string, kind: 'csv' | 'json'): Promise<void> {
	const table = await wholeTable(app, what);
	const text = kind === 'csv' ? toCsv(table.columns, table.rows) : toJson(table.columns, table.rows);
	host.save(`${what}.${kind}`, new Blob([text], { type: kind === 'csv' ? 'text/csv' : 'application/json' }));
}

async function savePart(app: App): Promise<void> {
	const [from, to] = app.place.range ?? [app.view.begin, app.view.end];
	const asked = { from: Math.floor(from), to: Math.ceil(to), of: app.of || undefined };
	const got = await host.ask(api.address('excerpt', asked));
	if (!got.ok) throw new Error((await got.text()).trim());
	const name = baseName(app.recording.file).replace(/(\.pftrace)?$/, '-part.pftrace');
	host.save(name, await got.blob());
}

function Save({ app, what, plots }: { app: App; what: string; plots: () => Plots | null }) {
	const attempt = (work: Promise<void>): void => {
		work.catch(error => {
			app.trouble = (error as Error).message;
			app.tell('place');
		});
	};
	return (
		<span class="save" role="group" aria-label="Save what is shown">
			{what && (
				<>
					<button
						title="Save this table as CSV"
						onClick={() => attempt(exportTable(app, what, 'csv'))}
					>
						CSV
					</button>
					<button
						title="Save this table as JSON"
						onClick={() => attempt(exportTable(app, what, 'json'))}
					>
						JSON
					</button>
				</>
			)}
			{!app.recording.live && (
				<button
					title="Save the chosen range, else what is on the screen, as a recording of its own"
					onClick={() => attempt(savePart(app))}
				>
					Part
				</button>
			)}
			<button
				title="Save the timeline as a picture"
				onClick={() =>
					attempt(
						plots()
							?.picture()
							.then(blob => host.save('timeline.png', blob)) ??
							Promise.resolve(),
					)
				}
			>
				PNG
			</button>
		</span>
	);
}

function Filter({ app }: { app: App }) {
	const [text, setText] = useState(app.place.filter);
	useEffect(() => setText(app.place.filter), [app.place.filter]);
	useEffect(() => {
		const timer = setTimeout(() => text !== app.place.filter && app.go({ filter: text }, false), 200);
		return () => clearTimeout(timer);
	}, [text]);
	return (
		<input
			class="filter"
			type="search"
			placeholder="Filter rows"
			aria-label="Filter the rows of the table"
			value={text}
			onInput={event => setText(event.currentTarget.value)}
		/>
	);
}

function Tools({ app, what, plots }: { app: App; what: string; plots: () => Plots | null }) {
	const { model } = app.place;
	const parts = partsOf(app);
	const models = [...new Set((app.report?.models ?? []).map(one => one.name))];
	return (
		<div class="tools">
			{parts.length > 1 && (
				<span class="segments" role="group" aria-label="Table">
					{parts.map(([name, title]) => (
						<button
							key={name}
							aria-pressed={what === name}
							onClick={() => app.go({ sub: name, sort: '', filter: '' })}
						>
							{title}
						</button>
					))}
				</span>
			)}
			{HAS_MODEL.has(what) && models.length > 1 && (
				<select
					aria-label="Model"
					value={model}
					onChange={event => app.go({ model: event.currentTarget.value })}
				>
					<option value="">All models</option>
					{models.map(name => (
						<option key={name} value={name}>
							{oneLine(name)}
						</option>
					))}
				</select>
			)}
			{what && <Filter app={app} />}
			{tableHere(app, what) && (
				<span class="dim" title="With a range, tables show what is kept of it">
					since the beginning
				</span>
			)}
			{app.place.tab !== 'sql' && <RangeChip app={app} />}
			<Save app={app} what={what} plots={plots} />
		</div>
	);
}

const WHY: Omit<Extra, 'of'> = {
	column: { name: 'why', title: 'Why it is slow', unit: '', type: 'text', sortable: false },
	after: 'model',
};

const OWNER: Omit<Extra, 'of'> = {
	column: { name: 'of', title: 'Of', unit: '', type: 'text', sortable: false },
	after: 'name',
};

function extraOf(app: App, what: string): Extra | undefined {
	if (what === 'resources') {
		const byId = new Map(app.recording.counters.map(counter => [counter.id, counter]));
		const of = (value: Values): string => {
			const counter = byId.get(Number(value('counter')));
			return counter ? ownerOf(counter, app) : '';
		};
		return { ...OWNER, of };
	}
	const isKnown = (app.report?.models ?? []).some(model =>
		(model.inferences?.slowest ?? []).some(slow => slow.why?.words),
	);
	return what === 'inferences' && isKnown ? { ...WHY, of: value => app.why(Number(value('begin'))) } : undefined;
}

function colourOfRow(app: App, what: string, value: Values): string | null {
	const i = value('class');
	if (typeof i === 'number')
		return css(
			colourOf(app.recording.classes[i] ?? '', app.recording.class_kinds[i] ?? '', app.theme.isDark),
		);
	const counter =
		what === 'resources' ? app.recording.counters.find(one => one.id === value('counter')) : undefined;
	return counter ? css(toneOf(counter, app)) : null;
}

/** What the recording has cost, as the report says it. */
function Costs({ app }: { app: App }) {
	const { report } = app;
	if (!report) return <div class="costs dim">The report is not here yet.</div>;
	const lost = report.losses?.lost_events;
	const { cost } = report;
	return (
		<div class="costs" role="region" aria-label="Losses and cost" tabIndex={0}>
			<p class={lost ? 'bad' : 'good'}>
				<b>
					{lost === null || lost === undefined
						? 'Losses are not known.'
						: lost
							? `${count(lost)} events were lost.`
							: 'Nothing was lost.'}
				</b>
			</p>
			{report.losses?.remarks?.map(remark => (
				<p key={remark.text} class={remark.is_loss ? 'bad' : ''}>
					{remark.text}
				</p>
			))}
			{cost && (
				<dl>
					<dt>Events</dt>
					<dd>{count(cost.events)}</dd>
					<dt>Each took</dt>
					<dd>{duration(cost.event_ns)}</dd>
					<dt>Preparing took</dt>
					<dd>{duration(cost.arm_ns)}</dd>
					<dt>Recorder, CPU time</dt>
					<dd>{duration(cost.recorder_cpu_ns)}</dd>
					<dt>Recorder, memory</dt>
					<dd>{cost.recorder_peak_bytes ? bytes(cost.recorder_peak_bytes) : '–'}</dd>
				</dl>
			)}
		</div>
	);
}

/** What the times of operators do not contain, once for each provider of which that is true. */
function Deferred({ app }: { app: App }) {
	const { model } = app.place;
	const models = (app.report?.models ?? []).filter(one => !model || one.name === model);
	const words = models.flatMap(one => (one.operators?.providers ?? []).map(of => of.deferred ?? ''));
	const sentences = [...new Set(words)].filter(one => one !== '');
	if (sentences.length === 0) return null;
	return <p class="remark dim">{sentences.map(one => `${sentence(oneLine(one))}.`).join(' ')}</p>;
}

export function Tables({ app, plots }: { app: App; plots: () => Plots | null }) {
	useApp(app, 'place', 'slice');
	const { tab, sub } = app.place;
	const parts = partsOf(app);
	const isEmpty = tab === 'inferences' && hasNoModel(app);
	const what = isEmpty ? '' : ((parts.find(([name]) => name === sub) ?? parts[0])?.[0] ?? '');
	return (
		<section class="tables" id="tables" aria-label="Tables">
			<div class="table-head">
				<Tabs app={app} />
				<Tools app={app} what={what} plots={plots} />
				{(tab === 'operators' || tab === 'icicle') && what !== 'kernels' && (
					<Deferred app={app} />
				)}
			</div>
			<div
				class={isEmpty ? 'panel' : `panel of-${tab}`}
				id="panel"
				role="tabpanel"
				aria-labelledby={`tab-${tab}`}
			>
				{tab === 'icicle' && <Icicle app={app} />}
				{tab === 'stacks' && <Stacks app={app} />}
				{tab === 'sql' && !app.recording.live && <Sql app={app} />}
				{isEmpty && <NoModel app={app} />}
				{tab === 'inferences' && !isEmpty && <Histogram app={app} model={app.place.model} />}
				{tab === 'losses' && <Costs app={app} />}
				{what && (
					<Grid
						key={what}
						what={what}
						get={(path, asked) => app.get(path, asked)}
						asked={asked(app, what)}
						table={tableHere(app, what)}
						version={app.tableVersion}
						sort={app.place.sort}
						label={TITLES[tab]}
						onSort={sort => app.go({ sort })}
						onSelect={value => void selectRow(app, what, value)}
						isSelected={value => isChosen(app, what, value)}
						extra={extraOf(app, what)}
						selected={
							app.place.selection
								? `${app.place.selection.row}.${app.place.selection.index} ${app.slice?.name_number}`
								: ''
						}
						rankOf={() => rankOf(app, what)}
						colour={value => colourOfRow(app, what, value)}
					/>
				)}
			</div>
		</section>
	);
}
