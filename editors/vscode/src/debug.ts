// SPDX-License-Identifier: Apache-2.0
// Recording while debugging: "inftrace": true in a launch configuration. Python and Node.js are started through inftrace;
// a native program, which its debugger starts itself, is attached to once it runs.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { canWrap, wishOf, wrapped, type Launch } from './debug_words';
import { fresh, jobs, start, type Job } from './jobs';
import { find, setting } from './program';
import { outputOf, pythonOf } from './start';
import { wordsOf, type Wanted } from './words';

const WRAPPED = ['python', 'debugpy', 'node', 'pwa-node'];
const NATIVE = ['cppdbg', 'lldb', 'lldb-dap', 'gdb'];

/** Recordings of sessions that have not begun yet, by the file. */
const waiting = new Map<string, { readonly wanted: Wanted; readonly progress: string }>();

const stemOf = (launch: Launch): string =>
	typeof launch.program === 'string' ? basename(launch.program).replace(/\.\w+$/, '') : launch.name;

class Wrapper implements vscode.DebugConfigurationProvider {
	async resolveDebugConfigurationWithSubstitutedVariables(
		folder: vscode.WorkspaceFolder | undefined,
		given: vscode.DebugConfiguration,
	): Promise<vscode.DebugConfiguration> {
		const launch = given as Launch;
		const wish = wishOf(launch);
		// the debugger resolves what it starts again
		if (!wish || launch.inftraceFile || !canWrap(launch) || !vscode.workspace.isTrusted) return given;
		const { state, path, trouble } = await find();
		if (state !== 'ok') {
			void vscode.window.showWarningMessage(
				`${trouble}: the program is debugged without a recording.`,
			);
			return given;
		}
		const file = wish.output ?? outputOf(stemOf(launch), folder?.uri);
		const progress = fresh('.progress');
		const wanted: Wanted = {
			command: 'record',
			level: wish.level ?? setting<string>('level'),
			options: ['--quiet', ...(wish.options ?? [])],
			output: file,
		};
		waiting.set(file, { wanted, progress });
		const words = [path, ...wordsOf(wanted, progress), '--'];
		return {
			...wrapped(launch, words, await pythonOf(folder?.uri)),
			inftraceFile: file,
		} as vscode.DebugConfiguration;
	}
}

const recorded = new Map<string, { job: Job; done: () => void; file: string }>();

function begun(session: vscode.DebugSession): void {
	const file = session.configuration.inftraceFile as string | undefined;
	const one = file && waiting.get(file);
	if (!file || !one) return;
	waiting.delete(file);
	const job: Job = {
		name: session.name,
		wanted: one.wanted,
		begun: Date.now(),
		progress: null,
		stop: () => void vscode.debug.stopDebugging(session),
	};
	recorded.set(session.id, { job, done: jobs.add(job, one.progress), file });
}

function ended(session: vscode.DebugSession): void {
	const one = recorded.get(session.id);
	if (!one) return;
	recorded.delete(session.id);
	// the recorder writes the end of the file after the debugger has gone
	setTimeout(() => {
		one.done();
		jobs.end({ job: one.job, status: 0, file: one.file });
	}, 1500);
}

/** The debugger says which process it has started. */
class Listener implements vscode.DebugAdapterTracker {
	constructor(
		private readonly session: vscode.DebugSession,
		private readonly options: readonly string[],
	) {}

	onDidSendMessage(message: { event?: string; body?: { systemProcessId?: number; name?: string } }): void {
		const pid = message.event === 'process' ? message.body?.systemProcessId : undefined;
		if (pid) void this.attach(pid);
	}

	private async attach(pid: number): Promise<void> {
		const { state, path } = await find();
		if (state !== 'ok') return;
		const wanted: Wanted = {
			command: 'attach',
			args: [String(pid)],
			options: this.options,
			level: setting<string>('level'),
			output: outputOf(stemOf(this.session.configuration as Launch)),
		};
		await start(path, { name: this.session.name, wanted });
	}
}

export function registerDebug(): vscode.Disposable[] {
	const tracker: vscode.DebugAdapterTrackerFactory = {
		createDebugAdapterTracker: session => {
			const wish = wishOf(session.configuration as Launch);
			return wish && vscode.workspace.isTrusted
				? new Listener(session, wish.options ?? [])
				: undefined;
		},
	};
	return [
		...WRAPPED.map(type => vscode.debug.registerDebugConfigurationProvider(type, new Wrapper())),
		...NATIVE.map(type => vscode.debug.registerDebugAdapterTrackerFactory(type, tracker)),
		vscode.debug.onDidStartDebugSession(begun),
		vscode.debug.onDidTerminateDebugSession(ended),
	];
}
