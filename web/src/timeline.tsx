// SPDX-License-Identifier: Apache-2.0
// The timeline: overview, time axis, resources above, events below.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { App } from './app';
import { around, span } from './axis';
import { Brush } from './brush';
import { colourOf, css } from './colours';
import { count, duration, exact, oneLine } from './format';
import { Gestures } from './gestures';
import { Legend } from './legend';
import { Hint, Modes } from './modes';
import { NoteDialog, Notes } from './notes';
import { ROW, type Hit } from './paint_slices';
import { Plots } from './plots';
import { ResourceBar, ResourceNames } from './resources';
import { Tree } from './tree';
import { useApp } from './use';

interface Tip {
	readonly hit: Hit;
	readonly x: number;
	readonly y: number;
}

/** The class of work, and in brackets what it belongs to. */
export function classText(app: App, i: number): string {
	const name = app.recording.classes[i] ?? '';
	const kind = app.recording.class_kinds[i] ?? '';
	return kind && kind !== name ? `${oneLine(name)} (${kind})` : oneLine(name);
}

function TipBox({ app, tip }: { app: App; tip: Tip }) {
	const { hit } = tip;
	const box = useRef<HTMLDivElement>(null);
	useEffect(() => {
		const element = box.current;
		if (!element) return;
		const { width, height } = element.getBoundingClientRect();
		element.style.left = `${Math.max(4, Math.min(tip.x + 14, innerWidth - width - 4))}px`;
		element.style.top = `${tip.y + 20 + height > innerHeight ? tip.y - height - 12 : tip.y + 20}px`;
	});
	const kind = app.recording.class_kinds[hit.class] ?? '';
	const colour = css(colourOf(app.recording.classes[hit.class] ?? '', kind, app.theme.isDark));
	const pixels = span(app.view) / Math.max(1, innerWidth);
	return (
		<div class="tip" ref={box} role="tooltip">
			<b>
				{hit.slice
					? oneLine(app.names[hit.slice.name] ?? '')
					: `${count(hit.count)} slices, mostly ${classText(app, hit.class)}`}
			</b>
			<span class="tip-kind">
				<i class="swatch" style={{ background: colour }} />
				{hit.slice
					? classText(app, hit.class)
					: `${Math.round((hit.fill / 255) * 100)} % of the time here`}
			</span>
			<span>
				{hit.slice
					? hit.slice.cut
						? 'not ended'
						: exact(hit.end - hit.begin)
					: `longest about ${duration(hit.longest, 2)}`}
				<span class="dim">
					{' '}
					at{' '}
					{duration(
						hit.begin,
						Math.max(
							4,
							Math.ceil(
								Math.log10(
									Math.max(10, hit.begin / Math.max(1, pixels)),
								),
							),
						),
					)}
				</span>
			</span>
		</div>
	);
}

/** For those who have neither a wheel nor a keyboard at hand. */
function Zooms({ app }: { app: App }) {
	const by = (factor: number): void => app.zoomAt((app.view.begin + app.view.end) / 2, factor, true);
	return (
		<span class="zooms" role="group" aria-label="Zoom">
			<button aria-label="Zoom out" title="Zoom out (S)" onClick={() => by(2)}>
				−
			</button>
			<button aria-label="Zoom in" title="Zoom in (W)" onClick={() => by(0.5)}>
				+
			</button>
			<button
				aria-label="All: show everything"
				title="Show everything (0)"
				onClick={() => app.flyTo(app.all)}
			>
				All
			</button>
		</span>
	);
}

function EventBar({ app }: { app: App }) {
	const { tracks } = app.recording;
	const { hidden } = app.place;
	const some = app.lines.some(line => line.hasMore && !line.isCollapsed);
	const all = (): void => {
		const open = tracks.filter(track => track.rows > 1 || tracks.some(other => other.parent === track.id));
		app.go({ collapsed: some ? open.map(track => track.id) : [] });
	};
	return (
		<div class="bar">
			<h2>Events</h2>
			<Modes app={app} />
			<button onClick={all}>{some ? 'Collapse' : 'Expand'}</button>
			{hidden.length > 0 && (
				<button class="notice" onClick={() => app.go({ hidden: [] })}>
					Show {hidden.length} hidden
				</button>
			)}
			<Legend app={app} />
		</div>
	);
}

