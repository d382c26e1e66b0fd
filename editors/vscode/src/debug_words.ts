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
/** A command line that a terminal runs, in which the debugger meets each Node.js. */
const TERMINAL = 'node-terminal';

const list = (value: unknown): string[] =>
	Array.isArray(value) ? value.map(String) : typeof value === 'string' && value ? [value] : [];

/** Whether the debugger can start inftrace, which starts the program; others are waited for, or recorded by their PID. */
export const canWrap = (launch: Launch): boolean =>
	launch.request === 'launch' && [...PYTHON, ...NODE, TERMINAL].includes(launch.type);

/** A session that a debugger makes below that of the launch, for a process of the program. */
export const isPart = (launch: Launch): boolean =>
	['__pendingTargetId', '__parentId', 'subProcessId'].some(name => launch[name] !== undefined);

const absolute = (path: string, folder: string): string => (path.startsWith('/') ? path : `${folder}/${path}`);

/** Programs of cores and of other machines do not run here. */
const ELSEWHERE = [
	'coreDumpPath',
	'miDebuggerServerAddress',
	'pipeTransport',
	'useExtendedRemote',
	'gdb-remote',
	'target',
];

/**
 * What attach is to record of a native program: those that start from its file, or the one that already runs. The
 * names are those of cppdbg (processId), CodeLLDB (pid, waitFor), lldb-dap and gdb. A text: why there is none.
 */
export function targetOf(launch: Launch, folder: string): string[] | string {
	if (ELSEWHERE.some(name => launch[name])) return 'inftrace records programs that run on this machine alone';
	const { program } = launch;
	// the file of a script is not that of its process
	const isScript = [...PYTHON, ...NODE].includes(launch.type);
	const path = typeof program === 'string' && program && !isScript ? absolute(program, folder) : null;
	if (launch.request === 'attach') {
		const pid = Number(launch.processId ?? launch.pid);
		if (Number.isInteger(pid) && pid > 0) return [String(pid)];
		if (path) return launch.waitFor ? ['--all', '--path', path] : ['--path', path, '--first'];
		if (isScript) return 'inftrace needs "processId", the PID of what is to be recorded';
		return 'inftrace needs the PID, or "program", of what is to be recorded';
	}
	return path ? ['--all', '--path', path] : 'inftrace needs "program", the file of what is to be recorded';
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** `words`: inftrace with its options, up to "--". python: the interpreter, where the configuration names none. */
export function wrapped(launch: Launch, words: readonly string[], python: string): Launch {
	if (PYTHON.includes(launch.type)) {
		const own = list(launch.python ?? launch.pythonPath);
		const interpreter = own.length ? own : [python];
		// without the second one the adapter would start inftrace as its launcher, and wait for ever
		return { ...launch, python: [...words, ...interpreter], debugLauncherPython: interpreter[0] };
	}
	if (launch.type === TERMINAL) {
		const command = typeof launch.command === 'string' ? launch.command : '';
		return { ...launch, command: [...words, 'sh', '-c', command].map(quoted).join(' ') };
	}
	const runtime = typeof launch.runtimeExecutable === 'string' ? launch.runtimeExecutable : 'node';
	const args = list(launch.runtimeArgs);
	return { ...launch, runtimeExecutable: words[0], runtimeArgs: [...words.slice(1), runtime, ...args] };
}
