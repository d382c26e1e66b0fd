// SPDX-License-Identifier: Apache-2.0
// What inftrace is asked and what it answers, as plain values. Knows nothing of the editor.

/** The oldest inftrace that serves an editor. */
export const NEEDED = '0.2.0';

/** "inftrace 0.2.0 (abc)" is [0, 2, 0]; null: no version of inftrace. */
export function versionOf(text: string): readonly number[] | null {
	const found = /^inftrace (\d+)\.(\d+)\.(\d+)/.exec(text);
	return found ? found.slice(1).map(Number) : null;
}

export function isOlder(version: readonly number[], than: string): boolean {
	const other = than.split('.').map(Number);
	for (let i = 0; i < other.length; i++) if (version[i] !== other[i]) return version[i] < other[i];
	return false;
}

/** For what fails with an inftrace that came after this extension, whose options may be others; '': it did not. */
export function laterWords(version: readonly number[] | undefined, own: string): string {
	const ours = own.split('.').map(Number);
	if (!version || !isOlder(ours, `${version[0]}.${version[1]}.0`)) return '';
	return `inftrace is ${version.join('.')}, and this extension ${own}: update the extension.`;
}

/** A task of tasks.json, or one that a command makes. */
export interface Wanted {
	readonly command: 'record' | 'next' | 'attach' | 'model';
	readonly args?: readonly string[];
	readonly options?: readonly string[];
	readonly cwd?: string;
	readonly output?: string;
	readonly level?: string;
	readonly duration?: string;
}

/** The words behind `inftrace`. progress: the file that gets lines about it; models have none. */
export function wordsOf(wanted: Wanted, progress: string): string[] {
	const words: string[] = [wanted.command];
	const isModel = wanted.command === 'model';
	if (wanted.output) words.push('--output', wanted.output);
	if (wanted.level && !(isModel && wanted.level === 'detail')) words.push('--level', wanted.level);
	if (wanted.duration) words.push('--duration', wanted.duration);
	if (!isModel) words.push('--progress', progress);
	words.push(...(wanted.options ?? []));
	const args = wanted.args ?? [];
	if (!args.length) return words;
	// --name NAME of attach is an option
	return args[0].startsWith('--') ? [...words, ...args] : [...words, '--', ...args];
}

/** A line of --progress. */
export interface Progress {
	readonly state: 'waiting' | 'recording' | 'over';
	readonly file: string;
	readonly elapsed_ns: number;
	readonly inferences: number;
	readonly lost: number;
	readonly median_ns: number | null;
	readonly p99_ns: number | null;
}

/** The last whole line; null: there is none yet. */
export function lastProgress(text: string): Progress | null {
	const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
	for (let i = lines.length - 1; i >= 0; i--) {
		try {
			const one = JSON.parse(lines[i]) as Progress;
			if (typeof one?.state === 'string' && typeof one.file === 'string') return one;
		} catch {
			// an empty line, or one of another program
		}
	}
	return null;
}

const UNITS: readonly (readonly [number, string])[] = [
	[1e9, 's'],
	[1e6, 'ms'],
	[1e3, 'µs'],
];

export function duration(ns: number): string {
	const [factor, unit] = UNITS.find(([size]) => ns >= size * 0.9995) ?? [1, 'ns'];
	const value = ns / factor;
	return `${value >= 100 || factor === 1 ? Math.round(value) : value.toPrecision(3)} ${unit}`;
}

