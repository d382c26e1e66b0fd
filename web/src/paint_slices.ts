// SPDX-License-Identifier: Apache-2.0
// Draws slices: one line of pixels for each line of the tree, stretched to its height in one call, with the gaps and the
// labels over it. A tile is binned to the pixels of the screen anew in each frame, so nothing shimmers.
import type { Flow } from './api';
import type { App } from './app';
import { levelFor, type Piece } from './tiles';
import { span, ticks, type View } from './axis';
import { css, FILLS, pixel } from './colours';
import { CUT, type SliceTile } from './decode';
import { duration, oneLine } from './format';
import { blocksOf, type Line } from './rows';

export const ROW = 20;
const GAP = 2;
const LABEL_FROM = 30;
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

/** Where and how large: pixels of the screen, times dpr where it says so. */
export interface Area {
	readonly width: number;
	readonly height: number;
	readonly dpr: number;
	readonly scroll: number;
}

export interface Hit {
	readonly row: number;
	readonly line: number;
	/** null: several slices that share pixels. */
	readonly slice: { readonly index: number; readonly name: number; readonly cut: boolean } | null;
	readonly begin: number;
	readonly end: number;
	readonly class: number;
	readonly count: number;
	readonly fill: number;
	readonly longest: number;
}

const fontAt = (dpr: number): string => FONT.replace('12px', `${12 * dpr}px`);

/** Paints the part of a tile that lies in [from, to) into lines of pixels. */
export class Strip {
	image: ImageData;
	pixels: Uint32Array;
	constructor(
		readonly width: number,
		readonly lines: number,
	) {
		this.image = new ImageData(Math.max(1, width), Math.max(1, lines));
		this.pixels = new Uint32Array(this.image.data.buffer);
	}

	/** `lineOf` gives the line of a row relative to `first`; lines that are not on the strip are left out. */
	paint(piece: Piece<SliceTile>, view: View, app: App, lineOf: Int32Array, first: number): void {
		const { tile } = piece;
		const { width, pixels } = this;
		const scale = width / span(view);
		const lo = Math.max(0, Math.floor((piece.from - view.begin) * scale));
		const hi = Math.min(width, Math.ceil((piece.to - view.begin) * scale));
		if (hi <= lo) return;
		const put = (line: number, from: number, to: number, colour: number): void => {
			if (to > lo && from < hi)
				pixels.fill(
					colour,
					line * width + (from > lo ? from : lo),
					line * width + (to < hi ? to : hi),
				);
		};
		this.paintRuns(tile, (tile.begin - view.begin) * scale, tile.pixel * scale, app, lineOf, first, put);
		const { big } = tile;
		const { colours, pale, matches } = app;
		for (let i = 0; i < big.row.length; i++) {
			const line = (lineOf[big.row[i]] ?? -1) - first;
			if (line < 0 || line >= this.lines) continue;
			const from = Math.round((big.begin[i] - view.begin) * scale);
			const to = Math.round((big.end[i] - view.begin) * scale);
			const colour = (matches && !matches.has(big.name[i]) ? pale : colours)[
				(big.class[i] & ~CUT) * FILLS + FILLS - 1
			];
			put(line, from, to - from > 3 ? to - 1 : Math.max(from + 1, to), colour);
		}
	}

	private paintRuns(
		tile: SliceTile,
		offset: number,
		step: number,
		app: App,
		lineOf: Int32Array,
		first: number,
		put: (line: number, from: number, to: number, colour: number) => void,
	): void {
		const { runs } = tile;
		const { colours, pale, matchingClasses } = app;
		for (let r = 0; r < runs.row.length; r++) {
			const line = (lineOf[runs.row[r]] ?? -1) - first;
			if (line < 0 || line >= this.lines) continue;
			for (let i = runs.first[r]; i < runs.first[r + 1]; i++) {
				const from = Math.floor(offset + runs.x[i] * step);
				const to = Math.floor(offset + (runs.x[i] + runs.length[i]) * step);
				const colour = (
					matchingClasses && !matchingClasses.has(runs.class[i]) ? pale : colours
				)[runs.class[i] * FILLS + (runs.fill[i] >> 4)];
				put(line, from, Math.max(from + 1, to), colour);
			}
		}
	}
}

