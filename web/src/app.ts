// SPDX-License-Identifier: Apache-2.0
// What the parts of the page share: the recording, the place, the view. Parts listen; nothing here draws.
import * as api from './api';
import type { Counter, Flow, Found, Recording, Report, Slice } from './api';
import { around, centred, clamp, first, SHORTEST, shows, span, zoom, type View } from './axis';
import { DARK, familyOf, FILLS, LIGHT, paleTable, table, type Theme } from './colours';
import { counterTile, isChanged, sliceTile, type CounterTile, type SliceTile } from './decode';
import { duration } from './format';
import { host } from './host';
import type { Mode } from './modes';
import { fromHash, START, toHash, type Place } from './place';
import { collapsedAtFirst, layOut, linesOfRows, pathOf, rowCount, trackOfRow, withModels, type Line } from './rows';
import { Following, type Told } from './live';
import { Gate, TileCache, tileSpan } from './tiles';
import { settings } from './settings';
import { slowOf } from './slow';
import { applyTheme } from './theme';

export type Change = 'place' | 'view' | 'data' | 'slice' | 'classes' | 'said' | 'hint';

const isReduced = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

const SHORT = 800;

/**
 * Resources that are worth a look at first: CPU and memory of processes, of those that ran models where there are some, how
 * busy devices are, the machine's CPU, power. Two where the window is short, as in an editor: events need the room.
 */
export function usualResources(
	{ counters, tracks }: Pick<Recording, 'counters' | 'tracks'>,
	isShort = globalThis.innerHeight < SHORT,
): number[] {
	const ran = withModels(tracks);
	const isWorth = ({ scope, process }: Counter): boolean =>
		scope !== 'process' || !ran.size || ran.has(process ?? -1);
	const wanted: readonly (readonly [string, RegExp])[] = [
		['process', /^cpu$/],
		['process', /^rss$/],
		['device', /^[gn]pu (?!.*memory).*busy$/],
		['machine', /^cpu$/],
		['device', /power$/],
		['machine', /gpu|npu|power/],
		['process', /gpu|npu/],
		['device', /./],
	];
	const out = new Set<number>();
	for (const [scope, name] of wanted) {
		const fit = counters.filter(
			one => one.scope === scope && name.test(one.name) && one.samples > 0 && isWorth(one),
		);
		// of many processes or devices, each kind has its turn
		for (const { id } of fit.slice(0, isShort ? 1 : 2)) if (out.size < (isShort ? 2 : 6)) out.add(id);
	}
	return out.size ? [...out] : counters.slice(0, 3).map(counter => counter.id);
}

export class App {
	place: Place = { ...START };
	view: View;
	theme: Theme = LIGHT;
	colours: Uint32Array = new Uint32Array(1);
	pale: Uint32Array = new Uint32Array(1);
	readonly names: string[] = [];
	report: Report | null = null;
	/** Why there is no report. */
	noReport = '';
	slice: Slice | null = null;
	/** Of the selected slice. */
	flows: readonly Flow[] = [];
	found: readonly Found[] = [];
	/** Numbers of the names that the search has found; null: nothing is searched for. */
	matches: ReadonlySet<number> | null = null;
	matchingClasses: ReadonlySet<number> | null = null;
	trouble = '';
	/** The kind of work that stands out; '': all do. */
	family = '';
	/** A track that the tree shall scroll to. */
	wantedTrack: number | null = null;
	/** Said aloud by screen readers. */
	said = '';
	/** What dragging on the timeline does. */
	mode: Mode = 'move';
	/** Where a note is written; null: nowhere. */
	edited: number | null = null;
	/** Shown for a moment. */
	hint = '';
	/** Of a live page. */
	isFollowing = false;
	isPaused = false;
	/** inftrace has ended: what is here stays, and nothing more comes. */
	isGone = false;
	/** Another one: tables are to be asked for again. */
	tableVersion = 0;
	readonly following = new Following();
	readonly gate = new Gate(5);
	readonly slices: TileCache<SliceTile>;
	readonly counters: TileCache<CounterTile>;
	lines: Line[] = [];
	lineOfRow: Int32Array = new Int32Array(0);
	rows = 0;
	private readonly listeners = new Set<(change: Change) => void>();
	private readonly views: View[] = [];
	/** The view when it last stood still. */
	private rested: View;
	private hasFolded = false;
	private hashTimer = 0;
	private hintTimer = 0;
	private readonly given = new Set<string>();
	private animation = 0;

