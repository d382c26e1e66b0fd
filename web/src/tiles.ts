// SPDX-License-Identifier: Apache-2.0
// Tiles: 512 pixels of 2^level ns. A missing one is shown from the next coarser one that is here, so that the picture is
// never empty; ancestors are asked for first, since one of them serves many.

export const TILE = 512;

export interface TileKey {
	readonly level: number;
	readonly index: number;
}

/** 1 to 2 pixels of a tile fall on a pixel of the screen. */
export function levelFor(nsPerPixel: number): number {
	return Math.max(0, Math.floor(Math.log2(Math.max(nsPerPixel, 1))));
}

/** The level whose tile 0 shows the whole recording. */
export function topLevel(end: number): number {
	return Math.max(0, Math.ceil(Math.log2(Math.max(end, 1) / TILE)));
}

export const tileSpan = (level: number): number => TILE * 2 ** level;

/** First and last index of the tiles of `level` that cover [begin, end) of a recording that is `last` ns long. */
export function covering(level: number, begin: number, end: number, last: number): readonly [number, number] {
	const size = tileSpan(level);
	return [Math.max(0, Math.floor(begin / size)), Math.floor(Math.min(end, last) / size)];
}

/** The tile `up` levels above that covers this one. */
export function ancestor(tile: TileKey, up: number): TileKey {
	return { level: tile.level + up, index: Math.floor(tile.index / 2 ** up) };
}

/** What is asked for, the most useful first: the ancestors of what is missing, what is missing, then neighbours. */
export function wanted(
	level: number,
	first: number,
	last: number,
	top: number,
	has: (tile: TileKey) => boolean,
): TileKey[] {
	const out: TileKey[] = [];
	const seen = new Set<string>();
	const add = (tile: TileKey): void => {
		const name = `${tile.level}/${tile.index}`;
		if (tile.index < 0 || tile.level < 0 || tile.level > top || seen.has(name) || has(tile)) return;
		seen.add(name);
		out.push(tile);
	};
	const missing: TileKey[] = [];
	for (let index = first; index <= last; index++) if (!has({ level, index })) missing.push({ level, index });
	for (const tile of missing) {
		let near = false;
		for (let up = 1; up <= 3 && !near; up++) near = has(ancestor(tile, up));
		if (!near) add(ancestor(tile, Math.min(3, top - level)));
	}
	const middle = (first + last) / 2;
	missing.sort((a, b) => Math.abs(a.index - middle) - Math.abs(b.index - middle));
	missing.forEach(add);
	return out;
}

/** What may be needed next, once nothing is missing. */
export function likely(level: number, first: number, last: number): TileKey[] {
	return [
		{ level, index: last + 1 },
		{ level, index: first - 1 },
		{ level: level + 1, index: first >> 1 },
		{ level: level - 1, index: first + last + 1 },
	];
}

/** At most `limit` requests under way; the rest is asked for again by the next frame. */
export class Gate {
	busy = 0;
	constructor(readonly limit: number) {}
	get isFull(): boolean {
		return this.busy >= this.limit;
	}
}

interface Entry<T> {
	data: T | null;
	pinned: boolean;
	/** Where in time a failed request may be tried again. */
	retry: number;
	/** Something in it has changed: it is drawn until the new one comes. */
	isStale: boolean;
	isLoading: boolean;
}

/** What a part of the picture is drawn from: `tile` in [from, to). */
export interface Piece<T> {
	readonly tile: T;
	readonly from: number;
	readonly to: number;
	readonly isExact: boolean;
}

export type Load<T> = (tile: TileKey, group: string) => Promise<T>;

/** The tiles that are here, the least used last; groups keep apart what is asked for separately (blocks of rows). */
export class TileCache<T> {
	private readonly entries = new Map<string, Entry<T>>();
	/** Of the frames so far: parts that could be shown exactly, parts that could be shown, parts. */
	readonly seen = { exact: 0, any: 0, parts: 0 };

	/** Changes whenever a tile comes that was here before. */
	freshness = 0;
	/** Changes whenever a request has ended, so that there is something new or room for another one. */
	settled = 0;

