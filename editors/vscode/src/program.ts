// SPDX-License-Identifier: Apache-2.0
// Finds the program inftrace on the machine where this extension runs, and runs it for short questions.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { isOlder, NEEDED, versionOf } from './words';

export const log = vscode.window.createOutputChannel('inftrace', { log: true });

export type State = 'ok' | 'missing' | 'old' | 'broken';

export interface Found {
	readonly state: State;
	readonly path: string;
	/** Why it is not ok. */
	readonly trouble: string;
}

export interface Done {
	readonly status: number | null;
	readonly out: string;
	readonly err: string;
}

export const setting = <T>(name: string): T => vscode.workspace.getConfiguration('inftrace').get<T>(name) as T;

export const folderOf = (): string | undefined => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;

function candidates(): string[] {
	const set = setting<string>('path');
	if (set) return [set.replace(/^~(?=\/)/, homedir())];
	const folders = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), '.local/bin'), '/usr/local/bin'];
	return folders.filter(isAbsolute).map(folder => join(folder, 'inftrace'));
}

/** A question to a program; a status that is not 0 is an answer, too. */
export function ask(
	path: string,
	args: readonly string[],
	cwd = folderOf(),
	env: Record<string, string> = {},
): Promise<Done> {
	return new Promise((done, failed) => {
		execFile(
			path,
			args,
			{ cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 28, timeout: 300000 },
			(error, out, err) => {
				if (error && typeof error.code !== 'number') failed(error);
				else done({ status: error ? Number(error.code) : 0, out, err });
			},
		);
	});
}

async function look(): Promise<Found> {
	const path = candidates().find(one => existsSync(one));
	if (!path) return { state: 'missing', path: '', trouble: 'inftrace is not installed here' };
	try {
		const { out } = await ask(path, ['--version'], undefined);
		const version = versionOf(out);
		if (!version) return { state: 'broken', path, trouble: `${path} is no inftrace` };
		if (isOlder(version, NEEDED))
			return {
				state: 'old',
				path,
				trouble: `${path} is inftrace ${version.join('.')}; this extension needs ${NEEDED}`,
			};
		return { state: 'ok', path, trouble: '' };
	} catch (error) {
		return { state: 'broken', path, trouble: `cannot run ${path}: ${(error as Error).message}` };
	}
}

let found: Promise<Found> | null = null;

export function find(): Promise<Found> {
	found ??= look().then(one => {
		if (one.trouble) log.warn(one.trouble);
		else log.info(`inftrace is ${one.path}`);
		void vscode.commands.executeCommand('setContext', 'inftrace.state', one.state);
		return one;
	});
	return found;
}

export function forget(): void {
	found = null;
}

/** The program, for a command that cannot do without it: otherwise the reader learns why. */
export async function need(): Promise<string | null> {
	const one = await find();
	if (one.state === 'ok') return one.path;
	const choose = 'Choose It';
	const answer = await vscode.window.showErrorMessage(`${one.trouble}.`, choose, 'How to Install');
	if (answer === choose) await vscode.commands.executeCommand('inftrace.choosePath');
	else if (answer)
		await vscode.commands.executeCommand(
			'workbench.action.openWalkthrough',
			'inftrace.inftrace#inftrace.start',
		);
	return null;
}

/** An answer of inftrace; throws its own words. */
export async function answer(args: readonly string[], statuses: readonly number[] = [0]): Promise<string> {
	const one = await find();
	if (one.state !== 'ok') throw new Error(one.trouble);
	const done = await ask(one.path, args);
	if (done.status !== null && statuses.includes(done.status)) return done.out;
	throw new Error(done.err.trim().replace(/^inftrace: /, '') || `inftrace ${args[0]} ended with ${done.status}`);
}
