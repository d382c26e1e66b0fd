// SPDX-License-Identifier: Apache-2.0
// A page of what happens now: which part it shows, and what it asks for again when something has come.
import * as api from './api';
import type { Recording, Report, Slice } from './api';
import type { App } from './app';
import { first, span, type View } from './axis';
import { hear } from './hear';

/** What an event of the server says. */
export interface Told {
	readonly n: number;
	readonly changed_from: number;
}

/** How much of the end is shown at first. */
const USUAL_NS = 60e9;
/** Tables and the report cost the server more than the timeline does. */
const TABLES_MS = 2000;

export class Following {
	private length = USUAL_NS;
	private last = 0;
	private tablesAt = 0;

	/** The part that goes on with the end. */
	part(app: App): View {
		if (!app.isFollowing) return app.all;
		return { begin: Math.max(first.time, app.end - this.length), end: app.end };
	}

	restart(): void {
		this.length = Number.isFinite(this.length) ? this.length : USUAL_NS;
	}

	/** Somebody has chosen a view: one that reaches the end goes on with it. */
	choose(app: App): void {
		const { live } = app.recording;
		app.isFollowing = !live?.over && app.view.end >= app.end - 0.002 * span(app.view);
		if (app.isFollowing) this.length = app.place.view ? span(app.view) : Infinity;
	}

	/** What the events since the last one may have changed is asked for again. */
	refresh(app: App, before: Recording, told?: Told): void {
		const { recording } = app;
		const isNext = told !== undefined && told.n === this.last + 1;
		const isSame = recording.tiles_version === before.tiles_version;
		const from = isNext && isSame ? Math.min(told.changed_from, before.end) : -1;
		this.last = told?.n ?? this.last;
		first.time = recording.live?.kept_from ?? 0;
		app.slices.refreshAfter(from);
		app.counters.refreshAfter(from);
		if (performance.now() - this.tablesAt < TABLES_MS && !recording.live?.over) return;
		this.tablesAt = performance.now();
		app.tableVersion++;
	}

	/** The same slice, whatever number it has now. */
	async keepSelection(app: App, before: Recording): Promise<void> {
		const { slice } = app;
		const { selection } = app.place;
		if (!slice || !selection) return;
		const old = before.tracks.find(track => track.id === slice.track);
		const now = app.recording.tracks.find(track => track.id === slice.track);
		const row = old && now ? now.row + slice.row - old.row : -1;
		const isSame = app.recording.tiles_version === before.tiles_version && row === slice.row;
		if (isSame && !slice.cut) return;
		let found: Slice | null = null;
		try {
			if (row >= 0)
				found = await app.get<Slice | null>('at', { row, t: slice.begin, within: 0, none: 1 });
		} catch (error) {
			if (!(error instanceof api.Refused)) throw error;
		}
		// somebody may have chosen another one meanwhile
		if (app.slice !== slice) return;
		const isIt = found !== null && found.begin === slice.begin && found.name_number === slice.name_number;
		app.slice = isIt ? found : null;
		if (!isSame) app.flows = [];
		app.place = { ...app.place, selection: isIt && found ? { row: found.row, index: found.index } : null };
		app.tell('slice');
	}
}

/** Reads the report again and again, one at a time. */
export class Reports {
	private isReading = false;
	private isWanted = false;

	constructor(private readonly app: App) {}

	async read(): Promise<void> {
		const { app } = this;
		this.isWanted = true;
		if (this.isReading) return;
		this.isReading = true;
		while (this.isWanted) {
			this.isWanted = false;
			try {
				app.report = await app.get<Report>('report.json');
				app.noReport = '';
			} catch (error) {
				// an old one is better than none
				if (!app.report) app.noReport = error instanceof Error ? error.message : String(error);
			}
			app.tell('place');
		}
		this.isReading = false;
	}
}

/** Goes on with a live recording for as long as the server is there. */
export function watch(app: App, reports: Reports): void {
	let reportAt = performance.now();
	let isBusy = false;
	let next: Told | null = null;
	/** One at a time; of those that come meanwhile, only the last one counts. */
	const grow = async (told: Told): Promise<void> => {
		if (app.isPaused) return;
		next = told;
		if (isBusy) return;
		isBusy = true;
		while (next) {
			const now: Told = next;
			next = null;
			await app.grow(now);
			if (performance.now() - reportAt > TABLES_MS || app.recording.live?.over) {
				reportAt = performance.now();
				void reports.read();
			}
		}
		isBusy = false;
	};
	hear(
		app,
		data => void grow(JSON.parse(data) as Told),
		() => {
			if (!app.isPaused) void app.grow();
		},
	);
}