/** Whether this part of the screen names a slice: one tile may be in several parts, and a slice in several tiles. */
export function isNamedIn(piece: { readonly from: number; readonly to: number }, begin: number, left: number): boolean {
	const at = Math.max(begin, left);
	return at >= piece.from && at < piece.to;
}

export class SlicePainter {
	private strip: Strip | null = null;
	private readonly scratch: OffscreenCanvasRenderingContext2D;
	private readonly texts: string[] = [];
	private widths: number[] = [];
	private font = '';
	private readonly cuts = new Map<string, number>();
	private pieces: Piece<SliceTile>[] = [];

	constructor(private readonly app: App) {
		const canvas = new OffscreenCanvas(1, 1);
		this.scratch = canvas.getContext('2d', {
			alpha: false,
			willReadFrequently: true,
		}) as OffscreenCanvasRenderingContext2D;
	}

	/** The lines that are on the screen. */
	lines(area: Area): readonly [number, number] {
		const first = Math.min(Math.floor(area.scroll / ROW), Math.max(0, this.app.lines.length - 1));
		return [first, Math.min(this.app.lines.length, Math.ceil((area.scroll + area.height) / ROW))];
	}

	draw(context: CanvasRenderingContext2D, area: Area): void {
		const { app } = this;
		const { theme, view } = app;
		const { dpr } = area;
		const width = Math.round(area.width * dpr);
		const [first, last] = this.lines(area);
		const n = last - first;
		context.fillStyle = css(theme.ground);
		context.fillRect(0, 0, width, Math.round(area.height * dpr));
		if (n <= 0 || width <= 0) return;
		this.collect(view, width, first, last);
		this.paintStrip(width, first, n);
		const top = Math.round((first * ROW - area.scroll) * dpr);
		context.imageSmoothingEnabled = false;
		context.drawImage(this.scratch.canvas, 0, 0, width, n, 0, top, width, n * ROW * dpr);
		this.paintGaps(context, width, first, n, top, dpr);
		context.fillStyle = theme.grid;
		for (const at of ticks(view, area.width).at)
			context.fillRect(
				Math.round(((at - view.begin) / span(view)) * width),
				0,
				Math.max(1, Math.round(dpr)),
				area.height * dpr,
			);
		this.paintLabels(context, width, first, n, top, dpr);
		for (const flow of app.flows) this.paintFlow(context, flow, width, area);
	}