export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** "00:12". */
export function clock(ns: number): string {
	const s = Math.floor(ns / 1e9);
	const two = (n: number): string => String(n).padStart(2, '0');
	const minutes = `${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
	return s < 3600 ? minutes : `${Math.floor(s / 3600)}:${minutes}`;
}

/** How long something took: "504 ms", "01:12". */
const span = (ns: number): string => (ns < 59.95e9 ? duration(ns) : clock(ns));

const inferences = (n: number): string => (n === 1 ? '1 inference' : `${n ? count(n) : 'no'} inferences`);

/** How a program ended that was started; "": as it should, or because it was stopped (SIGINT, SIGTERM). */
export function failureOf(status: number | undefined): string {
	if (!status || status === 130 || status === 143) return '';
	return status > 128 ? ` was ended by signal ${status - 128}` : ` ended with status ${status}`;
}

/** What was recorded, in one sentence. name: what for people, with its failure; file: where it is. */
export function recorded(name: string, last: Progress | null, file: string): string {
	return `${name}: ${inferences(last?.inferences ?? 0)} in ${span(last?.elapsed_ns ?? 0)}, in ${file}.`;
}

/** What a recording in the making says of itself, in few words. */
export function shortly(one: Progress | null, elapsedNs: number): string {
	if (one?.state === 'waiting') return 'waiting';
	if (!one) return clock(elapsedNs);
	const parts = [clock(Math.max(one.elapsed_ns, 0)), inferences(one.inferences)];
	if (one.p99_ns !== null) parts.push(`p99 ${duration(one.p99_ns)}`);
	return parts.join(' · ');
}

export interface Running {
	readonly pid: number;
	readonly name: string;
	readonly command: string;
	readonly user: string | null;
	readonly runtimes: readonly {
		readonly name: string | null;
		/** Its name for people; an older inftrace has none. */
		readonly title?: string | null;
		readonly version: string | null;
	}[];
	readonly can_attach: boolean;
	readonly obstacle: string | null;
	/** The first process of a program that has the runtime in itself, as a browser has. */
	readonly leader?: number | null;
}

/** Each program once, with how many processes more it has. */
export function leadersOf(all: readonly Running[]): (Running & { readonly more: number })[] {
	const more = new Map<number, number>();
	for (const { leader } of all) if (leader) more.set(leader, (more.get(leader) ?? 0) + 1);
	return all.filter(one => !one.leader).map(one => ({ ...one, more: more.get(one.pid) ?? 0 }));
}

export interface Programs {
	readonly programs: readonly Running[];
	readonly attach_problem: string | null;
}

/** A command line without the folders of its words, in one line. */
export function nameOf(command: string): string {
	return plain(command.replace(/(^|\s)\/\S*\/(?=\S)/g, '$1')) || '?';
}

/** "ONNX Runtime 1.32.0". */
export const runtimesOf = (one: Running): string =>
	one.runtimes
		.map(({ name, title, version }) => [title ?? name ?? '?', version].filter(Boolean).join(' '))
		.join(', ');

/** A name for a recording of this command: that of its script, if there is one. */
export function stemOf(words: readonly string[]): string {
	const word = words.find((one, i) => i > 0 && /^(?!-).*[^/.]\.\w+$/.test(one)) ?? words[0] ?? '';
	return word.replace(/^.*\//, '').replace(/(?<=.)\.\w+$/, '');
}

/** Control characters and those that turn text round are shown, not obeyed. */
export function oneLine(text: string): string {
	return text
		.replace(/[\u0000-\u001f]/g, one => String.fromCharCode(0x2400 + one.charCodeAt(0)))
		.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}

const LONGEST = 200;

/** For notifications and lists: text of others is no link "[x](command:y)", no picture "$(x)", and not of any length. */
export function plain(text: string): string {
	const letters = [...oneLine(text)];
	const short = letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join('')}…` : letters.join('');
	// a word joiner, which nobody sees
	return short.replace(/(\]|\$)(?=\()/g, '$1\u2060');
}

/** What the editor would put something else for in the words of a task; null: nothing. */
export const variableIn = (words: readonly string[]): string | null =>
	words.map(word => /\$\{[^}]*\}/.exec(word)?.[0]).find(found => found !== undefined) ?? null;

export const isKernel = (one: Running): boolean => /\b(ipykernel|xpython|xeus)/.test(one.command);

/** A line of the program that asked for inferences. */
export interface Line {
	readonly file: string;
	readonly line: number;
	readonly text: string;
	/** When the program began, milliseconds since 1970: a file that was changed later may have other lines. */
	readonly begunMs: number | null;
}

interface Latency {
	readonly p50_ns: number | null;
	readonly p99_ns: number | null;
}

