// SPDX-License-Identifier: Apache-2.0
// The canvases of the timeline and what lies over them: one frame draws all of them from one view, so they always agree.
import type { App } from './app';
import { span, ticks, type View } from './axis';
import { css, pixel } from './colours';
import { duration, exact, inUnit, timeAt } from './format';
import { CounterPainter, PLOT } from './paint_counters';
import { ROW, SlicePainter, Strip, type Area, type Hit } from './paint_slices';
import { blocksOf } from './rows';
import { levelFor } from './tiles';

/** Parts of the page that the plots draw into. */
export interface Places {
	readonly root: HTMLElement;
	readonly scroller: HTMLElement;
	readonly events: HTMLCanvasElement;
	readonly resources: HTMLCanvasElement;
	readonly ruler: HTMLCanvasElement;
	readonly overview: HTMLCanvasElement;
	readonly window: HTMLElement;
	readonly overlay: HTMLElement;
	readonly cross: HTMLElement;
	readonly bubble: HTMLElement;
	readonly range: HTMLElement;
	readonly rangeText: HTMLElement;
	readonly measure: HTMLElement;
	readonly measureText: HTMLElement;
	readonly chosen: HTMLElement;
	readonly anchor: HTMLElement;
	readonly wide: HTMLElement;
}

/** Pixels within which a measure takes the edge of a slice. */
const NEAR = 8;

const most = (dpr: number): number => Math.min(dpr, 2);

export class Plots {
	readonly painter: SlicePainter;
	readonly counters: CounterPainter;
	/** Width of the plots in pixels of the page. */
	width = 0;
	pointer: number | null = null;
	/** A range, or a distance, that is being drawn. */
	draft: { readonly isRange: boolean; readonly times: readonly [number, number] } | null = null;
	onWidth: () => void = () => undefined;
	private height = 0;
	private dpr = 1;
	private frame = 0;
	private overviewOf = '';
	private overviewAsked = '';
	private readonly contexts = new Map<HTMLCanvasElement, CanvasRenderingContext2D>();
	private readonly stop: (() => void)[] = [];

	constructor(
		readonly app: App,
		readonly at: Places,
	) {
		this.painter = new SlicePainter(app);
		this.counters = new CounterPainter(app);
		this.stop.push(app.listen(() => this.soon()));
		const observer = new ResizeObserver(() => this.measure());
		observer.observe(at.scroller);
		observer.observe(at.overview);
		this.stop.push(() => observer.disconnect());
		const scrolled = (): void => this.soon();
		at.scroller.addEventListener('scroll', scrolled, { passive: true });
		this.stop.push(() => at.scroller.removeEventListener('scroll', scrolled));
		this.measure();
	}

	close(): void {
		cancelAnimationFrame(this.frame);
		this.stop.forEach(stop => stop());
	}

	/** Draws with the next frame of the screen. */
	soon(): void {
		if (!this.frame)
			this.frame = requestAnimationFrame(() => {
				this.frame = 0;
				this.draw();
			});
	}

	get area(): Area {
		return { width: this.width, height: this.height, dpr: this.dpr, scroll: this.at.scroller.scrollTop };
	}

	measure(): void {
		const { scroller, events } = this.at;
		const width = Math.max(1, Math.floor(scroller.clientWidth - events.offsetLeft));
		const height = Math.max(1, scroller.clientHeight);
		const dpr = most(devicePixelRatio);
		const isNew = width !== this.width || height !== this.height || dpr !== this.dpr;
		const wasInSight = this.isInSight(this.chosenLine);
		this.width = width;
		this.height = height;
		this.dpr = dpr;
		if (isNew) {
			this.onWidth();
			// what comes above takes room: the answer, when it is there
			if (wasInSight) this.scrollTo(this.chosenLine);
			this.draw();
		}
	}