	/** An arrow from where a slice starts another one, or from its end, to the begin of that. */
	private paintFlow(context: CanvasRenderingContext2D, { from, to }: Flow, width: number, area: Area): void {
		const { lineOfRow, theme, view } = this.app;
		const lines = [lineOfRow[from.row] ?? -1, lineOfRow[to.row] ?? -1];
		if (lines.some(line => line < 0)) return;
		const { dpr } = area;
		const xOf = (time: number): number => ((time - view.begin) / span(view)) * width;
		const [y1, y2] = lines.map(line => (line * ROW + (ROW - GAP) / 2 - area.scroll) * dpr);
		const x1 = xOf(Math.min(Math.max(from.begin, to.begin), from.end));
		const x2 = xOf(to.begin);
		if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > width) return;
		const bend = Math.min(60 * dpr, Math.max(16 * dpr, Math.abs(x2 - x1) / 2));
		const tip = 5 * dpr;
		const curve = new Path2D();
		curve.moveTo(x1, y1);
		curve.bezierCurveTo(x1 + bend, y1, x2 - bend - tip, y2, x2 - tip, y2);
		const head = new Path2D();
		head.moveTo(x2, y2);
		head.lineTo(x2 - 1.6 * tip, y2 - 0.8 * tip);
		head.lineTo(x2 - 1.6 * tip, y2 + 0.8 * tip);
		head.closePath();
		context.strokeStyle = css(theme.ground);
		context.lineWidth = 4 * dpr;
		context.stroke(curve);
		context.strokeStyle = context.fillStyle = theme.accent;
		context.lineWidth = 1.75 * dpr;
		context.stroke(curve);
		context.fill(head);
	}

	private collect(view: View, width: number, first: number, last: number): void {
		const { app } = this;
		const level = levelFor(span(view) / width);
		this.pieces = blocksOf(app.lines.slice(Math.max(0, first - 2), last + 2), app.askedRows).flatMap(rows =>
			app.slices.pieces(level, view.begin, view.end, app.end, rows),
		);
	}

	private paintStrip(width: number, first: number, n: number): void {
		const { app } = this;
		if (!this.strip || this.strip.width !== width || this.strip.lines < n || this.strip.lines > n + 40) {
			this.strip = new Strip(width, n + 4);
			this.scratch.canvas.width = width;
			this.scratch.canvas.height = n + 4;
		}
		const ground = pixel(app.theme.ground);
		const header = pixel(app.theme.header);
		for (let i = 0; i < n; i++) {
			const line = app.lines[first + i];
			this.strip.pixels.fill(line.rows.length ? ground : header, i * width, (i + 1) * width);
		}
		for (const piece of this.pieces) this.strip.paint(piece, app.view, app, app.lineOfRow, first);
		this.scratch.putImageData(this.strip.image, 0, 0);
	}

	private paintGaps(
		context: CanvasRenderingContext2D,
		width: number,
		first: number,
		n: number,
		top: number,
		dpr: number,
	): void {
		const { app } = this;
		context.fillStyle = css(app.theme.ground);
		for (let i = 0; i < n; i++)
			if (app.lines[first + i].rows.length)
				context.fillRect(0, top + ((i + 1) * ROW - GAP) * dpr, width, GAP * dpr);
		context.fillStyle = app.theme.line;
		for (let i = 0; i < n; i++)
			if (i + first > 0 && app.lines[first + i].depth === 0)
				context.fillRect(0, top + (i * ROW - 1) * dpr, width, Math.max(1, Math.round(dpr)));
	}

	private measure(context: CanvasRenderingContext2D, dpr: number, name: number): string {
		const font = fontAt(dpr);
		if (this.font !== font) {
			this.font = font;
			this.widths = [];
			this.cuts.clear();
		}
		const text = (this.texts[name] ??= oneLine(this.app.names[name] ?? ''));
		this.widths[name] ??= context.measureText(text).width;
		return text;
	}

	/** As much of a text as has room; measured once for each length, as measuring is dear. */
	private cutTo(context: CanvasRenderingContext2D, text: string, full: number, room: number): string {
		for (let n = Math.floor((room / full) * text.length); n > 2; n--) {
			const cut = `${text.slice(0, n - 1)}…`;
			let width = this.cuts.get(cut);
			if (width === undefined) {
				if (this.cuts.size > 20000) this.cuts.clear();
				width = context.measureText(cut).width;
				this.cuts.set(cut, width);
			}
			if (width <= room + 2) return cut;
		}
		return '';
	}

	private paintLabels(
		context: CanvasRenderingContext2D,
		width: number,
		first: number,
		n: number,
		top: number,
		dpr: number,
	): void {
		const { app } = this;
		const { view } = app;
		const scale = width / span(view);
		const least = (LABEL_FROM * dpr) / scale;
		context.font = fontAt(dpr);
		context.textBaseline = 'middle';
		context.fillStyle = app.theme.ink;
		for (const piece of this.pieces) {
			const { big } = piece.tile;
			for (let i = 0; i < big.row.length; i++) {
				if (
					big.end[i] - big.begin[i] < least ||
					big.end[i] <= view.begin ||
					big.begin[i] >= view.end
				)
					continue;
				if (!isNamedIn(piece, big.begin[i], view.begin)) continue;
				const line = (app.lineOfRow[big.row[i]] ?? -1) - first;
				if (line < 0 || line >= n || app.lines[first + line].rows.length > 1) continue;
				const text = this.measure(context, dpr, big.name[i]);
				const x = Math.max(0, (big.begin[i] - view.begin) * scale);
				const room = Math.min(width, (big.end[i] - view.begin) * scale) - x - 8 * dpr;
				const full = this.widths[big.name[i]];
				const y = top + (line * ROW + (ROW - GAP) / 2 + 0.5) * dpr;
				if (matchless(app, big.name[i])) context.globalAlpha = 0.45;
				if (full <= room) {
					context.fillText(text, x + 4 * dpr, y);
					if (full + 64 * dpr < room)
						this.paintDuration(context, big, i, x + full + 12 * dpr, y);
				} else {
					const cut = this.cutTo(context, text, full, room);
					if (cut) context.fillText(cut, x + 4 * dpr, y);
				}
				context.globalAlpha = 1;
			}
		}
	}

	private paintDuration(
		context: CanvasRenderingContext2D,
		big: SliceTile['big'],
		i: number,
		x: number,
		y: number,
	): void {
		const alpha = context.globalAlpha;
		context.globalAlpha = alpha * 0.85;
		context.fillText(big.class[i] & CUT ? 'not ended' : duration(big.end[i] - big.begin[i]), x, y);
		context.globalAlpha = alpha;
	}

	/** What is under a point of the plot; pixels of the screen. */
	hit(x: number, y: number, area: Area): Hit | null {
		const { app } = this;
		const line = Math.floor((y + area.scroll) / ROW);
		const at = app.lines[line] as Line | undefined;
		if (!at || !at.rows.length) return null;
		const ns = span(app.view) / area.width;
		const time = app.view.begin + x * ns;
		const piece = this.pieces.filter(one => time >= one.from && time < one.to);
		for (const { tile } of piece) {
			const big = nearest(tile, at.rows, time, 2 * ns);
			if (big >= 0) return hitOfSlice(tile, big, line);
		}
		for (const { tile } of piece) {
			const run = runAt(tile, at.rows, time, 1.5 * ns);
			if (run) return { ...run, line };
		}
		return null;
	}
}