export interface Report {
	readonly verdict: string | null;
	readonly insights?: readonly {
		readonly model: number | null;
		readonly finding: string;
		readonly evidence: string | null;
		readonly next: string | null;
	}[];
	readonly recording?: {
		readonly start_realtime_ns?: number | null;
		readonly begin_monotonic_ns?: number | null;
	};
	readonly processes?: readonly { readonly pid: number; readonly start_monotonic_ns?: number | null }[];
	readonly models?: readonly {
		readonly name: string;
		readonly pid?: number | null;
		readonly path?: string | null;
		readonly inferences?: {
			readonly latency?: Latency | null;
			readonly callers?: readonly { readonly text: string; readonly inferences: number }[];
		} | null;
		readonly sessions?: readonly {
			readonly caller?: string | null;
			readonly creation_ns?: number | null;
		}[];
	}[];
}

/** "main (/a/b.py:12)". */
export function placeOf(caller: string): { readonly file: string; readonly line: number } | null {
	const found = /\((.+):(\d+)\)$/.exec(caller);
	return found ? { file: found[1], line: Number(found[2]) } : null;
}

/** When this process began, milliseconds since 1970; null: not known. */
function beginOf({ recording = {}, processes = [] }: Report, pid: number | null | undefined): number | null {
	const { start_realtime_ns: start, begin_monotonic_ns: begin } = recording;
	const own = processes.find(one => one.pid === pid)?.start_monotonic_ns;
	if (!start) return null;
	return (begin && own ? start - (begin - own) : start) / 1e6;
}

const MOST_TEXTS = 3;

/** What stands behind one line: not all of a hundred models. */
export function brief(texts: readonly string[]): string {
	const more = texts.length - MOST_TEXTS;
	return texts.slice(0, MOST_TEXTS).join('; ') + (more > 0 ? `; ${count(more)} more` : '');
}

/** What to write behind lines of the program, once per line and model. */
export function linesOf(report: Report): Line[] {
	const lines: Line[] = [];
	for (const model of report.models ?? []) {
		const begunMs = beginOf(report, model.pid);
		const { latency, callers = [] } = model.inferences ?? {};
		for (const caller of callers) {
			const at = placeOf(caller.text);
			if (!at) continue;
			const parts = [`${oneLine(model.name)}: ${count(caller.inferences)} inferences`];
			// the latency is that of all callers together
			if (latency?.p50_ns && callers.length === 1) {
				parts.push(`median ${duration(latency.p50_ns)}`);
				if (latency.p99_ns) parts.push(`p99 ${duration(latency.p99_ns)}`);
			}
			lines.push({ ...at, text: parts.join(' · '), begunMs });
		}
		const made = new Map<string, { n: number; ns: number }>();
		for (const { caller, creation_ns: ns } of model.sessions ?? [])
			if (caller && ns) {
				const one = made.get(caller) ?? { n: 0, ns: 0 };
				made.set(caller, { n: one.n + 1, ns: one.ns + ns });
			}
		for (const [caller, { n, ns }] of made) {
			const at = placeOf(caller);
			const times = n > 1 ? `${count(n)} times ` : '';
			const text = `${oneLine(model.name)} created ${times}in ${duration(ns)}`;
			if (at) lines.push({ ...at, text, begunMs });
		}
	}
	return lines;
}

/** Providers and policies of `inftrace model`, of its list of devices. */
export function providersOf(text: string): string[] {
	const names = [...text.matchAll(/^device\s+\d+\s+(\S+) on (\S+)/gm)].map(found => found[1]);
	return [...new Set(names)];
}

export const POLICIES = [
	'prefer-cpu',
	'prefer-npu',
	'prefer-gpu',
	'max-performance',
	'max-efficiency',
	'min-power',
] as const;

/** Words of a command line, with quotes as a shell has them; null: a quote is open. */
export function split(text: string): string[] | null {
	const words: string[] = [];
	let word: string | null = null;
	let quote = '';
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (quote) {
			if (c === quote) quote = '';
			else if (c === '\\' && quote === '"' && i + 1 < text.length) word += text[++i];
			else word += c;
		} else if (c === '"' || c === "'") {
			quote = c;
			word ??= '';
		} else if (c === '\\' && i + 1 < text.length) word = (word ?? '') + text[++i];
		else if (/\s/.test(c)) {
			if (word !== null) words.push(word);
			word = null;
		} else word = (word ?? '') + c;
	}
	if (word !== null) words.push(word);
	return quote ? null : words;
}

export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, one => `&#${one.charCodeAt(0)};`);
}