	/** of: its number on the server. end: of the page's time, where it is longer than this recording. */
	constructor(
		public recording: Recording,
		readonly of = 0,
		private readonly least = 0,
	) {
		first.time = recording.live?.kept_from ?? 0;
		this.view = this.rested = this.all;
		const arrived = (): void => this.tell('data');
		this.slices = new TileCache(
			({ level, index }, rows) =>
				api
					.bytesOf(
						'tile',
						this.asked({
							k: level,
							i: index,
							rows,
							version: this.recording.live && this.recording.tiles_version,
						}),
					)
					.then(buffer => {
						// rows have other numbers by now
						if (isChanged(buffer)) void this.grow();
						return buffer;
					})
					.then(buffer => sliceTile(buffer, index * tileSpan(level), 2 ** level)),
			this.gate,
			arrived,
		);
		this.counters = new TileCache(
			({ level, index }, ids) =>
				api
					.bytesOf('counter_tile', this.asked({ k: level, i: index, ids }))
					.then(buffer => counterTile(buffer, index * tileSpan(level), 2 ** level)),
			this.gate,
			arrived,
		);
		this.layOut();
		this.takeTheme();
	}

	private asked(asked: api.Asked): api.Asked {
		return this.of ? { ...asked, of: this.of } : asked;
	}

	/** What the server says of this recording. */
	get<T>(path: string, asked: api.Asked = {}, signal?: AbortSignal): Promise<T> {
		return api.get<T>(path, this.asked(asked), signal);
	}

	readNames(): Promise<void> {
		return api.names(this.names, this.of);
	}

	/** Whose place the address is: of two recordings one shows it. */
	isQuiet = false;

