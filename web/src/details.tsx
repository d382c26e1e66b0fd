// SPDX-License-Identifier: Apache-2.0
// Everything about the selected slice, and the ways on from it.
import { useEffect, useState } from 'preact/hooks';
import * as api from './api';
import type { FlowEnd, Slice } from './api';
import type { App } from './app';
import { around } from './axis';
import { colourOf, css } from './colours';
import { count, duration as shortly, exact, inUnit, oneLine, significant } from './format';
import { pathOf } from './rows';
import { classText } from './timeline';
import { useApp } from './use';
import { Why } from './why';

/** Arguments whose names say their unit are shown in it. */
export function argument(name: string, value: string | number | boolean | null): string {
	if (value === null) return '–';
	if (typeof value === 'number') {
		if (/_ns$/.test(name)) return inUnit(value, 'ns');
		if (/bytes$/.test(name)) return `${inUnit(value, 'bytes')}`;
		return String(value);
	}
	return oneLine(String(value));
}

const title = (name: string): string => name.replace(/_ns$/, '').replaceAll('_', ' ');

/** What the slice comes from, and what it leads to; the timeline has the arrows. */
function Flows({ app, slice }: { app: App; slice: Slice }) {
	const isIt = (end: FlowEnd): boolean => end.row === slice.row && end.index === slice.index;
	const ends = app.flows.flatMap(({ from, to }) => [
		...(isIt(to) ? [['From', from, slice.begin - from.begin] as const] : []),
		...(isIt(from) ? [['To', to, to.begin - slice.begin] as const] : []),
	]);
	if (!ends.length) return null;
	return (
		<ul class="flows" aria-label="Flows">
			{ends.map(([way, end, apart]) => (
				<li key={`${way} ${end.row} ${end.index}`}>
					<span class="dim">{way}</span>
					<button
						title={`${end.kind}: ${oneLine(end.name)}`}
						onClick={() => void app.select(end.row, end.index)}
					>
						{way === 'From' ? '← ' : '→ '}
						{oneLine(end.name)}
					</button>
					<span class="dim">
						{shortly(Math.abs(apart))} {way === 'From' ? 'before' : 'later'}
					</span>
				</li>
			))}
		</ul>
	);
}

interface Calls {
	readonly calls: number;
	readonly mean: number;
	readonly min: number;
	readonly max: number;
}

/** All calls of this operator, and where this one lies among them. */
function Siblings({ app, slice }: { app: App; slice: Slice }) {
	const [all, setAll] = useState<Calls | null>(null);
	const isOperator = slice.kind === 'operator' || slice.kind === 'kernel';
	const what = slice.kind === 'kernel' ? 'kernels' : 'operators';
	useEffect(() => {
		let isOver = false;
		setAll(null);
		if (isOperator)
			app.get<api.Table>('table', { what, q: slice.name, limit: 1000 }).then(
				table => {
					const at = (name: string): number =>
						table.columns.findIndex(column => column.name === name);
					const row = table.rows.find(
						one => one[at('name_number')] === slice.name_number,
					);
					const figure = (name: string): number => Number(row?.[at(name)] ?? NaN);
					if (isOver || !row) return;
					setAll({
						calls: figure('calls'),
						mean: figure('mean_ns'),
						min: figure('min_ns'),
						max: figure('max_ns'),
					});
				},
				() => undefined,
			);
		return () => (isOver = true);
	}, [slice.name_number, what, app.tableVersion]);
	const duration = slice.end - slice.begin;
	if (!all || !(all.calls > 1) || !(all.max > all.min) || slice.cut) return null;
	const place = (ns: number): string =>
		`${Math.min(100, Math.max(0, (100 * Math.log(ns / all.min)) / Math.log(all.max / all.min))).toFixed(1)}%`;
	return (
		<figure class="siblings">
			<figcaption>
				<b>{significant(duration / all.mean, 2)} ×</b> the mean of its {count(all.calls)} calls
			</figcaption>
			<div class="siblings-bar" aria-hidden="true">
				<i class="mean" style={{ left: place(all.mean) }} title={`mean ${shortly(all.mean)}`} />
				<i
					class="this"
					style={{ left: place(duration) }}
					title={`this one ${shortly(duration)}`}
				/>
			</div>
			<p class="dim">
				<span>{shortly(all.min)}</span>
				<span>mean {shortly(all.mean)}</span>
				<span>{shortly(all.max)}</span>
			</p>
		</figure>
	);
}

