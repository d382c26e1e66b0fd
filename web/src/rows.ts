// SPDX-License-Identifier: Apache-2.0
// The tree of tracks as lines of the screen.
import type { Track } from './api';

/** Rows whose tiles are asked for together. */
export const BLOCK = 64;

export interface Line {
	readonly track: Track;
	/** The track's name, after those of groups above that hold nothing else. */
	readonly label: string;
	/** Depth in the track; 0 is the line that has the track's name. */
	readonly depth: number;
	/** Rows of the recording that are drawn here: one, none, or the first rows of all that a collapsed track hides. */
	readonly rows: readonly number[];
	/** Levels of the tree above the track. */
	readonly level: number;
	readonly hasMore: boolean;
	readonly isCollapsed: boolean;
}

export type Children = ReadonlyMap<number | null, readonly Track[]>;

export function childrenOf(tracks: readonly Track[]): Children {
	const known = new Set(tracks.map(track => track.id));
	const out = new Map<number | null, Track[]>();
	for (const track of tracks) {
		const parent = track.parent !== null && known.has(track.parent) ? track.parent : null;
		const list = out.get(parent);
		if (list) list.push(track);
		else out.set(parent, [track]);
	}
	return out;
}

const MOST_LEVELS = 64;

/** The tracks at the top that have models below them. */
export function withModels(tracks: readonly Track[]): ReadonlySet<number> {
	const above = new Map(tracks.map(({ id, parent }) => [id, parent]));
	const out = new Set<number>();
	for (const { kind, id } of tracks) {
		let top = id;
		for (let i = 0; kind === 'model' && i < MOST_LEVELS; i++) top = above.get(top) ?? top;
		if (kind === 'model') out.add(top);
	}
	return out;
}

/** Those that ran models come first: a service has more processes than those. */
function topOf(tracks: readonly Track[], children: Children): readonly Track[] {
	const ran = withModels(tracks);
	const all = children.get(null) ?? [];
	return [...all.filter(track => ran.has(track.id)), ...all.filter(track => !ran.has(track.id))];
}

/** The first rows of a track and of all below it. */
function firstRows(track: Track, children: Children, out: number[]): number[] {
	if (track.rows > 0) out.push(track.row);
	for (const child of children.get(track.id) ?? []) firstRows(child, children, out);
	return out;
}

export function layOut(tracks: readonly Track[], collapsed: ReadonlySet<number>, hidden: ReadonlySet<number>): Line[] {
	const children = childrenOf(tracks);
	const lines: Line[] = [];
	const visit = (track: Track, level: number, above = ''): void => {
		if (hidden.has(track.id)) return;
		const below = (children.get(track.id) ?? []).filter(child => !hidden.has(child.id));
		const label = above + track.name;
		if (track.kind === 'group' && track.rows === 0 && below.length === 0) return;
		if (track.kind === 'group' && track.rows === 0 && (below.length === 1 || track.name === 'models')) {
			// models stand for themselves, and a group of one is no group
			for (const child of below) visit(child, level, track.name === 'models' ? above : `${label} › `);
			return;
		}
		const hasMore = below.length > 0 || track.rows > 1;
		const isCollapsed = hasMore && collapsed.has(track.id);
		const one = (depth: number, rows: readonly number[]): number =>
			lines.push({ track, label, depth, rows, level, hasMore, isCollapsed });
		if (isCollapsed) {
			one(0, firstRows(track, children, []));
			return;
		}
		if (track.rows === 0) one(0, []);
		for (let depth = 0; depth < track.rows; depth++) one(depth, [track.row + depth]);
		for (const child of below) visit(child, level + 1);
	};
	for (const track of topOf(tracks, children)) visit(track, 0);
	return lines;
}

/** The line of each row, -1 where it is not shown. */
export function linesOfRows(lines: readonly Line[], rows: number): Int32Array {
	const out = new Int32Array(rows).fill(-1);
	lines.forEach((line, i) => line.rows.forEach(row => (out[row] = i)));
	return out;
}

export function rowCount(tracks: readonly Track[]): number {
	return tracks.reduce((most, track) => Math.max(most, track.row + track.rows), 0);
}

/** The track that a row belongs to. */
export function trackOfRow(tracks: readonly Track[], row: number): Track | null {
	return tracks.find(track => track.rows > 0 && row >= track.row && row < track.row + track.rows) ?? null;
}

/** A track and all above it, from the root. */
export function pathOf(tracks: readonly Track[], id: number): Track[] {
	const byId = new Map(tracks.map(track => [track.id, track]));
	const out: Track[] = [];
	for (
		let track = byId.get(id);
		track && out.length < MOST_LEVELS;
		track = track.parent === null ? undefined : byId.get(track.parent)
	)
		out.unshift(track);
	return out;
}

/** The blocks of rows that these lines need, as the server's row ranges. */
export function blocksOf(lines: readonly Line[], rows: number): string[] {
	const blocks = new Set<number>();
	for (const line of lines) for (const row of line.rows) blocks.add(Math.floor(row / BLOCK));
	return [...blocks]
		.sort((a, b) => a - b)
		.map(block => `${block * BLOCK}-${Math.min(rows, (block + 1) * BLOCK) - 1}`);
}

/**
 * Collapsed at first: creations of sessions where not all lines fit on a screen, then, as long as there are very many,
 * threads, models from the last on, and processes. The first process stays open unless its lines are
 * too many to draw: a page of one line says nothing.
 */
export function collapsedAtFirst(tracks: readonly Track[], fits = 16, most = 60, drawn = 1000): Set<number> {
	const out = new Set<number>();
	const children = childrenOf(tracks);
	let lines = layOut(tracks, out, new Set()).length;
	const collapse = (candidates: readonly Track[], enough: number): void => {
		for (const track of candidates) {
			if (lines <= enough) return;
			out.add(track.id);
			lines = layOut(tracks, out, new Set()).length;
		}
	};
	collapse(
		tracks.filter(track => (track.kind === 'lane' || track.kind === 'stack') && track.rows > 2),
		fits,
	);
	collapse(
		tracks.filter(track => track.rows > 1 && track.kind === 'thread'),
		most,
	);
	collapse(tracks.filter(track => track.kind === 'model' && children.has(track.id)).reverse(), most);
	const processes = topOf(tracks, childrenOf(tracks)).filter(
		track => track.kind === 'process' && children.has(track.id),
	);
	collapse(processes.slice(1).reverse(), most);
	collapse(processes.slice(0, 1), drawn);
	return out;
}