function useRefs() {
	return {
		root: useRef<HTMLElement>(null),
		scroller: useRef<HTMLDivElement>(null),
		events: useRef<HTMLCanvasElement>(null),
		resources: useRef<HTMLCanvasElement>(null),
		ruler: useRef<HTMLCanvasElement>(null),
		overview: useRef<HTMLCanvasElement>(null),
		window: useRef<HTMLDivElement>(null),
		overlay: useRef<HTMLDivElement>(null),
		cross: useRef<HTMLDivElement>(null),
		bubble: useRef<HTMLDivElement>(null),
		range: useRef<HTMLDivElement>(null),
		rangeText: useRef<HTMLSpanElement>(null),
		measure: useRef<HTMLDivElement>(null),
		measureText: useRef<HTMLSpanElement>(null),
		chosen: useRef<HTMLDivElement>(null),
		anchor: useRef<HTMLSpanElement>(null),
		wide: useRef<HTMLSpanElement>(null),
	};
}

export function Timeline({ app, onPlots }: { app: App; onPlots: (plots: Plots) => void }) {
	useApp(app, 'place');
	const at = useRefs();
	const [tip, setTip] = useState<Tip | null>(null);
	const plots = useRef<Plots | null>(null);
	useEffect(() => {
		const places = Object.fromEntries(Object.entries(at).map(([name, ref]) => [name, ref.current]));
		const made = new Plots(app, places as unknown as Plots['at']);
		plots.current = made;
		onPlots(made);
		const gestures = new Gestures(made, {
			hover: (hit, x, y) => setTip(hit ? { hit, x, y } : null),
			click: (x, y, isEvents) => isEvents && click(made, x, y),
			open: (x, y) => open(made, x, y),
		});
		const brush = new Brush(made, at.overview.current!.parentElement!);
		return () => (gestures.close(), brush.close(), made.close());
	}, [app]);
	const height = useMemo(() => ({ height: `${app.lines.length * ROW + 6}px` }), [app.lines.length]);
	return (
		<section class={`timeline mode-${app.mode}`} ref={at.root} aria-label="Timeline">
			<div class="strip">
				<div class="gutter">
					<h2>Overview</h2>
					<Zooms app={app} />
				</div>
				<div class="overview" title="Drag: another part. Double-click: everything">
					<canvas
						ref={at.overview}
						role="img"
						aria-label="The whole recording in small"
					/>
					<div class="window" ref={at.window} />
				</div>
			</div>
			<div class="strip">
				<div class="gutter">
					<span class="wide" ref={at.wide} title="How much time is on the screen" />
					<span class="anchor" ref={at.anchor} />
				</div>
				<canvas
					class="ruler"
					ref={at.ruler}
					role="img"
					aria-label="Time axis"
					title="Drag to choose a range"
				/>
			</div>
			<ResourceBar app={app} />
			<div class={app.shownResources.length ? 'resources' : 'resources none'}>
				<ResourceNames app={app} />
				<canvas ref={at.resources} role="img" aria-label="Resources over time" />
			</div>
			<EventBar app={app} />
			<div class="scroller" ref={at.scroller}>
				<div class="sizer" style={height}>
					<Tree app={app} />
					<canvas
						class="events"
						ref={at.events}
						tabIndex={0}
						role="application"
						aria-roledescription="timeline"
						aria-label="Events over time. A and D move, W and S zoom, comma and full stop step from slice to slice, question mark lists all keys."
					/>
					<div class="chosen" ref={at.chosen} hidden />
				</div>
				{app.recording.events === 0 && <p class="empty">The recording has no events.</p>}
			</div>
			<div class="overlay" ref={at.overlay}>
				<div class="range" ref={at.range} hidden>
					<span ref={at.rangeText} />
				</div>
				<div class="measure" ref={at.measure} hidden>
					<span ref={at.measureText} />
				</div>
				<Notes app={app} />
				<div class="cross" ref={at.cross} hidden />
				<div class="bubble" ref={at.bubble} hidden />
			</div>
			<Hint app={app} />
			{app.edited !== null && <NoteDialog app={app} time={app.edited} />}
			{tip && <TipBox app={app} tip={tip} />}
		</section>
	);
}

function click(plots: Plots, x: number, y: number): void {
	const { app } = plots;
	const line = app.lines[Math.floor((y + plots.at.scroller.scrollTop) / ROW)];
	const hit = plots.hit(x, y);
	if (hit?.slice) void app.select(hit.row, hit.slice.index, false);
	else if (hit) void app.selectAt(hit.row, plots.timeOf(x), (4 * span(app.view)) / plots.width);
	else if (line || app.place.selection) app.deselect();
}

function open(plots: Plots, x: number, y: number): void {
	const hit = plots.hit(x, y);
	if (hit) plots.app.flyTo(around(hit.begin, hit.end, plots.app.end));
}