	private context(canvas: HTMLCanvasElement, height: number): CanvasRenderingContext2D {
		const w = Math.round(this.width * this.dpr);
		const h = Math.max(1, Math.round(height * this.dpr));
		if (canvas.width !== w) canvas.width = w;
		if (canvas.height !== h) canvas.height = h;
		canvas.style.width = `${this.width}px`;
		canvas.style.height = `${height}px`;
		let context = this.contexts.get(canvas);
		if (!context) {
			context = canvas.getContext('2d', { alpha: false }) as CanvasRenderingContext2D;
			this.contexts.set(canvas, context);
		}
		return context;
	}

	/** That of the selected slice; -1: there is none on a line. */
	private get chosenLine(): number {
		const { slice, lineOfRow } = this.app;
		return slice ? (lineOfRow[slice.row] ?? -1) : -1;
	}

	private isInSight(line: number): boolean {
		const { scrollTop } = this.at.scroller;
		return line * ROW >= scrollTop && (line + 2) * ROW <= scrollTop + this.height;
	}

	private scrollTo(line: number): void {
		if (line >= 0 && !this.isInSight(line))
			this.at.scroller.scrollTop = Math.max(0, line * ROW - this.height / 3);
	}

	/** Scrolls to the track that somebody has asked for, unless it is in sight. */
	private scrollToWanted(): void {
		const { app } = this;
		if (app.wantedTrack === null) return;
		const row = app.slice?.track === app.wantedTrack ? this.chosenLine : -1;
		this.scrollTo(row >= 0 ? row : app.lines.findIndex(one => one.track.id === app.wantedTrack));
		app.wantedTrack = null;
	}

	draw(): void {
		const { app, at } = this;
		this.scrollToWanted();
		const said = `${app.view.begin}-${app.view.end}`;
		app.slices.pin(app.end, this.overviewBlocks());
		this.painter.draw(this.context(at.events, this.height), this.area);
		at.events.dataset.view = said;
		const plots = app.shownResources.length;
		if (plots) {
			this.counters.draw(this.context(at.resources, plots * PLOT), this.width, this.dpr);
			at.resources.dataset.view = said;
		}
		this.drawRuler();
		this.drawOverview();
		this.placeOverlays();
		this.placePointer();
	}

	private drawRuler(): void {
		const { app } = this;
		const { theme, view } = app;
		const { dpr, width } = this;
		const context = this.context(this.at.ruler, 24);
		const marks = ticks(view, width);
		context.fillStyle = css(theme.header);
		context.fillRect(0, 0, width * dpr, 24 * dpr);
		context.font = `${12 * dpr}px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif`;
		context.textBaseline = 'middle';
		for (const time of marks.at) {
			const x = Math.round(this.xOf(time) * dpr);
			context.fillStyle = theme.dim;
			context.globalAlpha = 0.5;
			context.fillRect(x, 15 * dpr, Math.max(1, Math.round(dpr)), 9 * dpr);
			context.globalAlpha = 1;
			const text =
				(marks.anchor ? '+' : '') +
				timeAt(time - marks.anchor, marks.step, view.end - marks.anchor);
			context.fillText(text, x + 4 * dpr, 12 * dpr);
		}
		const wide = duration(span(view), 4);
		if (this.at.wide.textContent !== wide) this.at.wide.textContent = wide;
		const from = marks.anchor ? `${exact(marks.anchor)} +` : '';
		if (this.at.anchor.textContent !== from) this.at.anchor.textContent = from;
	}

	/** Of very many rows, the first are enough. */
	private overviewBlocks(): readonly string[] {
		return blocksOf(this.app.lines, this.app.askedRows).slice(0, 8);
	}

