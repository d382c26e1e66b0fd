// SPDX-License-Identifier: Apache-2.0
// Finds the program inftrace on the machine where this extension runs, and asks it.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { ask, judge, type Found } from './usable';
import { laterWords, NEEDED, plain } from './words';

export const log = vscode.window.createOutputChannel('inftrace', { log: true });

export const setting = <T>(name: string): T => vscode.workspace.getConfiguration('inftrace').get<T>(name) as T;

/** Of several folders, that of the file which is edited. */
export function folderOf(): string | undefined {
	const file = vscode.window.activeTextEditor?.document.uri;
	const own = file && vscode.workspace.getWorkspaceFolder(file);
	return (own ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath;
}

function candidates(): string[] {
	const set = setting<string>('path');
	if (set) return [set.replace(/^~(?=\/)/, homedir())];
	const folders = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), '.local/bin'), '/usr/local/bin'];
	return folders.filter(isAbsolute).map(folder => join(folder, 'inftrace'));
}

function look(): Promise<Found> {
	const paths = candidates();
	const path = paths.find(one => existsSync(one)) ?? (setting<string>('path') && paths[0]);
	if (path) return judge(path);
	const trouble = 'inftrace is not installed here: install it, or choose the program';
	return Promise.resolve({ state: 'missing', path: '', trouble });
}

/** One that cannot be used is looked at again: it may have been installed or updated meanwhile. */
const AGAIN_MS = 10000;

let found: Promise<Found> | null = null;
let lookedAt = Infinity;
let said = '';

function take(one: Found): Found {
	lookedAt = one.state === 'ok' ? Infinity : Date.now();
	const words = one.trouble || `inftrace is ${one.path}`;
	if (words !== said) (one.trouble ? log.warn : log.info).call(log, words);
	said = words;
	void vscode.commands.executeCommand('setContext', 'inftrace.state', one.state);
	return one;
}

export function find(): Promise<Found> {
	if (Date.now() - lookedAt > AGAIN_MS) forget();
	found ??= look().then(take);
	return found;
}

const ownVersion = (): string =>
	(vscode.extensions.getExtension('inftrace.inftrace')?.packageJSON as { version?: string } | undefined)
		?.version ?? NEEDED;

/** What is to be said besides where something has failed; '': nothing. */
export const laterHint = async (): Promise<string> => laterWords((await find()).version, ownVersion());

export function forget(): void {
	found = null;
	lookedAt = Infinity;
}

/** The program, for a command that cannot do without it: otherwise the reader learns why. */
export async function need(): Promise<string | null> {
	const one = await find();
	if (one.state === 'ok') return one.path;
	const choose = 'Choose It';
	const answer = await vscode.window.showErrorMessage(`${plain(one.trouble)}.`, choose, 'How to Install');
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
	const done = await ask(one.path, args, { cwd: folderOf() });
	if (done.status !== null && statuses.includes(done.status)) return done.out;
	const said = done.err.trim().replace(/^inftrace: /, '') || `inftrace ${args[0]} ended with ${done.status}`;
	throw new Error([said, await laterHint()].filter(Boolean).join('. '));
}
