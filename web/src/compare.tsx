// SPDX-License-Identifier: Apache-2.0
// Two recordings beside each other: what differs in words and figures, both timelines on one axis, how latencies are
// spread, and operators with their differences. The words and intervals are those of `inftrace diff`.
import { useEffect, useState } from 'preact/hooks';
import type { Histogram, ReportModel } from './api';
import type { App } from './app';
import { Details } from './details';
import { Help } from './dialogs';
import { baseName, count, duration, oneLine, sentence, significant, words } from './format';
import { host } from './host';
import { LiveNotes } from './live_bar';
import { Open } from './open';
import type { Plots } from './plots';
import { Search } from './search';
import { Timeline } from './timeline';
import { useApp, useAnswer } from './use';

interface Value {
	readonly base: number | null;
	readonly new: number | null;
	readonly change: number | null;
	readonly low: number | null;
	readonly high: number | null;
	readonly says: string;
}

interface Side {
	readonly name: string;
	readonly op_type: string | null;
}

interface Operator {
	readonly time_ns: Value;
	readonly extra_ns: number | null;
	readonly base: Side;
	readonly new: Side;
}

interface Model {
	readonly base_name: string;
	readonly new_name: string;
	readonly inferences_of_base: number;
	readonly inferences_of_new: number;
	readonly not_judged: string | null;
	readonly figures: Readonly<Record<string, Value | undefined>>;
	readonly operators_missing: string | null;
	readonly operators: readonly Operator[];
	readonly operators_only_in_base: readonly Side[];
	readonly operators_only_in_new: readonly Side[];
}

interface Diff {
	readonly verdict: string;
	readonly is_busy: boolean;
	readonly models: readonly Model[];
}

/** Both show the same time, and what is searched for. */
export function link(base: App, fresh: App): () => void {
	let isBusy = false;
	const follow = (from: App, to: App): (() => void) =>
		from.listen(change => {
			if (isBusy) return;
			isBusy = true;
			const isSame = from.view.begin === to.view.begin && from.view.end === to.view.end;
			if (change === 'view' && !isSame) to.setView(from.view);
			if (change === 'place' && from === base && to.place.query !== from.place.query)
				to.go({ query: from.place.query }, false);
			// one slice is chosen at a time
			if (change === 'slice' && from.slice && to.place.selection) to.deselect();
			isBusy = false;
		});
	const stops = [follow(base, fresh), follow(fresh, base)];
	return () => stops.forEach(stop => stop());
}

/** "+5.2 %"; whether that is bad is another question. */
export function percent(change: number | null): string {
	if (change === null || !Number.isFinite(change)) return '–';
	const value = Math.abs(100 * change);
	const text = value < 0.05 ? '0' : value < 10 ? value.toFixed(1) : count(Math.round(value));
	return `${text === '0' ? '±' : change > 0 ? '+' : '−'}${text} %`;
}

const SAYS: Readonly<Record<string, string>> = {
	worse: 'worse',
	better: 'better',
	no_difference: 'no difference',
	cannot_tell: 'cannot tell',
	not_judged: '',
	missing: 'only on one side',
};

const FIGURES: readonly (readonly [string, string])[] = [
	['operators', 'All operators'],
	['median', 'Median'],
	['p99', 'p99'],
	['per_second', 'A second'],
	['first', 'First inference'],
	['creation', 'Creating a session'],
	['first_token', 'First token'],
	['per_token', 'Time per token'],
];

function FigureTiles({ model }: { model: Model }) {
	const shown = FIGURES.map(([key, name]) => [name, key, model.figures[key]] as const);
	return (
		<ul class="tiles" aria-label="Figures">
			{shown.map(([name, key, value]) => {
				if (!value || value.base === null || value.new === null) return null;
				const text = (of: number): string =>
					key === 'per_second' ? significant(of) : duration(of);
				return (
					<li key={key} class={value.says}>
						<div
							title={
								value.low !== null && value.high !== null
									? `between ${percent(value.low)} and ${percent(value.high)}`
									: undefined
							}
						>
							<span>{name}</span>
							<b>{percent(value.change)}</b>
							<small>
								{text(value.base)} → {text(value.new)}
							</small>
							<small class="says">{SAYS[value.says] || '\u00a0'}</small>
						</div>
					</li>
				);
			})}
		</ul>
	);
}

const BINS = 44;
const W = 300;
const H = 120;

/** Shares of the inferences in bins that two histograms have in common; each bin of one is spread evenly. */
export function binned(bins: Histogram, from: number, to: number, n = BINS): number[] {
	const out = new Array<number>(n).fill(0);
	const total = bins.counts.reduce((sum, one) => sum + one, 0);
	const place = (value: number): number => (n * Math.log(value / from)) / Math.log(to / from);
	bins.counts.forEach((of, i) => {
		if (!of) return;
		const begin = place(bins.edges[i]);
		const end = Math.max(place(bins.edges[i + 1]), begin + 1e-9);
		for (let at = Math.max(0, Math.floor(begin)); at < Math.min(n, Math.ceil(end)); at++)
			out[at] += ((Math.min(end, at + 1) - Math.max(begin, at)) / (end - begin)) * (of / total);
	});
	return out;
}

