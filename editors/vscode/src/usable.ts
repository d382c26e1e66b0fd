// SPDX-License-Identifier: Apache-2.0
// Runs inftrace for short questions, and judges whether a file is an inftrace that this extension can use. Knows nothing
// of the editor.
import { execFile } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { isOlder, NEEDED, versionOf } from './words';

export type State = 'ok' | 'missing' | 'old' | 'broken';

export interface Found {
	readonly state: State;
	readonly path: string;
	/** Why it is not ok, and what to do. */
	readonly trouble: string;
	readonly version?: readonly number[];
}

export interface Done {
	readonly status: number | null;
	readonly out: string;
	readonly err: string;
}

interface How {
	readonly cwd?: string;
	readonly env?: Record<string, string>;
	readonly timeoutMs?: number;
}

/** A question to a program; a status that is not 0 is an answer, too. */
export function ask(path: string, args: readonly string[], { cwd, env, timeoutMs = 300000 }: How = {}): Promise<Done> {
	return new Promise((done, failed) => {
		execFile(
			path,
			args,
			{ cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 28, timeout: timeoutMs },
			(error, out, err) => {
				if (error && typeof error.code !== 'number') failed(error);
				else done({ status: error ? Number(error.code) : 0, out, err });
			},
		);
	});
}

/** By the number in an ELF file, which is also what Node.js names it. */
const PROCESSORS: Readonly<Record<number, string>> = { 3: 'ia32', 40: 'arm', 62: 'x64', 183: 'arm64', 243: 'riscv64' };

/** The processor of a program; null: it is no program of machine code. */
function processorOf(path: string): string | null {
	const head = Buffer.alloc(20);
	const file = openSync(path, 'r');
	try {
		if (readSync(file, head, 0, head.length, 0) < head.length) return null;
	} finally {
		closeSync(file);
	}
	if (head.toString('latin1', 0, 4) !== '\u007fELF') return null;
	const machine = head.readUInt16LE(18);
	return PROCESSORS[machine] ?? `processor ${machine}`;
}

/** Why a file cannot be run, where its own words do not say it. */
function obstacleOf(path: string): string {
	try {
		if (statSync(path).isDirectory()) return `${path} is a folder: choose the program in it`;
		const processor = processorOf(path);
		if (processor && processor !== process.arch)
			return `${path} is for ${processor}, this machine is ${process.arch}: install inftrace for ${process.arch}`;
	} catch {
		// the program's own words have to do
	}
	return '';
}

const TROUBLES: Readonly<Record<string, string>> = {
	EACCES: 'it is not executable: run chmod +x on it, or choose another one',
	ENOENT: 'its interpreter or its loader is not here: install inftrace for this system',
};

/** An answer that takes longer comes from something else. */
const PATIENCE_MS = 20000;

/** patienceMs: how long the program may take to name its version. */
export async function judge(path: string, patienceMs = PATIENCE_MS): Promise<Found> {
	if (!existsSync(path)) {
		const trouble = `${path}, which the setting inftrace.path names, does not exist`;
		return { state: 'missing', path: '', trouble: `${trouble}: choose the program, or empty the setting` };
	}
	const broken = (trouble: string): Found => ({ state: 'broken', path, trouble: obstacleOf(path) || trouble });
	try {
		const { out } = await ask(path, ['--version'], { timeoutMs: patienceMs });
		const version = versionOf(out);
		if (!version) return broken(`${path} is not inftrace: choose another program`);
		const trouble = `${path} is inftrace ${version.join('.')}, this extension needs ${NEEDED}: update it`;
		return isOlder(version, NEEDED)
			? { state: 'old', path, trouble }
			: { state: 'ok', path, trouble: '', version };
	} catch (error) {
		const { code = '', killed, message } = error as NodeJS.ErrnoException & { killed?: boolean };
		const why = killed ? 'it does not answer: choose another program' : (TROUBLES[code] ?? message);
		return broken(`cannot run ${path}: ${why}`);
	}
}
