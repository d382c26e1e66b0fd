// SPDX-License-Identifier: Apache-2.0
// The place where the reader is, as the address says it: a link shows the same place again.

export interface Place {
	/** The number of the recording on the server. */
	of: number;
	/** Nanoseconds; null: everything. */
	view: readonly [number, number] | null;
	selection: { readonly row: number; readonly index: number } | null;
	range: readonly [number, number] | null;
	/** Two points whose distance is shown. */
	measure: readonly [number, number] | null;
	/** Latencies that the histogram's brush lets through. */
	latency: readonly [number, number] | null;
	tab: string;
	/** The table of the tab, where it has several. */
	sub: string;
	/** Shown resources; null: the usual ones. */
	resources: readonly number[] | null;
	/** Collapsed tracks; null: as it is at first. */
	collapsed: readonly number[] | null;
	hidden: readonly number[];
	model: string;
	/** The search for names. */
	query: string;
	/** The filter of the table. */
	filter: string;
	sort: string;
	answer: boolean;
	/** In the order of time, one at a time. */
	notes: readonly Note[];
	/** What was asked last. */
	sql: string;
	/** How much of the height the tables have, in percent; null: the usual. */
	tall: number | null;
}

export const TABS = ['inferences', 'operators', 'icicle', 'stacks', 'models', 'resources', 'losses', 'sql'] as const;

/** What a reader has written at a time. */
export interface Note {
	readonly time: number;
	readonly text: string;
}

/** What a link can hold. */
export const MOST_NOTES = 40;

export const START: Place = {
	of: 0,
	view: null,
	selection: null,
	range: null,
	measure: null,
	latency: null,
	tab: 'inferences',
	sub: '',
	resources: null,
	collapsed: null,
	hidden: [],
	model: '',
	query: '',
	filter: '',
	sort: '',
	answer: true,
	notes: [],
	sql: '',
	tall: null,
};

const pair = (text: string): readonly [number, number] | null => {
	const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text);
	return match && Number(match[2]) >= Number(match[1]) ? [Number(match[1]), Number(match[2])] : null;
};

const list = (text: string): number[] =>
	text
		.split('.')
		.filter(part => /^\d{1,9}$/.test(part))
		.map(Number);

/** Whole nanoseconds, unless the view is so short that they would move it. */
const ns = (range: readonly [number, number]): string =>
	range[1] - range[0] > 1000
		? `${Math.round(range[0])}-${Math.round(range[1])}`
		: `${range[0].toFixed(2)}-${range[1].toFixed(2)}`;

export function toHash(place: Place): string {
	const parts: string[] = [];
	const put = (key: string, value: string): number => parts.push(`${key}=${encodeURIComponent(value)}`);
	if (place.of) put('of', String(place.of));
	if (place.view) put('t', ns(place.view));
	if (place.selection) put('s', `${place.selection.row}.${place.selection.index}`);
	if (place.range) put('r', ns(place.range));
	if (place.measure) put('d', ns(place.measure));
	if (place.latency) put('l', ns(place.latency));
	if (place.tab !== START.tab) put('tab', place.tab);
	if (place.sub) put('sub', place.sub);
	if (place.resources) put('res', place.resources.join('.'));
	if (place.collapsed) put('c', place.collapsed.join('.'));
	if (place.hidden.length) put('h', place.hidden.join('.'));
	if (place.model) put('m', place.model);
	if (place.query) put('q', place.query);
	if (place.filter) put('f', place.filter);
	if (place.sort) put('o', place.sort);
	if (!place.answer) put('a', '0');
	if (place.notes.length) put('n', place.notes.map(note => `${Math.round(note.time)} ${note.text}`).join('\n'));
	if (place.sql) put('sql', place.sql);
	if (place.tall !== null) put('y', String(place.tall));
	return parts.length ? `#${parts.join('&')}` : '';
}

function notesOf(text: string): readonly Note[] {
	const notes = text.split('\n').flatMap(line => {
		const match = /^(\d{1,15}) ?(.{0,80})/su.exec(line);
		return match ? [{ time: Number(match[1]), text: match[2] }] : [];
	});
	const isFirst = (note: Note, i: number): boolean => notes.findIndex(one => one.time === note.time) === i;
	return notes
		.slice(0, MOST_NOTES)
		.filter(isFirst)
		.sort((a, b) => a.time - b.time);
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return '';
	}
}

/** What an address says; what makes no sense in it is left out. */
export function fromHash(hash: string): Place {
	const said = new Map(
		hash
			.replace(/^#/, '')
			.split('&')
			.map(part => [part.split('=')[0], decoded(part.slice(part.indexOf('=') + 1))] as const),
	);
	const chosen = list(said.get('s') ?? '');
	const tab = said.get('tab') ?? START.tab;
	return {
		of: /^\d{1,3}$/.test(said.get('of') ?? '') ? Number(said.get('of')) : 0,
		view: pair(said.get('t') ?? ''),
		selection: chosen.length === 2 ? { row: chosen[0], index: chosen[1] } : null,
		range: pair(said.get('r') ?? ''),
		measure: pair(said.get('d') ?? ''),
		latency: pair(said.get('l') ?? ''),
		tab: (TABS as readonly string[]).includes(tab) ? tab : START.tab,
		sub: /^[a-z_]+$/.test(said.get('sub') ?? '') ? (said.get('sub') as string) : '',
		resources: said.has('res') ? list(said.get('res') as string) : null,
		collapsed: said.has('c') ? list(said.get('c') as string) : null,
		hidden: list(said.get('h') ?? ''),
		model: said.get('m') ?? '',
		query: said.get('q') ?? '',
		filter: said.get('f') ?? '',
		sort: /^[a-z0-9_]+\.(asc|desc)$/.test(said.get('o') ?? '') ? (said.get('o') as string) : '',
		answer: said.get('a') !== '0',
		notes: notesOf(said.get('n') ?? ''),
		sql: said.get('sql') ?? '',
		tall: /^(1[5-9]|[2-7]\d|80)$/.test(said.get('y') ?? '') ? Number(said.get('y')) : null,
	};
}
