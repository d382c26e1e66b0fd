// SPDX-License-Identifier: Apache-2.0
// SQL over the recording, as `inftrace query` answers it: the server runs it, and bounds its time and its rows.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Cell, Column, Table } from './api';
import type { App } from './app';
import { count } from './format';
import { Grid } from './grid';
import { host } from './host';
import { toCsv, toJson } from './save';

interface Rows {
	readonly columns: readonly string[];
	readonly rows: readonly (readonly Cell[])[];
	/** There are more than the server gives. */
	readonly more: boolean;
}

const EXAMPLES: readonly (readonly [string, string])[] = [
	['Latency of each model', 'SELECT model, inferences, p50_ns, p99_ns, min_ns, total_ns FROM inference_stats'],
	['The slowest inferences, and why', 'SELECT model, duration_ns, why FROM slowest ORDER BY duration_ns DESC'],
	[
		'Time by type of operator',
		'SELECT op_type, count(*) AS calls, sum(duration_ns) AS total_ns, median(duration_ns) AS median_ns\nFROM operators GROUP BY op_type ORDER BY total_ns DESC',
	],
	[
		'Inferences of each second',
		'SELECT (begin_ns - (SELECT min(begin_ns) FROM inferences)) / 1000000000 AS second,\n  count(*) AS inferences, median(duration_ns) AS median_ns\nFROM inferences GROUP BY second ORDER BY second',
	],
	['All tables', "SELECT name, ncol AS columns FROM pragma_table_list WHERE schema = 'main' ORDER BY name"],
	['The columns of a table', "SELECT name, type FROM pragma_table_info('inferences')"],
];

/** So that the server ends what this page asked before. */
const PAGE = 1 + Math.floor(Math.random() * 0xffff_fffe);

/** Of the statement in an address, which the server takes up to 4096 bytes of. */
const LONGEST = 4000;

/** A point in time has all of its digits: in seconds, inferences of one second would look alike. */
const unitOf = (name: string): string =>
	/(^|_)(begin|end|time|at)_ns$/.test(name)
		? ''
		: /_ns$/.test(name)
			? 'ns'
			: /_bytes$/.test(name)
				? 'bytes'
				: /_(pct|percent)$/.test(name)
					? '%'
					: '';

export function tableOf({ columns, rows }: Rows, sort: string): Table {
	const [by, dir] = [sort.replace(/\.(asc|desc)$/, ''), sort.endsWith('.desc') ? -1 : 1];
	const at = columns.indexOf(by);
	const compare = (a: Cell, b: Cell): number =>
		a === null || b === null
			? Number(a === null) - Number(b === null)
			: (typeof a === 'number' && typeof b === 'number'
					? a - b
					: String(a).localeCompare(String(b))) * dir;
	return {
		columns: columns.map((name, i): Column => {
			const isNumber =
				rows.some(row => row[i] !== null) &&
				rows.every(row => row[i] === null || typeof row[i] === 'number');
			return {
				name,
				title: name,
				unit: isNumber ? unitOf(name) : '',
				type: isNumber ? 'number' : 'text',
			};
		}),
		rows: at < 0 ? rows : [...rows].sort((a, b) => compare(a[at], b[at])),
		total: rows.length,
	};
}

function Answer({ rows, sql }: { rows: Rows; sql: string }) {
	const [sort, setSort] = useState('');
	const table = tableOf(rows, sort);
	const save = (kind: 'csv' | 'json'): void => {
		const text = kind === 'csv' ? toCsv(table.columns, table.rows) : toJson(table.columns, table.rows);
		host.save(
			`query.${kind}`,
			new Blob([text], { type: kind === 'csv' ? 'text/csv' : 'application/json' }),
		);
	};
	return (
		<>
			<p class="sql-said" role="status">
				{rows.more
					? `The first ${count(rows.rows.length)} rows. inftrace query gives all.`
					: `${count(rows.rows.length)} ${rows.rows.length === 1 ? 'row' : 'rows'}`}
				<span class="save" role="group" aria-label="Save the answer">
					<button onClick={() => save('csv')}>CSV</button>
					<button onClick={() => save('json')}>JSON</button>
				</span>
			</p>
			<Grid
				key={sql}
				what="sql"
				get={() => Promise.reject(new Error('the rows are here'))}
				asked={{}}
				table={table}
				version={0}
				sort={sort}
				label="Answer"
				onSort={setSort}
				onSelect={() => undefined}
				isSelected={() => false}
				isWhole
			/>
		</>
	);
}

export function Sql({ app }: { app: App }) {
	const [text, setText] = useState(app.place.sql || EXAMPLES[0][1]);
	const [asked, setAsked] = useState('');
	const [rows, setRows] = useState<Rows | null>(null);
	const [error, setError] = useState('');
	const [isBusy, setBusy] = useState(false);
	const abort = useRef<AbortController | null>(null);
	useEffect(() => () => abort.current?.abort(), []);
	const stop = (): void => {
		abort.current?.abort();
		setBusy(false);
	};
	const run = (sql: string): void => {
		stop();
		if (encodeURIComponent(sql).length > LONGEST) {
			setRows(null);
			setError(
				'The page cannot send a statement of this length. Run it with: inftrace query --file STATEMENT.sql FILE',
			);
			return;
		}
		const own = (abort.current = new AbortController());
		setBusy(true);
		setError('');
		app.go({ sql }, false);
		app.get<Rows>('query', { sql, by: PAGE }, own.signal).then(
			got => {
				if (own.signal.aborted) return;
				setRows(got);
				setAsked(sql);
				setBusy(false);
			},
			problem => {
				if (own.signal.aborted) return;
				setRows(null);
				setError((problem as Error).message);
				setBusy(false);
			},
		);
	};
	return (
		<div class="sql">
			<form onSubmit={event => (event.preventDefault(), run(text))}>
				<select
					aria-label="Examples"
					value=""
					onChange={event => {
						const [, sql] = EXAMPLES[Number(event.currentTarget.value)];
						setText(sql);
						run(sql);
					}}
				>
					<option value="" disabled>
						Examples
					</option>
					{EXAMPLES.map(([title], i) => (
						<option key={title} value={i}>
							{title}
						</option>
					))}
				</select>
				<textarea
					aria-label="SQL"
					spellcheck={false}
					value={text}
					onInput={event => setText(event.currentTarget.value)}
					onKeyDown={event => {
						if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
						event.preventDefault();
						run(text);
					}}
				/>
				<p>
					<button
						class="main"
						title="Run it (Ctrl Enter)"
						disabled={!text.trim() || isBusy}
					>
						{isBusy ? 'Running …' : 'Run'}
					</button>
					{isBusy && (
						<button type="button" onClick={stop}>
							Stop
						</button>
					)}
					<span class="dim">It can only read. 10 s and 1,000 rows at most.</span>
				</p>
			</form>
			<div class="sql-answer">
				{error && (
					<p class="bad empty" role="alert">
						{error}
					</p>
				)}
				{!error && !rows && <p class="dim empty">The answer comes here.</p>}
				{rows && <Answer rows={rows} sql={asked} />}
			</div>
		</div>
	);
}