	listen(listener: (change: Change) => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	tell(change: Change): void {
		for (const listener of [...this.listeners]) listener(change);
	}

	/** Why an inference that begins then was slow; '' where the report does not say. */
	why(begin: number): string {
		return (slowOf(this.report, begin - this.recording.shift_ns)?.why?.words ?? '').replace(
			/^not slower.*/,
			'',
		);
	}

	get end(): number {
		return Math.max(this.recording.end, this.least);
	}

	/** All that there is to see. */
	get all(): View {
		return { begin: first.time, end: this.end };
	}

	/** Rows that may be asked for: of a live recording also those to come, so that blocks of rows stay the same. */
	get askedRows(): number {
		return this.recording.live ? Infinity : this.rows;
	}

	takeTheme(): void {
		const { classes, class_kinds: kinds } = this.recording;
		this.theme = applyTheme() ? DARK : LIGHT;
		this.colours = table(classes, kinds, this.theme);
		this.pale = paleTable(this.colours, this.theme);
		if (this.family)
			classes.forEach((name, i) => {
				if (familyOf(name, kinds[i] ?? '') === this.family) return;
				const at = i * FILLS;
				this.colours.set(this.pale.subarray(at, at + FILLS), at);
			});
		this.tell('data');
	}

	/** Shows the others pale; '' shows all. */
	stress(family: string): void {
		this.family = family;
		this.takeTheme();
		this.tell('classes');
	}

	/** The lines of the tree, from what is collapsed and hidden. */
	private layOut(): void {
		const { tracks } = this.recording;
		this.rows = rowCount(tracks);
		this.lines = layOut(tracks, this.collapsed, new Set(this.place.hidden));
		this.lineOfRow = linesOfRows(this.lines, this.rows);
	}

	get collapsed(): Set<number> {
		return this.place.collapsed ? new Set(this.place.collapsed) : collapsedAtFirst(this.recording.tracks);
	}

	get shownResources(): readonly Counter[] {
		const ids = this.place.resources ?? usualResources(this.recording);
		return this.recording.counters.filter(counter => ids.includes(counter.id));
	}

	/** Goes to another place; `isStep` makes it one that the back button leaves. */
	go(change: Partial<Place>, isStep = true): void {
		this.place = { ...this.place, ...change };
		if ('collapsed' in change || 'hidden' in change) this.layOut();
		if ('query' in change) void this.search();
		this.writeHash(isStep);
		this.tell('place');
	}

	/** Back to the view before: an editor has no steps of its own. */
	undoView(): void {
		const to = this.views.pop();
		if (!to) return;
		this.rested = to;
		this.flyTo(to);
	}

	/** A reader looks closer: the answer has been read, and makes room. Once, because who opens it wants to see it. */
	private foldAnswer(): void {
		const isCloser = span(this.view) < span(this.rested) * 0.9;
		if (!isCloser || this.hasFolded || !this.place.answer || settings().folds === 'no') return;
		this.hasFolded = true;
		this.place = { ...this.place, answer: false };
		this.tell('place');
	}

	/** The view rests: what it was before is kept. */
	private noteView(): void {
		const { begin, end } = this.rested;
		if (begin === this.view.begin && end === this.view.end) return;
		this.foldAnswer();
		if (!this.isFollowing) this.views.push(this.rested);
		if (this.views.length > 100) this.views.shift();
		this.rested = this.view;
	}

	edit(time: number | null): void {
		this.edited = time === null ? null : Math.round(Math.min(Math.max(time, first.time), this.end));
		this.tell('place');
	}

	setMode(mode: Mode): void {
		this.mode = mode;
		this.tell('place');
	}

	say(hint: string): void {
		clearTimeout(this.hintTimer);
		this.hint = hint;
		this.hintTimer = window.setTimeout(() => ((this.hint = ''), this.tell('hint')), 4000);
		this.tell('hint');
	}

	/** The same, the first time alone. */
	sayOnce(hint: string): void {
		if (this.given.has(hint)) return;
		this.given.add(hint);
		this.say(hint);
	}

	/** Zooms by `factor` where the time `at` is, and says where nothing is finer. */
	zoomAt(at: number, factor: number, isFlight = false): void {
		if (factor < 1 && span(this.view) <= Math.min(SHORTEST, span(this.all)) * 1.001)
			return this.say(
				`${duration(span(this.view))} are on the screen. Nothing is recorded more finely.`,
			);
		const to = zoom(this.view, at, factor, this.end);
		if (isFlight) this.flyTo(to);
		else this.setView(to);
	}

	setView(view: View, isStep = false): void {
		cancelAnimationFrame(this.animation);
		this.applyView(view);
		this.noteFollowing();
		if (isStep) this.writeHash(true);
		else this.writeHashSoon();
	}

	private applyView(view: View): void {
		this.view = clamp(view, this.end);
		const isAll = this.view.begin <= first.time && this.view.end >= this.end;
		this.place = { ...this.place, view: isAll ? null : [this.view.begin, this.view.end] };
		this.tell('view');
	}

	/** Moves there in a fifth of a second, or at once for those who want no motion. */
	flyTo(view: View): void {
		const from = this.view;
		const to = clamp(view, this.end);
		const begun = performance.now();
		cancelAnimationFrame(this.animation);
		const write = (): void => {
			this.noteFollowing();
			this.writeHash(true);
		};
		if (isReduced()) {
			this.applyView(to);
			write();
			return;
		}
		const step = (): void => {
			const share = Math.min(1, (performance.now() - begun) / 180);
			const eased = 1 - (1 - share) ** 3;
			// lengths in proportion, so that zooming is even
			const length = span(from) * (span(to) / span(from)) ** eased;
			const done =
				Math.abs(span(from) - span(to)) < 1e-9
					? eased
					: (span(from) - length) / (span(from) - span(to));
			const begin = from.begin + (to.begin - from.begin) * done;
			this.applyView(share === 1 ? to : { begin, end: begin + length });
			if (share < 1) this.animation = requestAnimationFrame(step);
			else write();
		};
		step();
	}

	private writeHashSoon(): void {
		clearTimeout(this.hashTimer);
		this.hashTimer = window.setTimeout(() => this.writeHash(false), 250);
	}

	private writeHash(isStep: boolean): void {
		clearTimeout(this.hashTimer);
		this.noteView();
		if (this.isQuiet) return;
		// the end moves on: a link to it shows it as it is then
		host.go(toHash(this.isFollowing ? { ...this.place, view: null } : this.place), isStep);
	}

	/** Takes the place from the address: at the start, and when the back button changes it. */
	readHash(): void {
		const old = this.place;
		if (!this.isQuiet) this.place = fromHash(host.place());
		// findings that come and go would move the timeline; in a low window they would leave no room for it
		const isFolded =
			this.recording.live || matchMedia('(max-height: 560px) and (min-width: 801px)').matches;
		if (isFolded && !/[#&]a=/.test(host.place())) this.place.answer = false;
		this.layOut();
		if (this.place.query !== old.query) void this.search();
		const { view, selection } = this.place;
		this.isFollowing = this.recording.live !== undefined && !this.recording.live.over && !view;
		this.view = clamp(view ? { begin: view[0], end: view[1] } : this.following.part(this), this.end);
		this.rested = this.view;
		if (selection?.row !== old.selection?.row || selection?.index !== old.selection?.index) {
			this.show(null);
			if (selection)
				void this.fetchSlice(selection.row, selection.index).then(
					slice => slice && this.showTrack(slice.track),
				);
		}
		this.tell('place');
		this.tell('view');
	}

	private async attempt<T>(what: Promise<T>): Promise<T | null> {
		try {
			const got = await what;
			this.trouble = '';
			return got;
		} catch (error) {
			if (error instanceof api.Refused && error.status === 404) return null;
			// the bar says it
			if (api.server.isGone) return null;
			this.trouble = error instanceof Error ? error.message : String(error);
			this.tell('place');
			return null;
		}
	}

	private async fetchSlice(row: number, index: number): Promise<Slice | null> {
		const slice = await this.attempt(this.get<Slice>('slice', { row, index }));
		const wanted = this.place.selection;
		if (slice && wanted?.row === row && wanted.index === index) this.show(slice);
		return slice;
	}

	/** The details of a slice, and the flows that it is part of, which come later. */
	private show(slice: Slice | null): void {
		this.slice = slice;
		this.flows = [];
		this.tell('slice');
		if (!slice) return;
		const { row, index } = slice;
		void this.attempt(this.get<{ flows: readonly Flow[] }>('flows', { row, index })).then(got => {
			if (!got?.flows.length || this.slice !== slice) return;
			this.flows = got.flows;
			this.tell('slice');
		});
	}

	/** Selects a slice, opens the tracks that hide it, and brings it onto the screen. */
	async select(row: number, index: number, bring = true): Promise<void> {
		this.go({ selection: { row, index } });
		const slice = await this.fetchSlice(row, index);
		if (slice && bring) this.bring(slice);
	}

	take(slice: Slice, bring = true): void {
		this.go({ selection: { row: slice.row, index: slice.index } });
		this.show(slice);
		if (bring) this.bring(slice);
	}

	bring(slice: Slice): void {
		this.reveal(slice.row);
		this.wantedTrack = slice.track;
		this.tell('place');
		if (!shows(this.view, slice.begin, slice.end))
			this.flyTo(
				slice.end - slice.begin < span(this.view) * 0.01
					? around(slice.begin, slice.end, this.end, 3)
					: centred(this.view, slice.begin, slice.end, this.end),
			);
	}

	/** Opens what hides a track, and brings it onto the screen. */
	showTrack(id: number): void {
		const track = this.recording.tracks.find(one => one.id === id);
		if (!track) return;
		if (track.rows > 0) this.reveal(track.row);
		this.wantedTrack = id;
		this.tell('place');
	}

	/** Opens what hides a row. */
	reveal(row: number): void {
		const track = trackOfRow(this.recording.tracks, row);
		if (!track) return;
		const path = pathOf(this.recording.tracks, track.id).map(one => one.id);
		const collapsed = this.collapsed;
		const isHidden = this.place.hidden.some(id => path.includes(id));
		if (!isHidden && !path.some(id => collapsed.has(id))) return;
		path.forEach(id => collapsed.delete(id));
		this.go(
			{ collapsed: [...collapsed], hidden: this.place.hidden.filter(id => !path.includes(id)) },
			false,
		);
	}

	deselect(): void {
		this.go({ selection: null });
		this.show(null);
	}

	async selectAt(row: number, time: number, within: number, bring = false): Promise<void> {
		const slice = await this.attempt(this.get<Slice>('at', { row, t: Math.max(0, time), within }));
		if (slice) this.take(slice, bring);
		else if (this.place.selection) this.deselect();
	}

	/** The next or previous slice of a name; round the corner at the ends. */
	async step(name: number, dir: 'next' | 'prev', from?: number): Promise<void> {
		const after = from ?? this.slice?.begin ?? (dir === 'next' ? this.view.begin : this.view.end);
		const find = (time: number): Promise<Slice | null> =>
			this.attempt(this.get<Slice>('find', { name, after: time, dir }));
		const slice = (await find(after)) ?? (await find(dir === 'next' ? -1 : this.end + 1));
		if (slice) this.take(slice);
	}

	async neighbour(by: 1 | -1): Promise<void> {
		const at = this.place.selection;
		if (!at || at.index + by < 0) return;
		const slice = await this.attempt(this.get<Slice>('slice', { row: at.row, index: at.index + by }));
		if (slice) this.take(slice);
	}

	async search(): Promise<void> {
		const { query } = this.place;
		if (!query) {
			this.found = [];
			this.matches = null;
			this.matchingClasses = null;
			this.tell('data');
			this.tell('place');
			return;
		}
		const got = await this.attempt(this.get<{ names: readonly Found[] }>('search', { q: query }));
		if (!got || this.place.query !== query) return;
		this.found = got.names;
		this.matches = new Set(got.names.map(found => found.name));
		this.matchingClasses = new Set(got.names.map(found => found.class));
		this.tell('data');
		this.tell('place');
	}

	/** Whether a view that somebody has chosen is to go on with the end. */
	private noteFollowing(): void {
		if (this.recording.live) this.following.choose(this);
	}

	/** Goes on with what happens, or stays where it is. */
	follow(isOn: boolean): void {
		if (!this.recording.live) return;
		this.isFollowing = isOn && !this.recording.live.over;
		if (this.isFollowing) {
			this.following.restart();
			this.applyView(this.following.part(this));
		}
		this.writeHash(false);
		this.tell('place');
	}

	/** The page stands still; recording goes on. */
	pause(isOn: boolean): void {
		if (!this.recording.live || this.recording.live.over) return;
		this.isPaused = isOn;
		if (!isOn) void this.grow();
		this.tell('place');
	}

	/** The recording goes on: what is new is read, what may have changed is asked for again. */
	async grow(told?: Told): Promise<void> {
		const before = this.recording;
		const wasAll = this.place.view === null;
		const follows = !wasAll && this.view.end >= before.end - 1;
		const recording = await this.attempt(this.get<Recording>('recording.json'));
		if (!recording) return;
		await this.attempt(this.readNames());
		// paused meanwhile: what was on its way is not shown
		if (this.isPaused) return;
		this.recording = recording;
		if (recording.live) {
			this.following.refresh(this, before, told);
			if (this.isFollowing) this.applyView(this.following.part(this));
			else this.view = clamp(this.view, this.end);
		} else {
			this.slices.forgetAfter(before.end);
			this.counters.forgetAfter(before.end);
			this.tableVersion++;
		}
		this.layOut();
		this.takeTheme();
		if (recording.live) await this.following.keepSelection(this, before);
		else if (wasAll) this.view = { begin: 0, end: this.end };
		else if (follows) this.applyView({ begin: this.end - span(this.view), end: this.end });
		this.rested = this.view; // nobody went there: it is no view to go back from
		this.tell('place');
		this.tell('view');
	}
}
