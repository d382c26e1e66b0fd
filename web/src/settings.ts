// SPDX-License-Identifier: Apache-2.0
// What a reader has chosen for all recordings. The host keeps it as one text; what makes no sense in that is left out.
import { host } from './host';

export interface Settings {
	readonly theme: 'host' | 'light' | 'dark';
	/** Where the tables are; 'auto': beside the timeline where the window is wide. */
	readonly tables: 'auto' | 'below' | 'beside';
	/** What the wheel does without a key. */
	readonly wheel: 'zoom' | 'scroll';
	/** Whether the answer makes room once the reader looks closer. */
	readonly folds: 'yes' | 'no';
	/** How much of the height, and beside the timeline of the width, the tables have, in percent; null: the usual. */
	readonly tall: number | null;
	readonly wide: number | null;
	/** Names of the columns of a table, where the reader has chosen them. */
	readonly columns: Readonly<Record<string, readonly string[]>>;
}

export const CHOICES = {
	theme: ['host', 'light', 'dark'],
	tables: ['auto', 'below', 'beside'],
	wheel: ['zoom', 'scroll'],
	folds: ['yes', 'no'],
} as const;

export const USUAL: Settings = {
	theme: 'host',
	tables: 'auto',
	wheel: 'zoom',
	folds: 'yes',
	tall: null,
	wide: null,
	columns: {},
};

/** What a cookie has room for. */
const LONGEST = 3000;

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const shareOf = (value: unknown): number | null =>
	typeof value === 'number' && Number.isInteger(value) && value >= 15 && value <= 80 ? value : null;

function columnsOf(value: unknown): Record<string, readonly string[]> {
	const isName = (one: unknown): one is string => typeof one === 'string' && /^\w{1,40}$/.test(one);
	const all = Object.entries(isRecord(value) ? value : {});
	return Object.fromEntries(
		all.filter(
			(one): one is [string, string[]] =>
				isName(one[0]) && Array.isArray(one[1]) && one[1].length > 0 && one[1].every(isName),
		),
	);
}

export function settingsOf(text: string): Settings {
	let said: unknown;
	try {
		said = JSON.parse(text || '{}');
	} catch {
		return USUAL;
	}
	if (!isRecord(said)) return USUAL;
	const given = said;
	const choice = <K extends keyof typeof CHOICES>(key: K): Settings[K] =>
		((CHOICES[key] as readonly unknown[]).includes(given[key]) ? given[key] : USUAL[key]) as Settings[K];
	return {
		theme: choice('theme'),
		tables: choice('tables'),
		wheel: choice('wheel'),
		folds: choice('folds'),
		tall: shareOf(given.tall),
		wide: shareOf(given.wide),
		columns: columnsOf(given.columns),
	};
}

/** What differs from the usual; chosen columns go where there is no room for all. */
export function textOf(settings: Settings): string {
	const own = Object.entries(settings).filter(
		([key, value]) => JSON.stringify(value) !== JSON.stringify(USUAL[key as keyof Settings]),
	);
	const text = JSON.stringify(Object.fromEntries(own));
	return encodeURIComponent(text).length > LONGEST && Object.keys(settings.columns).length
		? textOf({ ...settings, columns: {} })
		: text;
}

let current: Settings | null = null;

export const settings = (): Settings => (current ??= settingsOf(host.kept()));

/** The host is asked anew: another page may have kept something since. */
export function choose(change: Partial<Settings>): void {
	const kept = host.kept();
	current = { ...(kept ? settingsOf(kept) : settings()), ...change };
	host.keep(textOf(current));
}