function Spread({ base, fresh, model }: { base: App; fresh: App; model: Model }) {
	const { data: a } = useAnswer<Histogram>(base, 'histogram', { model: model.base_name });
	const { data: b } = useAnswer<Histogram>(fresh, 'histogram', { model: model.new_name });
	if (!a || !b || a.edges.length < 2 || b.edges.length < 2)
		return <div class="histogram empty dim">There are no latencies to compare.</div>;
	const from = Math.min(a.edges[0], b.edges[0]);
	const to = Math.max(a.edges[a.edges.length - 1], b.edges[b.edges.length - 1], from * 1.01);
	const sides = [a, b].map(one => binned(one, from, to));
	const most = Math.max(1e-9, ...sides.flat());
	const step = W / BINS;
	const outline = (side: readonly number[]): string =>
		side.map((share, i) => `${i ? 'L' : 'M'}${i * step},${H - (share / most) * (H - 6)}h${step}`).join('');
	return (
		<figure class="histogram both">
			<figcaption>
				<b>Latencies</b>
				<span class="key of-base">base: median {duration(a.p50_ns)}</span>
				<span class="key of-new">new: median {duration(b.p50_ns)}</span>
			</figcaption>
			<svg
				viewBox={`0 0 ${W} ${H}`}
				preserveAspectRatio="none"
				role="img"
				aria-label={`Latencies: median ${duration(a.p50_ns)} of base, ${duration(b.p50_ns)} of new`}
			>
				<path class="of-base" d={`${outline(sides[0])}V${H}H0Z`} />
				<path class="of-new" d={outline(sides[1])} />
				<line x1="0" x2={W} y1={H} y2={H} class="axis" />
			</svg>
			<div class="axis-text">
				{[from, Math.sqrt(from * to), to].map((edge, i) => (
					<span key={i}>{duration(edge, 2)}</span>
				))}
			</div>
		</figure>
	);
}

function Operators({ base, fresh, model }: { base: App; fresh: App; model: Model }) {
	const only = model.operators_only_in_base.length + model.operators_only_in_new.length;
	if (model.operators_missing || !model.operators.length) {
		const none = only
			? `no operator is in both: ${count(model.operators_only_in_base.length)} are only in base, ${count(model.operators_only_in_new.length)} only in new`
			: 'neither recording has operators; record them at level operator';
		return <p class="empty dim">{sentence(oneLine(model.operators_missing ?? none))}.</p>;
	}
	const show = (row: Operator): void => {
		for (const [app, side] of [[base, row.base] as const, [fresh, row.new] as const]) {
			const number = app.names.indexOf(side.name);
			if (number >= 0) void app.step(number, 'next', -1);
		}
	};
	const most = Math.max(1, ...model.operators.map(row => Math.abs(row.extra_ns ?? 0)));
	return (
		<div class="differences" tabIndex={0} role="region" aria-label="Operators">
			<table>
				<thead>
					<tr>
						<th>Operator</th>
						<th>Type</th>
						<th class="number">Base</th>
						<th class="number">New</th>
						<th class="number">Change</th>
						<th>It takes more of an inference</th>
						<th>Verdict</th>
					</tr>
				</thead>
				<tbody>
					{model.operators.slice(0, 200).map(row => (
						<tr
							key={`${row.base.name} ${row.new.name}`}
							class={row.time_ns.says}
							onClick={() => show(row)}
						>
							<td>
								<button title="Show it in both">
									{oneLine(row.new.name)}
								</button>
							</td>
							<td>{oneLine(row.new.op_type ?? '')}</td>
							<td class="number">{duration(row.time_ns.base)}</td>
							<td class="number">{duration(row.time_ns.new)}</td>
							<td class="number">{percent(row.time_ns.change)}</td>
							<td>
								<span class="extra" aria-hidden="true">
									<i
										class={
											(row.extra_ns ?? 0) < 0
												? 'less'
												: 'more'
										}
										style={{
											width: `${(50 * Math.abs(row.extra_ns ?? 0)) / most}%`,
										}}
									/>
								</span>
								{row.extra_ns === null
									? '–'
									: `${row.extra_ns < 0 ? '−' : '+'}${duration(Math.abs(row.extra_ns))}`}
							</td>
							<td>{SAYS[row.time_ns.says] || '–'}</td>
						</tr>
					))}
				</tbody>
			</table>
			{only > 0 && (
				<p class="dim">
					{count(model.operators_only_in_base.length)} only in base,{' '}
					{count(model.operators_only_in_new.length)} only in new.
				</p>
			)}
		</div>
	);
}

interface Two {
	readonly base: App;
	readonly fresh: App;
}