export function Details({ app }: { app: App }) {
	useApp(app, 'place', 'slice');
	const { slice } = app;
	if (!slice || !app.place.selection) return null;
	// models stand for themselves, as in the tree
	const path = pathOf(app.recording.tracks, slice.track).filter(
		track => track.kind !== 'group' || track.name !== 'models',
	);
	const classNumber = typeof slice.class === 'number' ? slice.class : app.recording.classes.indexOf(slice.class);
	const colour = css(colourOf(app.recording.classes[classNumber] ?? '', slice.kind, app.theme.isDark));
	const duration = slice.end - slice.begin;
	const { parent } = slice;
	// flows are links above
	const args = Object.entries(slice.args).filter(([name]) => !/^flow(_end)?$/.test(name));
	return (
		<aside class="details" aria-label="Selected slice">
			<header>
				<i class="swatch" style={{ background: colour }} />
				<h2>{oneLine(slice.name)}</h2>
				<button
					class="close"
					aria-label="Close the details"
					title="Close (Esc)"
					onClick={() => app.deselect()}
				>
					×
				</button>
			</header>
			<p class="path">{path.map(track => oneLine(track.name)).join(' › ')}</p>
			<p class="figure">
				<b>{slice.cut ? 'not ended' : exact(duration)}</b>
				<span>{classText(app, classNumber)}</span>
			</p>
			<Why app={app} slice={slice} />
			<Siblings app={app} slice={slice} />
			<Flows app={app} slice={slice} />
			<div class="ways">
				<button
					title="Fill the screen with it"
					onClick={() => app.flyTo(around(slice.begin, slice.end, app.end))}
				>
					Zoom to it
				</button>
				<button
					title="Only this time in all tables"
					onClick={() => app.go({ range: [slice.begin, slice.end] })}
				>
					As range
				</button>
				{parent && (
					<button onClick={() => void app.select(parent.row, parent.index)}>
						Parent
					</button>
				)}
			</div>
			<div class="ways">
				<span>In this row</span>
				<button
					aria-label="Previous slice in this row"
					title="Previous (,)"
					disabled={slice.index === 0}
					onClick={() => void app.neighbour(-1)}
				>
					‹ Previous
				</button>
				<button
					aria-label="Next slice in this row"
					title="Next (.)"
					onClick={() => void app.neighbour(1)}
				>
					Next ›
				</button>
			</div>
			<div class="ways">
				<span>Of this name</span>
				<button
					aria-label="Previous of this name"
					title="Previous of this name ([)"
					onClick={() => void app.step(slice.name_number, 'prev')}
				>
					‹ Previous
				</button>
				<button
					aria-label="Next of this name"
					title="Next of this name (])"
					onClick={() => void app.step(slice.name_number, 'next')}
				>
					Next ›
				</button>
			</div>
			<dl>
				<dt>begins at</dt>
				<dd>{exact(slice.begin)}</dd>
				<dt>ends at</dt>
				<dd>{slice.cut ? 'it was cut off' : exact(slice.end)}</dd>
				{/* what has nothing inside it here has no self time that says more than its duration */}
				{slice.kind !== 'inference' && (slice.self_ns ?? duration) < duration && (
					<>
						<dt>self time</dt>
						<dd>
							{exact(slice.self_ns as number)}{' '}
							<span class="dim">
								{inUnit(
									(100 * (slice.self_ns as number)) / duration,
									'%',
								)}
							</span>
						</dd>
					</>
				)}
				{slice.inference !== null && !('inference' in slice.args) && (
					<>
						<dt>inference</dt>
						<dd>{slice.inference}</dd>
					</>
				)}
				{args.map(([name, value]) => (
					<>
						<dt key={name}>{oneLine(title(name))}</dt>
						<dd>{argument(name, value)}</dd>
					</>
				))}
			</dl>
		</aside>
	);
}
