// SPDX-License-Identifier: Apache-2.0
// Recording while debugging: "inftrace": true in a launch configuration. Python and Node.js are started through inftrace;
// a native program, which its debugger starts itself, is waited for.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { canWrap, isPart, targetOf, wishOf, wrapped, type Launch, type Wish } from './debug_words';
import { fresh, jobs, start, type Job } from './jobs';
import { find, folderOf, setting } from './program';
import { outputOf, pythonOf, rights } from './start';
import { plain, wordsOf, type Wanted } from './words';

const WRAPPED = ['python', 'debugpy', 'node', 'pwa-node', 'node-terminal'];
const NATIVE = ['cppdbg', 'lldb', 'lldb-dap', 'gdb'];

/** Recordings of sessions that have not begun yet, by the file. */
const waiting = new Map<string, { readonly wanted: Wanted; readonly progress: string }>();

const stemOf = (launch: Launch): string =>
	typeof launch.program === 'string' && launch.program
		? basename(launch.program).replace(/\.\w+$/, '')
		: launch.name;

/** The path of inftrace, which is to record this launch; null: it is debugged without, and the reader learns why. */
async function usable(): Promise<string | null> {
	const { state, path, trouble } = await find();
	if (state === 'ok') return path;
	without(trouble);
	return null;
}

function without(why: string): void {
	void vscode.window.showWarningMessage(`${plain(why)}. The program is debugged without a recording.`);
}

function wantedOf(launch: Launch, wish: Wish, folder: vscode.WorkspaceFolder | undefined): Wanted & { output: string } {
	return {
		command: 'record',
		level: wish.level ?? setting<string>('level'),
		options: wish.options ?? [],
		output: wish.output ?? outputOf(stemOf(launch), folder?.uri),
	};
}

class Wrapper implements vscode.DebugConfigurationProvider {
	async resolveDebugConfigurationWithSubstitutedVariables(
		folder: vscode.WorkspaceFolder | undefined,
		given: vscode.DebugConfiguration,
	): Promise<vscode.DebugConfiguration> {
		const launch = given as Launch;
		const wish = wishOf(launch);
		if (!canWrap(launch)) return follow(folder, given);
		// the debugger resolves what it starts again
		if (!wish || launch.inftraceFile || !vscode.workspace.isTrusted) return given;
		const path = await usable();
		if (!path) return given;
		const wanted = wantedOf(launch, wish, folder);
		const progress = fresh('.progress');
		waiting.set(wanted.output, { wanted, progress });
		const words = [
			path,
			...wordsOf({ ...wanted, options: ['--quiet', ...(wanted.options ?? [])] }, progress),
			'--',
		];
		return {
			...wrapped(launch, words, await pythonOf(folder?.uri)),
			inftraceFile: wanted.output,
		} as vscode.DebugConfiguration;
	}
}

/** How long a recorder may take to begin, and to write the end of its file. */
const BEGIN_MS = 30000;
const END_MS = 10000;

/** Waits until the recording of this file is so, or has ended. */
function until(file: string, isSo: () => boolean, patienceMs: number): Promise<void> {
	return new Promise(done => {
		const timer = setTimeout(over, patienceMs);
		const changed = jobs.onChange(() => isSo() && over());
		const ended = jobs.onEnd(({ job }) => job.wanted.output === file && over());
		function over(): void {
			clearTimeout(timer);
			changed.dispose();
			ended.dispose();
			done();
		}
	});
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
	// the recorder writes the end of the file after the debugger has gone
	if (one) void until(one.file, () => isOver(one.job), END_MS).then(() => finish(session.id));
}

const isOver = (job: Job): boolean => job.progress?.state === 'over';

function finish(id: string): void {
	const one = recorded.get(id);
	if (!one) return;
	recorded.delete(id);
	one.done();
	jobs.end({ job: one.job, status: 0, file: one.file });
}

/** A session may outlive its program: that of a terminal does. */
function finishThoseOver(): void {
	for (const [id, { job }] of recorded) if (isOver(job)) finish(id);
}

/** Files of recordings that follow a native program, by its session's configuration. */
const followed = new Set<string>();

/**
 * A debugger of native programs starts them itself: they are waited for, by their file, before it does. What runs already
 * is recorded by its PID.
 */
async function follow(
	folder: vscode.WorkspaceFolder | undefined,
	given: vscode.DebugConfiguration,
): Promise<vscode.DebugConfiguration> {
	const launch = given as Launch;
	const wish = wishOf(launch);
	if (!wish || launch.inftraceFile || isPart(launch) || !vscode.workspace.isTrusted) return given;
	const whom = targetOf(launch, folder?.uri.fsPath ?? folderOf() ?? '');
	const path = typeof whom === 'string' ? without(whom) : await usable();
	const may = path && (await rights(path));
	if (!path || !may || typeof whom === 'string') return given;
	const wanted: Wanted = { ...wantedOf(launch, wish, folder), command: 'attach', args: whom };
	const file = wanted.output as string;
	const isBegun = (): boolean => jobs.all.some(job => job.wanted.output === file && job.progress);
	// or it has failed, which its terminal says
	const begins = until(file, isBegun, BEGIN_MS);
	await start(path, { name: launch.name, wanted, isRoot: may === 'root' });
	await begins;
	followed.add(file);
	return { ...given, inftraceFile: file };
}

function endFollowed(session: vscode.DebugSession): void {
	const file = session.configuration.inftraceFile as string | undefined;
	if (file && followed.delete(file)) jobs.all.find(job => job.wanted.output === file)?.stop();
}

export const registerDebug = (): vscode.Disposable[] => [
	...WRAPPED.map(type => vscode.debug.registerDebugConfigurationProvider(type, new Wrapper())),
	...NATIVE.map(type =>
		vscode.debug.registerDebugConfigurationProvider(type, {
			resolveDebugConfigurationWithSubstitutedVariables: follow,
		}),
	),
	vscode.debug.onDidStartDebugSession(begun),
	jobs.onChange(finishThoseOver),
	vscode.debug.onDidTerminateDebugSession(session => {
		ended(session);
		endFollowed(session);
	}),
];