/** What each of them ran, where they have no model in common. */
function Apart({ base, fresh }: Two) {
	useApp(base, 'data');
	useApp(fresh, 'data');
	const sides = [['base', base] as const, ['new', fresh] as const];
	const rows = sides.flatMap(([word, app]) => {
		const models: readonly (ReportModel | null)[] = app.report?.models ?? [];
		return (models.length ? models : [null]).map(model => ({ word, model }));
	});
	if (!base.report || !fresh.report) return null;
	return (
		<div class="differences" tabIndex={0} role="region" aria-label="Models of each">
			<table>
				<caption>They have no model in common. What each of them ran:</caption>
				<thead>
					<tr>
						<th>Recording</th>
						<th>Model</th>
						<th class="number">Inferences</th>
						<th class="number">Median</th>
						<th class="number">p99</th>
					</tr>
				</thead>
				<tbody>
					{rows.map(({ word, model }, i) => (
						<tr key={i}>
							<td>{word}</td>
							<td>
								{model ? (
									oneLine(model.name)
								) : (
									<span class="dim">no model ran</span>
								)}
							</td>
							<td class="number">{count(model?.inferences?.count ?? 0)}</td>
							<td class="number">
								{duration(model?.inferences?.latency?.p50_ns ?? null)}
							</td>
							<td class="number">
								{duration(model?.inferences?.latency?.p99_ns ?? null)}
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

/** Which of the two a timeline shows. */
function Lane({ app, word, onPlots }: { app: App; word: string; onPlots: (plots: Plots) => void }) {
	return (
		<div class={`side of-${word}`}>
			<h2 class="side-name" title={oneLine(app.recording.file)}>
				<b>{word}</b> {baseName(app.recording.file)}
				<span class="dim">
					{duration(app.recording.end - app.recording.shift_ns)},{' '}
					{count(app.recording.events)} events
				</span>
			</h2>
			<Timeline app={app} onPlots={onPlots} />
		</div>
	);
}

function Below({ base, fresh, diff }: Two & { diff: Diff | null }) {
	useApp(base, 'slice');
	useApp(fresh, 'slice');
	const [chosen, choose] = useState(0);
	const model = diff?.models[chosen] ?? diff?.models[0];
	const shown = fresh.slice ? fresh : base;
	return (
		<div class={shown.slice ? 'below with-details' : 'below'}>
			<section class="tables" aria-label="Differences">
				{diff && diff.models.length > 1 && (
					<div class="tabs" role="tablist" aria-label="Models">
						{diff.models.map((one, i) => (
							<button
								key={one.new_name}
								role="tab"
								aria-selected={one === model}
								onClick={() => choose(i)}
							>
								{oneLine(one.new_name)}
							</button>
						))}
					</div>
				)}
				<div class={model ? 'panel of-differences' : 'panel'}>
					{diff && !model && <Apart base={base} fresh={fresh} />}
					{model && <Spread base={base} fresh={fresh} model={model} />}
					{model && <Operators base={base} fresh={fresh} model={model} />}
				</div>
			</section>
			<Details app={shown} />
		</div>
	);
}

export function Compare({ base, fresh, onPlots }: Two & { onPlots: (plots: Plots) => void }) {
	useApp(base, 'place');
	const { data: diff, error } = useAnswer<Diff>(base, 'diff.json', {});
	const [isHelp, setHelp] = useState(false);
	useEffect(() => link(base, fresh), [base, fresh]);
	const verdict = diff ? words(diff.verdict) : '';
	const at = /[.!:] (?=[A-Z0-9])/.exec(verdict)?.index ?? verdict.length - 1;
	const isTogether = base.recording.first_inference === fresh.recording.first_inference;
	return (
		<>
			<header class="head">
				{!host.isEditor && <img src="icon.svg" alt="" width="22" height="22" />}
				<h1>
					{baseName(base.recording.file)} → {baseName(fresh.recording.file)}
				</h1>
				<p class="facts">
					<span>
						{isTogether
							? 'first inferences lie together'
							: 'each from its beginning'}
					</span>
				</p>
				<Search app={base} />
				<Open app={base} />
				<button
					class="quiet"
					onClick={() => setHelp(true)}
					aria-label="Keys and mouse"
					title="Keys and mouse"
				>
					?
				</button>
			</header>
			<section class="answer open" aria-label="The answer" aria-busy={!diff && !error}>
				<div class="verdict">
					<p>
						{diff ? (
							<>
								{sentence(verdict.slice(0, at + 1))}
								<span class="rest">{verdict.slice(at + 1)}</span>
							</>
						) : (
							<span class="dim">
								{error
									? `They cannot be compared: ${oneLine(error)}`
									: 'Comparing …'}
							</span>
						)}
					</p>
				</div>
				{diff?.models[0] && <FigureTiles model={diff.models[0]} />}
				{diff?.models[0]?.not_judged && (
					<p class="cut">{sentence(oneLine(diff.models[0].not_judged))}.</p>
				)}
			</section>
			<LiveNotes app={base} />
			<main class="two">
				<Lane app={base} word="base" onPlots={onPlots} />
				<Lane app={fresh} word="new" onPlots={() => undefined} />
				<Below base={base} fresh={fresh} diff={diff} />
			</main>
			{isHelp && <Help close={() => setHelp(false)} />}
		</>
	);
}
