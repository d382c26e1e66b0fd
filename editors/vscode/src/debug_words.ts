// SPDX-License-Identifier: Apache-2.0
// How a launch configuration becomes one that records what it debugs. Plain values.

export interface Launch {
	[key: string]: unknown;
	readonly type: string;
	readonly request: string;
	readonly name: string;
}

/** What "inftrace": true or {...} of a launch configuration says; null: nothing. */
export interface Wish {
	readonly level?: string;
	readonly output?: string;
	readonly options?: readonly string[];
}

export function wishOf(launch: Launch): Wish | null {
	const { inftrace } = launch;
	if (inftrace === true) return {};
	return inftrace && typeof inftrace === 'object' ? (inftrace as Wish) : null;
}

const PYTHON = ['python', 'debugpy'];
const NODE = ['node', 'pwa-node'];

const list = (value: unknown): string[] =>
	Array.isArray(value) ? value.map(String) : typeof value === 'string' && value ? [value] : [];

/** Whether the debugger can start inftrace, which starts the program; others are waited for, or recorded by their PID. */
export const canWrap = (launch: Launch): boolean =>
	launch.request === 'launch' && [...PYTHON, ...NODE].includes(launch.type);

/** What attach is to record of a native program: those that start from its file, or the one that already runs. */
export function targetOf(launch: Launch, folder: string): string[] | null {
	if (launch.request === 'attach') {
		const pid = Number(launch.processId ?? launch.pid);
		return Number.isInteger(pid) && pid > 0 ? [String(pid)] : null;
	}
	const { program } = launch;
	if (typeof program !== 'string' || !program) return null;
	return ['--all', '--path', program.startsWith('/') ? program : `${folder}/${program}`];
}

/** `words`: inftrace with its options, up to "--". python: the interpreter, where the configuration names none. */
export function wrapped(launch: Launch, words: readonly string[], python: string): Launch {
	if (PYTHON.includes(launch.type)) {
		const own = list(launch.python ?? launch.pythonPath);
		const interpreter = own.length ? own : [python];
		// without the second one the adapter would start inftrace as its launcher, and wait for ever
		return { ...launch, python: [...words, ...interpreter], debugLauncherPython: interpreter[0] };
	}
	const runtime = typeof launch.runtimeExecutable === 'string' ? launch.runtimeExecutable : 'node';
	const args = list(launch.runtimeArgs);
	return { ...launch, runtimeExecutable: words[0], runtimeArgs: [...words.slice(1), runtime, ...args] };
}
