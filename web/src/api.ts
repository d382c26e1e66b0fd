// SPDX-License-Identifier: Apache-2.0
// What the server says, and how it is asked. All addresses are relative to the page, which carries the token.
import { host, whenSeen, type Answer } from './host';

export interface Track {
	readonly id: number;
	readonly parent: number | null;
	readonly kind: string;
	readonly name: string;
	readonly pid?: number;
	readonly tid?: number;
	readonly row: number;
	readonly rows: number;
	readonly slices: number;
	/** Kinds of the slices in its first rows; '': not known. */
	readonly row_kinds: readonly string[];
	/** Of its slices. */
	readonly kinds: readonly string[];
}

export interface Counter {
	readonly id: number;
	readonly name: string;
	readonly unit: string;
	readonly scope: string;
	/** The track of its process. */
	readonly process?: number;
	readonly pid?: number;
	readonly track: number | null;
	readonly group: string;
	readonly samples: number;
	readonly min: number;
	readonly max: number;
}

/** What a live page keeps, and what it has left out. Times are those of the page. */
export interface Live {
	readonly over: boolean;
	readonly file: string | null;
	readonly problem: string | null;
	readonly interval_ns: number;
	readonly window_ns: number;
	readonly max_bytes: number;
	readonly kept_from: number;
	readonly operators_from: number;
	readonly inferences_from: number;
	readonly operators_left_out: number;
	readonly inferences_left_out: number;
	readonly not_kept: number;
}

export interface Recording {
	readonly version: string;
	readonly file: string;
	/** On the server's machine; null: of no file. */
	readonly path: string | null;
	readonly begin_realtime_ns: string | null;
	readonly end: number;
	readonly events: number;
	readonly bytes_per_event: number;
	readonly memory_bytes: number;
	readonly cut: string | null;
	/** When its first inference begins. */
	readonly first_inference: number | null;
	/** The number of the recording that it is compared with. */
	readonly beside: number | null;
	/** How far it was moved for that. */
	readonly shift_ns: number;
	readonly growing: boolean;
	readonly tiles_version: number;
	readonly live?: Live;
	readonly tracks: readonly Track[];
	readonly counters: readonly Counter[];
	readonly classes: readonly string[];
	readonly class_kinds: readonly string[];
}

/** How far reading is. */
export interface Loading {
	readonly over: boolean;
	readonly file: string;
	readonly file_bytes: number;
	readonly events: number;
	/** Of the file, from 0 to 1; null: the format does not say. */
	readonly share: number | null;
}

export interface Slice {
	readonly name: string;
	readonly kind: string;
	readonly class: number | string;
	readonly begin: number;
	readonly end: number;
	readonly cut: boolean;
	readonly track: number;
	readonly args: Readonly<Record<string, string | number | boolean | null>>;
	readonly parent: { readonly row: number; readonly index: number } | null;
	readonly inference: number | null;
	readonly self_ns: number | null;
	readonly row: number;
	readonly index: number;
	readonly name_number: number;
}

/** An end of a flow. */
export interface FlowEnd {
	readonly row: number;
	readonly index: number;
	readonly name: string;
	readonly kind: string;
	readonly begin: number;
	readonly end: number;
}

/** A flow ties a slice to a later one: an operator to its kernel, a request to its answer. */
export interface Flow {
	readonly from: FlowEnd;
	readonly to: FlowEnd;
}

export interface Found {
	readonly name: number;
	readonly text: string;
	readonly class: number;
	readonly slices: number;
	readonly total_ns: number;
}

export interface Column {
	readonly name: string;
	readonly title: string;
	readonly unit: string | null;
	readonly type: 'number' | 'text' | 'time';
	readonly sortable?: boolean;
}

export type Cell = string | number | boolean | null;

export interface Table {
	readonly columns: readonly Column[];
	readonly rows: readonly (readonly Cell[])[];
	readonly total: number;
}

export interface Histogram {
	readonly edges: readonly number[];
	readonly counts: readonly number[];
	readonly p50_ns?: number | null;
	readonly p99_ns?: number | null;
}

export interface Part {
	readonly name: string;
	readonly ns: number;
	readonly n: number;
	readonly class?: number | null;
	/** Of samples: the part on a CPU. */
	readonly ran_ns?: number;
	readonly children?: readonly Part[];
}

export interface Insight {
	readonly kind: string;
	readonly model: number | null;
	readonly finding: string;
	readonly evidence: string | null;
	readonly next: string | null;
	readonly gain_ns: number | null;
}

/** An inference that took longer than others, and why, where that is known. */
export interface Slow {
	readonly at_ns: number;
	readonly duration_ns: number;
	readonly why?: Why | null;
}

/** What an inference took longer than usual, in parts. */
export interface Why {
	readonly words?: string | null;
	readonly excess_ns?: number | null;
	readonly parts?: readonly { readonly cause: string; readonly ns: number; readonly words?: string | null }[];
	readonly unexplained_ns?: number | null;
	readonly missing?: string | null;
	readonly usual?: { readonly p50_ns?: number | null } | null;
}

