// SPDX-License-Identifier: Apache-2.0
// The answer, before anything else: the verdict of the report and what to look at.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Insight, Report, ReportModel } from './api';
import type { App } from './app';
import { bytes, count, duration, oneLine, sentence, significant, words } from './format';
import { useApp, useNarrow } from './use';

/** Leads from a finding to the inferences that it is about. */
function showModel(app: App, model: number): void {
	app.go({
		tab: 'inferences',
		sub: '',
		sort: '',
		filter: '',
		latency: null,
		model: app.report?.models?.[model]?.name ?? '',
	});
	document.getElementById('tab-inferences')?.focus();
}

/** Two lines each of what was seen and what to do; the rest when it is asked for. */
function Finding({ app, one, model }: { app: App; one: Insight; model: string }) {
	const [isOpen, setOpen] = useState(false);
	const [isCut, setCut] = useState(false);
	const item = useRef<HTMLLIElement>(null);
	useEffect(() => {
		const measure = (): void => {
			const texts = [...(item.current?.querySelectorAll('p') ?? [])];
			if (!isOpen) setCut(texts.some(text => text.scrollHeight > text.clientHeight + 1));
		};
		measure();
		const observer = new ResizeObserver(measure);
		if (item.current) observer.observe(item.current);
		return () => observer.disconnect();
	}, [one.evidence, one.next, isOpen]);
	return (
		<li ref={item} class={isOpen ? 'open' : ''}>
			<b>
				{model && (
					<button
						title="Show its inferences"
						onClick={() => showModel(app, one.model as number)}
					>
						{model}:
					</button>
				)}{' '}
				{words(one.finding)}
			</b>
			{one.evidence && <p>{words(one.evidence)}</p>}
			{one.next && <p class="next">{words(one.next)}</p>}
			{(isCut || isOpen) && (
				<button class="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
					{isOpen ? 'less' : 'more'}
				</button>
			)}
		</li>
	);
}

interface Tile {
	readonly name: string;
	readonly value: string;
	readonly note: string;
	/** Where the evidence is. */
	readonly tab: string;
	readonly sub?: string;
	readonly sort?: string;
	readonly isBad?: boolean;
}

const wallOf = (model: ReportModel): number => model.inferences?.wall_ns ?? 0;

/** The figures that most people look for, of the model with most time where there are several. */
export function tilesOf(report: Report): Tile[] {
	const ran = (report.models ?? []).filter(model => (model.inferences?.count ?? 0) > 0);
	const all = report.models ?? [];
	const tiles: Tile[] = [];
	const [most] = [...ran].sort((a, b) => wallOf(b) - wallOf(a));
	const of = ran.length > 1 && most ? ` of ${oneLine(most.name)}` : '';
	if (most?.inferences) {
		const { latency, per_second: rate } = most.inferences;
		const n = ran.reduce((sum, model) => sum + (model.inferences?.count ?? 0), 0);
		const failed = ran.reduce((sum, model) => sum + (model.inferences?.failed ?? 0), 0);
		const note = failed
			? `${count(failed)} failed`
			: rate
				? `${rate < 1000 ? significant(rate) : count(rate)} a second${of}`
				: '';
		tiles.push({ name: 'Inferences', value: count(n), note, tab: 'inferences', isBad: failed > 0 });
		if (latency?.p50_ns)
			tiles.push({
				name: 'Median',
				value: duration(latency.p50_ns),
				note: of.trim(),
				tab: 'inferences',
			});
		if (latency?.p99_ns && latency.p50_ns)
			tiles.push({
				name: 'p99',
				value: duration(latency.p99_ns),
				note: `${significant(latency.p99_ns / latency.p50_ns, 2)} × the median`,
				tab: 'inferences',
				sort: 'duration.desc',
			});
	}
	const creation = all.reduce((sum, model) => sum + (model.creation?.duration?.total_ns ?? 0), 0);
	const sessions = all.reduce((sum, model) => sum + (model.creation?.sessions ?? 0), 0);
	if (creation)
		tiles.push({
			name: 'Creating sessions',
			value: duration(creation),
			note: `${count(sessions)} ${sessions === 1 ? 'session' : 'sessions'}`,
			tab: 'models',
			sub: 'phases',
		});
	const memory = (report.resources ?? []).filter(one => one.scope === 'process' && one.name === 'rss');
	const peak = Math.max(...memory.map(one => one.peak ?? one.max ?? 0));
	if (peak > 0)
		tiles.push({ name: 'Memory', value: bytes(peak), note: 'at most, of a process', tab: 'resources' });
	const lost = report.losses?.lost_events ?? 0;
	if (lost > 0) tiles.push({ name: 'Lost', value: count(lost), note: 'events', tab: 'losses', isBad: true });
	return tiles;
}