	/** All of the recording in small, drawn anew only when something of it has come or changed. */
	private drawOverview(): void {
		const { app, dpr } = this;
		const height = 36;
		const { lines } = app;
		const all: View = app.all;
		const w = Math.round(this.width * dpr);
		const level = levelFor(span(all) / Math.max(1, w));
		const asked = [
			w,
			level,
			lines.length,
			app.theme.isDark,
			all.begin,
			all.end,
			app.slices.freshness,
			app.place.query,
			app.found.length,
			app.place.collapsed,
			app.place.hidden,
		].join();
		// while the view moves, there is mostly nothing new
		if (`${asked},${app.slices.settled}` === this.overviewAsked) return;
		this.overviewAsked = `${asked},${app.slices.settled}`;
		const rowLines = lines.filter(line => line.rows.length && line.depth === 0);
		const pieces = this.overviewBlocks().flatMap(rows =>
			app.slices.pieces(level, all.begin, all.end, all.end, rows),
		);
		const state = [asked, pieces.filter(piece => piece.isExact).length, pieces.length].join();
		if (state === this.overviewOf) return;
		this.overviewOf = state;
		const context = this.context(this.at.overview, height);
		const strip = new Strip(w, Math.max(1, rowLines.length));
		strip.pixels.fill(pixel(app.theme.ground));
		const lineOf = new Int32Array(app.rows).fill(-1);
		rowLines.forEach((line, i) => line.rows.forEach(row => (lineOf[row] = i)));
		for (const piece of pieces) strip.paint(piece, all, app, lineOf, 0);
		const scratch = new OffscreenCanvas(w, strip.image.height);
		(scratch.getContext('2d') as OffscreenCanvasRenderingContext2D).putImageData(strip.image, 0, 0);
		context.fillStyle = css(app.theme.ground);
		context.fillRect(0, 0, w, height * dpr);
		const tall = Math.min(height - 6, rowLines.length * 8);
		context.imageSmoothingEnabled = tall < rowLines.length;
		context.drawImage(scratch, 0, ((height - tall) / 2) * dpr, w, tall * dpr);
	}

	xOf(time: number): number {
		return ((time - this.app.view.begin) / span(this.app.view)) * this.width;
	}

	timeOf(x: number): number {
		return this.app.view.begin + (x / this.width) * span(this.app.view);
	}

	hit(x: number, y: number): Hit | null {
		return this.painter.hit(x, y, this.area);
	}

	private placeOverlays(): void {
		const { app, at } = this;
		const { view } = app;
		// before the first event there is no time
		const all = Math.max(1, span(app.all));
		const left = ((view.begin - app.all.begin) / all) * this.width;
		const wide = span(app.all) > 0 ? (span(view) / all) * this.width : this.width;
		at.window.style.left = `${left}px`;
		at.window.style.width = `${Math.max(3, wide)}px`;
		at.window.dataset.all = String(wide >= this.width - 0.5);
		at.overlay.style.width = `${this.width}px`;
		const { draft } = this;
		this.placeSpan(at.range, at.rangeText, draft?.isRange ? draft.times : app.place.range);
		this.placeSpan(at.measure, at.measureText, draft && !draft.isRange ? draft.times : app.place.measure);
		this.placeChosen();
	}

	private placeSpan(box: HTMLElement, text: HTMLElement, times: readonly [number, number] | null): void {
		box.hidden = !times || times[1] < this.app.view.begin || times[0] > this.app.view.end;
		if (!times || box.hidden) return;
		const from = Math.max(-2, this.xOf(times[0]));
		const to = Math.min(this.width + 2, this.xOf(times[1]));
		box.style.left = `${from}px`;
		box.style.width = `${Math.max(1, to - from)}px`;
		text.textContent = duration(times[1] - times[0], 4);
		// also of a short one at the edge, all of the text is on the screen
		const half = text.offsetWidth / 2;
		const middle = Math.min(this.width - half, Math.max(half, (from + to) / 2));
		text.style.left = `${middle - from}px`;
	}

	/** The begin or end of a slice where one is near a point of the window, else the time there. */
	edgeAt(x: number, clientY: number): number {
		const time = this.timeOf(x);
		const hit = this.hit(x, clientY - this.at.events.getBoundingClientRect().top);
		if (!hit?.slice) return time;
		const [edge] = [hit.begin, hit.end].sort((a, b) => Math.abs(a - time) - Math.abs(b - time));
		return Math.abs(this.xOf(edge) - x) <= NEAR ? edge : time;
	}

