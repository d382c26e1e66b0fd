// SPDX-License-Identifier: Apache-2.0
// What goes on while the window is loaded again, or while its extension host ends and comes back: the process that comes
// after this one finds it in a file, and takes it over. Knows nothing of the editor.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Wanted } from './words';

/** A process of inftrace that records, and what whoever started it knew of it. */
export interface Kept {
	readonly name: string;
	readonly wanted: Wanted;
	readonly begun: number;
	readonly cwd: string | undefined;
	/** The file of its lines of progress. */
	readonly progress: string | undefined;
	readonly pid: number;
	/** With the PID it names one process: a PID is used again. */
	readonly start: string;
	readonly isRoot: boolean;
}

interface State {
	readonly pid: number;
	readonly start: string;
	readonly workspace: string;
	readonly kept: readonly Kept[];
}

const FILE = 'kept.json';
/** A folder that nobody has come for by then is of no use. */
const LATE_MS = 7 * 24 * 3600 * 1000;
/** What ended longer ago is no news. */
const NEWS_MS = 3600 * 1000;

/** When a process started, in ticks since the machine did; '': there is none. */
export function startOf(pid: number): string {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
		const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
		return fields[0] === 'Z' ? '' : fields[19];
	} catch {
		return '';
	}
}

export const isRunning = ({ pid, start }: { readonly pid: number; readonly start: string }): boolean =>
	start !== '' && startOf(pid) === start;

/** Of this process: its folder below ROOT, which holds nothing but files of the recordings of WORKSPACE. */
export class Shelf {
	readonly folder: string;

	constructor(
		private readonly root: string,
		private readonly workspace: string,
		private readonly pid = process.pid,
	) {
		this.folder = join(root, String(pid));
		mkdirSync(this.folder, { recursive: true, mode: 0o700 });
		// whose folder it is, so that nobody takes it for one that was left
		this.put([]);
	}

	/** All that runs. */
	put(kept: readonly Kept[]): void {
		const file = join(this.folder, FILE);
		const state: State = { pid: this.pid, start: startOf(this.pid), workspace: this.workspace, kept };
		try {
			writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
			renameSync(`${file}.new`, file);
		} catch {
			// without it, what runs is not found again
		}
	}

	/** Of processes before this one that have ended: what they recorded of this workspace. Nobody else gets it after that. */
	take(now = Date.now()): Kept[] {
		return this.others().flatMap(folder => {
			const state = read(join(folder, FILE));
			if (!state) {
				if (isOlder(folder, now - LATE_MS)) rmSync(folder, { recursive: true, force: true });
				return [];
			}
			if (isRunning(state)) return [];
			const running = state.kept.filter(isRunning);
			if (state.workspace === this.workspace && claim(folder, this.pid))
				return state.kept.filter(one => isRunning(one) || isNews(one, now));
			if (!running.length && isOlder(join(folder, FILE), now - LATE_MS))
				rmSync(folder, { recursive: true, force: true });
			return [];
		});
	}

	/** Whether a process that has not ended yet keeps something of this workspace. */
	isAwaited(): boolean {
		return this.others().some(folder => {
			const state = read(join(folder, FILE));
			return state !== null && state.workspace === this.workspace && state.kept.length > 0;
		});
	}

	/** This one has ended, and so has its file of progress: with the folder, if it was another's. */
	drop({ progress }: Kept): void {
		if (!progress) return;
		const folder = dirname(progress);
		rmSync(progress, { force: true });
		if (folder !== this.folder && !readdirSync(folder).some(name => name.endsWith('.progress')))
			rmSync(folder, { recursive: true, force: true });
	}

	/** This process ends: what runs on is left to the next. */
	close(kept: readonly Kept[]): void {
		if (!kept.length) rmSync(this.folder, { recursive: true, force: true });
	}

	private others(): string[] {
		try {
			const own = String(this.pid);
			return readdirSync(this.root)
				.filter(name => /^\d+$/.test(name) && name !== own)
				.map(name => join(this.root, name));
		} catch {
			return [];
		}
	}
}

function read(file: string): State | null {
	try {
		const state = JSON.parse(readFileSync(file, 'utf8')) as State;
		return Array.isArray(state.kept) ? state : null;
	} catch {
		return null;
	}
}

/** Of two windows that come, one gets it. */
function claim(folder: string, pid: number): boolean {
	try {
		renameSync(join(folder, FILE), join(folder, `taken-by-${pid}`));
		return true;
	} catch {
		return false;
	}
}

function isOlder(path: string, thanMs: number): boolean {
	try {
		return statSync(path).mtimeMs < thanMs;
	} catch {
		return false;
	}
}

const isNews = ({ progress, begun }: Kept, now: number): boolean =>
	!isOlder(progress ?? '', now - NEWS_MS) && now - begun < LATE_MS;
