// SPDX-License-Identifier: Apache-2.0
// Latencies of inferences, with a brush that filters the table.
import { useRef, useState } from 'preact/hooks';
import type { Histogram as Bins } from './api';
import type { App } from './app';
import { count, duration } from './format';
import { useAnswer } from './use';

const W = 300;
const H = 150;
const FOOT = 18;

export function Histogram({ app, model }: { app: App; model: string }) {
	const { range, latency } = app.place;
	const { data } = useAnswer<Bins>(
		app,
		'histogram',
		{ from: range?.[0], to: range?.[1], model },
		app.tableVersion,
	);
	if (!data || data.counts.length === 0 || data.edges.length < 2)
		return (
			<div class="histogram empty dim">
				{app.report?.models?.length
					? 'No inference to measure: the first ones of sessions, failed and cut off ones are left out.'
					: 'There are no inferences.'}
			</div>
		);
	return <Bars app={app} bins={merged(data)} latency={latency} />;
}

/** Fewer bins where there are few inferences: one of each height says nothing. */
export function merged(bins: Bins): Bins {
	const total = bins.counts.reduce((sum, one) => sum + one, 0);
	const most = Math.min(bins.counts.length, Math.max(8, Math.ceil(3 * Math.sqrt(total))));
	const by = Math.ceil(bins.counts.length / most);
	const edges: number[] = [];
	const counts: number[] = [];
	for (let i = 0; i < bins.counts.length; i += by) {
		edges.push(bins.edges[i]);
		counts.push(bins.counts.slice(i, i + by).reduce((sum, one) => sum + one, 0));
	}
	return { ...bins, edges: [...edges, bins.edges[bins.edges.length - 1]], counts };
}

function Bars({ app, bins, latency }: { app: App; bins: Bins; latency: readonly [number, number] | null }) {
	const box = useRef<SVGSVGElement>(null);
	const [draft, setDraft] = useState<readonly [number, number] | null>(null);
	const [bin, setBin] = useState<number | null>(null);
	const { edges, counts } = bins;
	const n = counts.length;
	const most = Math.max(1, ...counts);
	const total = counts.reduce((sum, one) => sum + one, 0);
	const binOf = (event: PointerEvent): number => {
		const { left, width } = box.current!.getBoundingClientRect();
		return Math.min(n - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * n)));
	};
	const choose = (a: number, b: number): void =>
		app.go({ latency: [edges[Math.min(a, b)], edges[Math.max(a, b) + 1]] });
	const inside = (i: number): boolean => {
		if (draft) return i >= Math.min(...draft) && i <= Math.max(...draft);
		return !latency || (edges[i] >= latency[0] * 0.999999 && edges[i + 1] <= latency[1] * 1.000001);
	};
	const onKey = (event: KeyboardEvent): void => {
		const now = bin ?? 0;
		if (event.key === 'ArrowRight') setBin(Math.min(n - 1, bin === null ? 0 : now + 1));
		else if (event.key === 'ArrowLeft') setBin(Math.max(0, now - 1));
		else if (event.key === 'Enter' || event.key === ' ') choose(now, now);
		else if (event.key === 'Escape') app.go({ latency: null });
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	const said =
		bin === null ? '' : `${duration(edges[bin])} to ${duration(edges[bin + 1])}: ${count(counts[bin])}`;
	const step = W / n;
	/** Where a latency lies on the logarithmic axis, 0 to 1. */
	const shareOf = (value: number): number => Math.log(value / edges[0]) / Math.log(edges[n] / edges[0]);
	const digits = edges[n] > edges[0] * 1.25 ? 2 : 4; // as many as tell the ends apart
	const marks =
		bins.p50_ns != null &&
		bins.p99_ns != null &&
		`median ${duration(bins.p50_ns)}, p99 ${duration(bins.p99_ns)}`;
	return (
		<figure
			class="histogram"
			title="The first inference of each session is left out. Drag to filter the table"
		>
			<figcaption>
				<b>
					{count(total)} {total === 1 ? 'inference' : 'inferences'}
				</b>{' '}
				by latency, without first ones
				{latency ? (
					<button onClick={() => app.go({ latency: null })}>
						{duration(latency[0])} to {duration(latency[1])} ×
					</button>
				) : (
					<span class="dim">{said || marks || 'drag to filter'}</span>
				)}
			</figcaption>
			<svg
				ref={box}
				viewBox={`0 0 ${W} ${H}`}
				preserveAspectRatio="none"
				tabindex={0}
				role="application"
				aria-label={`Histogram of latency. Arrows walk, Enter filters. ${said}`}
				onKeyDown={onKey}
				onPointerDown={event => {
					event.currentTarget.setPointerCapture(event.pointerId);
					setDraft([binOf(event), binOf(event)]);
				}}
				onPointerMove={event => {
					setBin(binOf(event));
					if (draft) setDraft([draft[0], binOf(event)]);
				}}
				onPointerUp={event => {
					if (draft) choose(draft[0], binOf(event));
					setDraft(null);
				}}
				onPointerLeave={() => setBin(null)}
			>
				{counts.map((one, i) => (
					<rect
						key={i}
						class={`${inside(i) ? 'in' : 'out'}${bin === i ? ' at' : ''}`}
						x={i * step + 0.5}
						width={Math.max(0.5, step - 1)}
						y={H - (one ? Math.max(2, (one / most) * (H - 6)) : 0)}
						height={one ? Math.max(2, (one / most) * (H - 6)) : 0}
					/>
				))}
				{[bins.p50_ns, bins.p99_ns].map(
					value =>
						value != null &&
						edges[n] > edges[0] && (
							<line
								class="mark"
								x1={W * shareOf(value)}
								x2={W * shareOf(value)}
								y1="0"
								y2={H}
							/>
						),
				)}
				<line x1="0" x2={W} y1={H} y2={H} class="axis" />
			</svg>
			<div class="axis-text" style={{ height: `${FOOT}px` }}>
				{[edges[0], edges[Math.floor(n / 2)], edges[n]].map((edge, i) => (
					<span key={i}>{duration(edge, digits)}</span>
				))}
			</div>
		</figure>
	);
}