/** Below each other where the window is narrow: two at first, so that the tables are near. */
function Findings({
	app,
	found,
	nameOf,
}: {
	app: App;
	found: readonly Insight[];
	nameOf: (model: number | null) => string;
}) {
	const isNarrow = useNarrow();
	const [isOpen, setOpen] = useState(false);
	const shown = isNarrow && !isOpen ? found.slice(0, 2) : found;
	return (
		<ul class="findings" aria-label="What to look at">
			{shown.map((one, i) => (
				<Finding key={i} app={app} one={one} model={nameOf(one.model)} />
			))}
			{shown.length < found.length && (
				<li class="rest">
					<button onClick={() => setOpen(true)}>
						{found.length - shown.length} more to look at
					</button>
				</li>
			)}
		</ul>
	);
}

function Tiles({ app, report }: { app: App; report: Report }) {
	return (
		<ul class="tiles" aria-label="Figures">
			{tilesOf(report).map(({ name, value, note, tab, sub = '', sort = '', isBad }) => (
				<li key={name} class={isBad ? 'bad' : ''}>
					<button
						title="Show where it comes from"
						onClick={() => {
							app.go({ tab, sub, sort, filter: '', latency: null });
							document.getElementById(`tab-${tab}`)?.focus();
						}}
					>
						<span>{name}</span>
						<b>{value}</b>
						<small>{note || '\u00a0'}</small>
					</button>
				</li>
			))}
		</ul>
	);
}

/** The first sentence, and the rest. */
function partsOf(verdict: string): readonly [string, string] {
	const at = /[.!] (?=[A-Z0-9])/.exec(verdict)?.index;
	return at === undefined ? [verdict, ''] : [verdict.slice(0, at + 1), verdict.slice(at + 1)];
}

export function Answer({ app }: { app: App }) {
	useApp(app, 'place');
	const { report } = app;
	const isOpen = app.place.answer;
	if (!report)
		return (
			<section class="answer" aria-label="The answer" aria-busy={!app.noReport}>
				<div class="verdict">
					<p class="dim">
						{app.noReport
							? `There is no report: ${oneLine(app.noReport)}`
							: 'Working out the report …'}
					</p>
				</div>
			</section>
		);
	// the page is the view that the text report names
	const verdict = words(report.verdict ?? 'the report has no verdict').replace(/\. To see them: .*$/, '');
	const [first, rest] = partsOf(verdict);
	const found = report.insights ?? [];
	const nameOf = (model: number | null): string =>
		model === null ? '' : oneLine(report.models?.[model]?.name ?? '');
	return (
		<section class={isOpen ? 'answer open' : 'answer'} aria-label="The answer">
			<div class="verdict">
				<button
					class="fold"
					aria-expanded={isOpen}
					title={isOpen ? 'Show less' : 'Show what to look at'}
					aria-label="What to look at"
					onClick={() => app.go({ answer: !isOpen }, false)}
				>
					<span class={isOpen ? 'caret open' : 'caret'} aria-hidden="true" />
				</button>
				<p title={verdict}>
					{sentence(first)}
					<span class="rest">{rest}</span>
				</p>
				{!isOpen && found.length > 0 && <span class="badge">{found.length} to look at</span>}
			</div>
			{app.recording.cut && !/cut off/.test(report.verdict ?? '') && (
				<p class="cut" role="note">
					{oneLine(app.recording.cut)}
				</p>
			)}
			{isOpen && (
				<div class="evidence">
					<Tiles app={app} report={report} />
					{found.length > 0 && <Findings app={app} found={found} nameOf={nameOf} />}
				</div>
			)}
		</section>
	);
}