	constructor(
		private readonly load: Load<T>,
		private readonly gate: Gate,
		private readonly arrived: () => void,
		private readonly limit = 400,
	) {}

	get size(): number {
		return this.entries.size;
	}

	clear(): void {
		this.entries.clear();
	}

	/** Forgets what may look different now that the recording goes on after `time`. */
	forgetAfter(time: number): void {
		for (const name of [...this.entries.keys()]) {
			const [level, index] = name.split('/').map(Number);
			if ((index + 1) * tileSpan(level) > time) this.entries.delete(name);
		}
	}

	/** Asks again for what reaches beyond `time`, and draws what is here meanwhile. */
	refreshAfter(time: number): void {
		for (const [name, entry] of this.entries) {
			const [level, index] = name.split('/').map(Number);
			if ((index + 1) * tileSpan(level) > time) entry.isStale = true;
		}
	}

	peek(tile: TileKey, group: string): T | null {
		const name = `${tile.level}/${tile.index}/${group}`;
		const entry = this.entries.get(name);
		if (!entry) return null;
		this.entries.delete(name); // the youngest is the last
		this.entries.set(name, entry);
		return entry.data;
	}

	/** Asks for a tile; false where no more may be asked for now. */
	ask(tile: TileKey, group: string, pinned = false): boolean {
		const name = `${tile.level}/${tile.index}/${group}`;
		const old = this.entries.get(name);
		if (old?.isLoading || (old && old.retry > performance.now())) return true;
		if (old && old.retry === 0 && !old.isStale) return true;
		if (this.gate.isFull) return false;
		const entry: Entry<T> = { data: old?.data ?? null, pinned, retry: 0, isStale: false, isLoading: true };
		this.entries.set(name, entry);
		this.gate.busy++;
		this.load(tile, group)
			.then(
				data => {
					if (entry.data) this.freshness++;
					entry.data = data;
				},
				() => (entry.retry = performance.now() + 2000),
			)
			.finally(() => {
				entry.isLoading = false;
				this.settled++;
				this.gate.busy--;
				this.arrived();
			});
		this.trim();
		return true;
	}

	private trim(): void {
		for (const [name, entry] of this.entries) {
			if (this.entries.size <= this.limit) return;
			if (!entry.pinned && entry.data) this.entries.delete(name);
		}
	}

	private has(tile: TileKey, group: string): boolean {
		const entry = this.entries.get(`${tile.level}/${tile.index}/${group}`);
		return entry?.data != null && !entry.isStale;
	}

	/** Asks for what shows all of each group, before anything finer of one takes the way: nothing is ever empty. */
	pin(last: number, groups: readonly string[]): void {
		for (const group of groups) this.ask({ level: topLevel(last), index: 0 }, group, true);
	}

	/** The best that is here for [begin, end) at `level`, and requests for what is better. */
	pieces(level: number, begin: number, end: number, last: number, group: string): Piece<T>[] {
		const top = topLevel(last);
		level = Math.min(level, top);
		const [first, final] = covering(level, begin, end, last);
		this.pin(last, [group]);
		const missing = wanted(level, first, final, top, tile => this.has(tile, group));
		missing.every(tile => this.ask(tile, group));
		if (missing.length === 0 && this.gate.busy < 2)
			likely(level, first, final).forEach(tile => {
				const begins = tile.index * tileSpan(tile.level);
				if (tile.level >= 0 && tile.level <= top && begins >= 0 && begins < last)
					this.ask(tile, group);
			});
		return this.best(level, first, final, top, group);
	}

	private best(level: number, first: number, final: number, top: number, group: string): Piece<T>[] {
		const out: Piece<T>[] = [];
		const size = tileSpan(level);
		for (let index = first; index <= final; index++) {
			this.seen.parts++;
			let tile = this.peek({ level, index }, group);
			const isExact = tile !== null;
			for (let up = 1; !tile && level + up <= top; up++)
				tile = this.peek(ancestor({ level, index }, up), group);
			if (!tile) continue;
			this.seen.any++;
			this.seen.exact += isExact ? 1 : 0;
			out.push({ tile, from: index * size, to: (index + 1) * size, isExact });
		}
		return out;
	}
}