const matchless = (app: App, name: number): boolean => app.matches !== null && !app.matches.has(name);

function nearest(tile: SliceTile, rows: readonly number[], time: number, within: number): number {
	const { big } = tile;
	let best = -1;
	let least = within;
	for (let i = 0; i < big.row.length; i++) {
		if (!rows.includes(big.row[i])) continue;
		const off = time < big.begin[i] ? big.begin[i] - time : time >= big.end[i] ? time - big.end[i] : 0;
		if (off === 0) return i;
		if (off < least) {
			least = off;
			best = i;
		}
	}
	return best;
}

function hitOfSlice(tile: SliceTile, i: number, line: number): Hit {
	const { big } = tile;
	return {
		row: big.row[i],
		line,
		slice: { index: big.index[i], name: big.name[i], cut: (big.class[i] & CUT) !== 0 },
		begin: big.begin[i],
		end: big.end[i],
		class: big.class[i] & ~CUT,
		count: 1,
		fill: 255,
		longest: big.end[i] - big.begin[i],
	};
}

function runAt(tile: SliceTile, rows: readonly number[], time: number, within: number): Omit<Hit, 'line'> | null {
	const { runs } = tile;
	for (let r = 0; r < runs.row.length; r++) {
		if (!rows.includes(runs.row[r])) continue;
		for (let i = runs.first[r]; i < runs.first[r + 1]; i++) {
			const begin = tile.begin + runs.x[i] * tile.pixel;
			const end = begin + runs.length[i] * tile.pixel;
			if (time < begin - within || time >= end + within) continue;
			return {
				row: runs.row[r],
				slice: null,
				begin,
				end,
				class: runs.class[i],
				count: runs.count[i],
				fill: runs.fill[i],
				longest: 2 ** (runs.longest[i] / 4),
			};
		}
	}
	return null;
}