/** Of durations. */
export interface Spread {
	readonly count: number;
	readonly total_ns: number;
	readonly mean_ns: number;
	readonly min_ns: number;
	readonly p50_ns: number;
	readonly p90_ns: number;
	readonly p99_ns: number;
	readonly max_ns: number;
}

export interface ReportOperator {
	readonly name?: string;
	readonly op_type: string | null;
	readonly provider: string | null;
	readonly calls: number;
	readonly self_ns: number | null;
	readonly duration?: Spread | null;
}

export interface ReportSize {
	readonly elements: number;
	readonly shapes: string | null;
	readonly count: number;
	readonly wall_ns: number;
	readonly p50_ns: number;
	readonly p90_ns: number;
	readonly p99_ns: number;
}

export interface ReportModel {
	readonly name: string;
	readonly pid?: number | null;
	readonly program?: string | null;
	/** Where it is more than one. */
	readonly processes?: number;
	readonly creation?: { readonly sessions: number; readonly duration?: Spread | null } | null;
	readonly inferences?: {
		readonly slowest?: readonly Slow[];
		readonly count?: number;
		readonly failed?: number;
		readonly not_ended?: number;
		readonly per_second?: number | null;
		readonly wall_ns?: number;
		readonly latency?: Spread | null;
		readonly sizes?: readonly ReportSize[];
	} | null;
	readonly operators?: {
		/** deferred: a sentence, where the provider's operators only start what a device computes. */
		readonly providers?: readonly { readonly provider: string | null; readonly deferred?: string | null }[];
		readonly types?: readonly ReportOperator[];
		readonly nodes?: readonly ReportOperator[];
	} | null;
}

export interface Cost {
	readonly events?: number | null;
	readonly event_ns?: number | null;
	readonly arm_ns?: number | null;
	readonly recorder_cpu_ns?: number | null;
	readonly recorder_peak_bytes?: number | null;
}

/** What is missing from a recording, in a sentence. */
export interface Remark {
	readonly kind: string;
	readonly is_loss: boolean;
	readonly text: string;
}

export interface ReportResource {
	readonly scope: string;
	readonly name: string;
	readonly max?: number | null;
	readonly peak?: number | null;
}

export interface Report {
	readonly verdict: string | null;
	readonly resources?: readonly ReportResource[];
	readonly insights?: readonly Insight[];
	readonly models?: readonly ReportModel[];
	/** What was done while no model ran: states, and places in them. */
	readonly outside?: readonly {
		readonly tree: string;
		readonly kind: string;
		readonly state: string | null;
		readonly name: string | null;
		readonly duration_ns: number | null;
		readonly share: number | null;
	}[];
	/** Of devices, by name; here only whether there are some. */
	readonly kernels?: readonly unknown[];
	/** Of files that do not say to which inference they belong; here only whether there are some. */
	readonly operators_elsewhere?: readonly unknown[];
	readonly losses?: {
		readonly lost_events?: number | null;
		readonly remarks?: readonly Remark[];
	} | null;
	readonly cost?: Cost | null;
}

export type Asked = Record<string, string | number | null | undefined>;

/** Said by the server, or by the browser if there is none any more. */
export class Refused extends Error {
	constructor(
		readonly status: number,
		text: string,
	) {
		super(text);
	}
}

export function address(path: string, asked: Asked): string {
	const query = Object.entries(asked)
		.filter(([, value]) => value !== null && value !== undefined && value !== '')
		.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
	return query.length ? `${path}?${query.join('&')}` : path;
}

/** Whether the server answers. One that is gone is looked for, because a tunnel may only have been cut for a moment. */
export const server = { isGone: false, changed: (): void => undefined };
const LOOK_MS = 3000;

function lose(): void {
	if (server.isGone) return;
	server.isGone = true;
	server.changed();
	// what an editor has started does not come back
	if (host.isEditor) return;
	const again = (): void => void setTimeout(() => whenSeen(look), LOOK_MS);
	const look = (): void => {
		host.ask('loading.json').then(got => {
			if (!got.ok) return again();
			server.isGone = false;
			server.changed();
		}, again);
	};
	again();
}

async function answer(path: string, asked: Asked, signal?: AbortSignal): Promise<Answer> {
	let got: Answer;
	try {
		got = await host.ask(address(path, asked), { signal });
	} catch (error) {
		if (signal?.aborted) throw error;
		lose();
		throw new Refused(0, 'inftrace does not answer: has it ended?');
	}
	if (!got.ok) throw new Refused(got.status, (await got.text()).trim() || `status ${got.status}`);
	return got;
}

export async function get<T>(path: string, asked: Asked = {}, signal?: AbortSignal): Promise<T> {
	return (await answer(path, asked, signal)).json() as Promise<T>;
}

export async function bytesOf(path: string, asked: Asked): Promise<ArrayBuffer> {
	return (await answer(path, asked)).arrayBuffer();
}

/** All names, which come in batches. */
export async function names(into: string[], of = 0): Promise<void> {
	for (;;) {
		const batch = await get<string[]>('names', { from: into.length, of: of || undefined });
		for (const name of batch) into.push(name);
		if (batch.length < 65536) return;
	}
}
