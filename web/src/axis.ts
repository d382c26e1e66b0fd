// SPDX-License-Identifier: Apache-2.0
// The time axis that every plot of the page shares. Times are nanoseconds since the recording's first event.

/** What is on the screen: [begin, end). */
export interface View {
	readonly begin: number;
	readonly end: number;
}

/** Nobody needs fewer nanoseconds on the screen: f64 and the clock are not finer. */
export const SHORTEST = 50;

export const span = (view: View): number => view.end - view.begin;

/** From when on there is something to see: a live page forgets what is old. */
export const first = { time: 0 };

/** The same length, moved so that it lies in what there is; shortened where it is longer. */
export function clamp(view: View, end: number): View {
	const all = end - first.time;
	const length = Math.min(Math.max(span(view), Math.min(SHORTEST, all)), all);
	const begin = Math.min(Math.max(view.begin, first.time), end - length);
	return { begin, end: begin + length };
}

/** Zooms by `factor` (> 1 shows more) with the time `at` staying where it is. */
export function zoom(view: View, at: number, factor: number, end: number): View {
	const all = end - first.time;
	const length = Math.min(Math.max(span(view) * factor, Math.min(SHORTEST, all)), all);
	const share = span(view) > 0 ? (at - view.begin) / span(view) : 0.5;
	const begin = at - share * length;
	return clamp({ begin, end: begin + length }, end);
}

/** Moves by `share` of what is on the screen. */
export function pan(view: View, share: number, end: number): View {
	const by = share * span(view);
	return clamp({ begin: view.begin + by, end: view.end + by }, end);
}

/** [from, to] with some air at both sides. */
export function around(from: number, to: number, end: number, air = 0.08): View {
	const length = Math.max(to - from, SHORTEST);
	return clamp({ begin: from - air * length, end: to + air * length }, end);
}

/** The middle of [from, to] in the middle, at the present zoom; wider where the slice does not fit. */
export function centred(view: View, from: number, to: number, end: number): View {
	if (to - from > span(view)) return around(from, to, end);
	const begin = (from + to - span(view)) / 2;
	return clamp({ begin, end: begin + span(view) }, end);
}

/** Whether [from, to] is on the screen well enough to leave the view alone. */
export function shows(view: View, from: number, to: number): boolean {
	const air = 0.02 * span(view);
	const wide = (to - from) / span(view) > 0.01;
	return from >= view.begin + air && to <= view.end - air && wide;
}

/** The smallest 1, 2 or 5 x 10^n ns that is not below `least`. */
export function niceStep(least: number): number {
	const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
	for (const factor of [1, 2, 5]) if (factor * power >= least * 0.999999) return Math.max(1, factor * power);
	return 10 * power;
}

export interface Ticks {
	readonly step: number;
	/** Where labels of ticks begin to count: 0, or a round time before the view if the times would be too long. */
	readonly anchor: number;
	readonly at: readonly number[];
}

/** Ticks at least `apart` pixels from each other on `width` pixels. */
export function ticks(view: View, width: number, apart = 90): Ticks {
	const step = niceStep((span(view) * apart) / Math.max(1, width));
	const first = Math.ceil(view.begin / step);
	const at: number[] = [];
	for (let i = first; i * step <= view.end && at.length < 1000; i++) at.push(i * step);
	const big = niceStep(span(view)) * 1;
	const anchor = view.begin / step > 2000 ? Math.floor(view.begin / big) * big : 0;
	return { step, anchor, at };
}
