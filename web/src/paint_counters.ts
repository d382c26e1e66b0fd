// SPDX-License-Identifier: Apache-2.0
// Draws resources: columns of pixels on one canvas, on the time axis of the slices. A value holds until the next.
import type { Counter } from './api';
import type { App } from './app';
import { span, ticks, type View } from './axis';
import { css, mix, pixel, resourceColour, type Rgb } from './colours';
import type { CounterTile } from './decode';
import { inUnit } from './format';
import { levelFor, type Piece } from './tiles';

export const PLOT = 36;
const INNER = 30;

export interface Columns {
	readonly low: Float32Array;
	readonly high: Float32Array;
	readonly last: Float32Array;
}

/** The top of a plot's scale: 100 % (or as many as are used), else a round figure. */
export function topOf(counter: Counter): number {
	if (counter.unit === '%' || counter.unit === 'percent')
		return Math.max(100, Math.ceil(counter.max / 100) * 100);
	if (counter.max <= 0) return 1;
	if (counter.unit.startsWith('bytes')) {
		const unit = 1024 ** Math.max(0, Math.floor(Math.log2(counter.max) / 10));
		return unit * roundUp(counter.max / unit);
	}
	return roundUp(counter.max);
}

function roundUp(value: number): number {
	const power = 10 ** Math.floor(Math.log10(value));
	for (const factor of [1, 1.5, 2, 3, 4, 5, 6, 8, 10]) if (factor * power >= value * 0.999) return factor * power;
	return 10 * power;
}

/** The values of a counter on each of `width` columns of the view: NaN where nothing is known. */
export function columnsOf(pieces: readonly Piece<CounterTile>[], id: number, view: View, width: number): Columns {
	const low = new Float32Array(width).fill(NaN);
	const high = new Float32Array(width).fill(NaN);
	const last = new Float32Array(width).fill(NaN);
	const scale = width / span(view);
	for (const { tile, from, to } of pieces) {
		const columns = tile.counters.get(id);
		if (!columns) continue;
		const lo = Math.max(0, Math.floor((from - view.begin) * scale));
		const hi = Math.min(width, Math.ceil((to - view.begin) * scale));
		let held = columns.before;
		let at = Math.max(lo, Math.floor((tile.begin - view.begin) * scale));
		const hold = (until: number): void => {
			for (const stop = Math.min(until, hi); at < stop; at++) low[at] = high[at] = last[at] = held;
		};
		for (let i = 0; i < columns.x.length; i++) {
			const x = Math.floor((tile.begin + columns.x[i] * tile.pixel - view.begin) * scale);
			if (x >= hi) break;
			hold(x);
			held = columns.last[i];
			if (x < lo) continue;
			low[x] = Math.min(columns.min[i], Number.isNaN(low[x]) || x >= at ? columns.min[i] : low[x]);
			high[x] = Math.max(columns.max[i], Number.isNaN(high[x]) || x >= at ? columns.max[i] : high[x]);
			last[x] = held;
			at = Math.max(at, x + 1);
		}
		hold(hi);
	}
	return { low, high, last };
}

export class CounterPainter {
	private image: ImageData | null = null;
	private columns = new Map<number, Columns>();
	private width = 0;

	constructor(private readonly app: App) {}

	/** Draws the shown resources, the first at the top. */
	draw(context: CanvasRenderingContext2D, width: number, dpr: number): void {
		const { app } = this;
		const counters = app.shownResources;
		const w = Math.round(width * dpr);
		const h = Math.round(counters.length * PLOT * dpr);
		this.width = w;
		if (!w || !h) return;
		if (!this.image || this.image.width !== w || this.image.height !== h) this.image = new ImageData(w, h);
		const pixels = new Uint32Array(this.image.data.buffer);
		pixels.fill(pixel(app.theme.ground));
		const ids = counters.map(counter => counter.id).join(',');
		const pieces = app.counters.pieces(
			levelFor(span(app.view) / w),
			app.view.begin,
			app.view.end,
			app.end,
			ids,
		);
		this.columns = new Map(
			counters.map(counter => [counter.id, columnsOf(pieces, counter.id, app.view, w)]),
		);
		counters.forEach((counter, i) =>
			this.plot(pixels, counter, Math.round((i + 1) * PLOT * dpr) - Math.round(dpr), dpr),
		);
		context.putImageData(this.image, 0, 0);
		context.fillStyle = app.theme.grid;
		for (const at of ticks(app.view, width).at)
			context.fillRect(
				Math.round(((at - app.view.begin) / span(app.view)) * w),
				0,
				Math.max(1, Math.round(dpr)),
				h,
			);
		this.scales(context, counters, w, dpr);
	}

	/** `bottom`: the first row of pixels below the plot. */
	private plot(pixels: Uint32Array, counter: Counter, bottom: number, dpr: number): void {
		const { app, width } = this;
		const columns = this.columns.get(counter.id) as Columns;
		const colour = resourceColour(counter.group, app.theme);
		const area = pixel(mix(app.theme.ground, colour, app.theme.isDark ? 0.3 : 0.22));
		const line = pixel(colour);
		const scale = (INNER * dpr) / topOf(counter);
		const thick = Math.max(1, Math.round(1.5 * dpr));
		let before = NaN;
		for (let x = 0; x < width; x++) {
			const high = columns.high[x];
			if (Number.isNaN(high)) {
				before = NaN;
				continue;
			}
			// a step from the column before is part of the line
			const from = Math.min(columns.low[x], Number.isNaN(before) ? Infinity : before);
			const to = Math.max(high, Number.isNaN(before) ? -Infinity : before);
			const top = bottom - Math.max(thick, Math.round(to * scale));
			const under = bottom - Math.max(0, Math.round(from * scale) - thick);
			const ground = bottom - Math.round(Math.max(0, columns.low[x]) * scale);
			for (let y = ground; y < bottom; y++) pixels[y * width + x] = area;
			for (let y = top; y < Math.max(top + thick, under); y++)
				if (y < bottom) pixels[y * width + x] = line;
			before = columns.last[x];
		}
	}

	private scales(
		context: CanvasRenderingContext2D,
		counters: readonly Counter[],
		width: number,
		dpr: number,
	): void {
		const { theme } = this.app;
		context.font = `${12 * dpr}px system-ui, sans-serif`;
		context.textBaseline = 'top';
		context.textAlign = 'right';
		counters.forEach((counter, i) => {
			context.fillStyle = theme.line;
			context.fillRect(0, Math.round((i + 1) * PLOT * dpr) - Math.round(dpr), width, Math.round(dpr));
			const text = inUnit(topOf(counter), counter.unit);
			const y = (i * PLOT + 2) * dpr;
			context.fillStyle = css(theme.ground);
			context.globalAlpha = 0.9;
			context.fillRect(
				width - context.measureText(text).width - 9 * dpr,
				y - dpr,
				context.measureText(text).width + 7 * dpr,
				14 * dpr,
			);
			context.globalAlpha = 1;
			context.fillStyle = theme.dim;
			context.fillText(text, width - 5 * dpr, y);
		});
		context.textAlign = 'left';
	}

	/** The value of a resource at a share 0..1 of the view; NaN where nothing is known. */
	valueAt(id: number, share: number): number {
		const columns = this.columns.get(id);
		return columns
			? columns.last[Math.min(this.width - 1, Math.max(0, Math.floor(share * this.width)))]
			: NaN;
	}
}

export const toneOf = (counter: Counter, app: App): Rgb => resourceColour(counter.group, app.theme);