	/** The frame around the selected slice. */
	private placeChosen(): void {
		const { app, at } = this;
		const { slice } = app;
		const line = slice ? (app.lineOfRow[slice.row] ?? -1) : -1;
		at.chosen.hidden = !slice || line < 0 || slice.end < app.view.begin || slice.begin > app.view.end;
		if (!slice || at.chosen.hidden) return;
		const from = Math.max(-4, this.xOf(slice.begin));
		const to = Math.min(this.width + 4, this.xOf(slice.end));
		at.chosen.style.left = `${at.events.offsetLeft + from - 1}px`;
		at.chosen.style.width = `${Math.max(3, to - from) + 1}px`;
		at.chosen.style.top = `${line * ROW - 1}px`;
	}

	/** The crosshair through all plots, and the values of the resources at it. */
	placePointer(): void {
		const { at, app, pointer } = this;
		at.cross.hidden = pointer === null;
		at.bubble.hidden = pointer === null;
		if (pointer !== null) {
			at.cross.style.transform = `translateX(${pointer}px)`;
			const time = this.timeOf(pointer);
			at.bubble.textContent = timeAt(time, Math.max(1, span(app.view) / this.width));
			const flip = pointer > this.width - at.bubble.offsetWidth - 8;
			at.bubble.style.transform = `translateX(${flip ? pointer - at.bubble.offsetWidth - 4 : pointer + 4}px)`;
		}
		const share = pointer === null ? 1 : pointer / this.width;
		for (const counter of app.shownResources) {
			const value = at.root.querySelector<HTMLElement>(`[data-value="${counter.id}"]`);
			const text = inUnit(this.counters.valueAt(counter.id, share), counter.unit);
			if (value && value.textContent !== text) value.textContent = text;
		}
	}

	/** What is on the screen as one picture. */
	picture(): Promise<Blob> {
		const { at, app, dpr } = this;
		const gutter = Math.round(at.events.offsetLeft * dpr);
		const head = at.ruler.height;
		const middle = app.shownResources.length ? at.resources.height : 0;
		const canvas = document.createElement('canvas');
		canvas.width = gutter + at.events.width;
		canvas.height = head + middle + at.events.height;
		const context = canvas.getContext('2d') as CanvasRenderingContext2D;
		context.fillStyle = css(app.theme.ground);
		context.fillRect(0, 0, canvas.width, canvas.height);
		context.drawImage(at.ruler, gutter, 0);
		if (middle) context.drawImage(at.resources, gutter, head);
		context.drawImage(at.events, gutter, head + middle);
		this.nameLines(context, gutter, head, middle);
		return new Promise((resolve, reject) =>
			canvas.toBlob(
				blob => (blob ? resolve(blob) : reject(new Error('no picture could be made'))),
				'image/png',
			),
		);
	}

	private nameLines(context: CanvasRenderingContext2D, gutter: number, head: number, middle: number): void {
		const { app, dpr } = this;
		context.fillStyle = app.theme.ink;
		context.font = `${12 * dpr}px system-ui, sans-serif`;
		context.textBaseline = 'middle';
		const fit = (text: string, x: number): string => {
			const n = Math.floor(
				((gutter - x - 6 * dpr) / Math.max(1, context.measureText(text).width)) * text.length,
			);
			return n >= text.length ? text : `${text.slice(0, Math.max(0, n - 1))}…`;
		};
		app.shownResources.forEach((counter, i) => {
			const x = 8 * dpr;
			context.fillText(fit(counter.name, x), x, head + (i + 0.5) * PLOT * dpr);
		});
		const [first, last] = this.painter.lines(this.area);
		for (let i = first; i < last; i++) {
			const line = app.lines[i];
			const x = (8 + 12 * line.level) * dpr;
			if (line.depth === 0)
				context.fillText(
					fit(line.label, x),
					x,
					head + middle + ((i + 0.45) * ROW - this.area.scroll) * dpr,
				);
		}
	}
}
