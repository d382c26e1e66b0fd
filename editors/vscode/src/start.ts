// SPDX-License-Identifier: Apache-2.0
// The ways to start: the next program, a running one, a command line, a Python file, a model; and the live page.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, extname, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { fresh, jobs, start, SUDO, type End, type Extra, type Job } from './jobs';
import { openModelReport } from './model_reports';
import { newPanel, Page } from './page';
import { answer, find, folderOf, laterHint, log, need, setting } from './program';
import { EDITOR, openReport, saveReport } from './recordings';
import { ask } from './usable';
import {
	failureOf,
	isKernel,
	leadersOf,
	nameOf,
	oneLine,
	plain,
	POLICIES,
	providersOf,
	recorded,
	runtimesOf,
	split,
	stemOf,
	type Programs,
	type Running,
	type Wanted,
} from './words';

/** Files that were promised to recordings which have not begun to write yet, such as those of one compound. */
const promised = new Set<string>();
const PROMISED_MS = 60000;

/** A name for a recording that no file has yet, and that nobody else gets. */
export function outputOf(stem: string, of?: vscode.Uri): string {
	const root = (of && vscode.workspace.getWorkspaceFolder(of)?.uri.fsPath) ?? folderOf() ?? homedir();
	const set = vscode.workspace.getConfiguration('inftrace', of).get<string>('outputFolder') ?? '';
	const folder = set ? (isAbsolute(set) ? set : join(root, set)) : root;
	const name =
		stem
			.replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-')
			.replace(/^[.-]+/, '')
			.slice(0, 60) || 'inftrace';
	for (let i = 1; ; i++) {
		const file = join(folder, `${name}${i === 1 ? '' : `-${i}`}.pftrace`);
		if (existsSync(file) || promised.has(file)) continue;
		promised.add(file);
		setTimeout(() => promised.delete(file), PROMISED_MS).unref();
		return file;
	}
}

/** The interpreter that the reader has chosen for this file. */
export async function pythonOf(file?: vscode.Uri): Promise<string> {
	const python = vscode.extensions.getExtension('ms-python.python');
	try {
		const api = (await python?.activate()) as
			| { environments?: { getActiveEnvironmentPath(of?: vscode.Uri): { path?: string } } }
			| undefined;
		const path = api?.environments?.getActiveEnvironmentPath(file).path;
		if (path && isAbsolute(path)) return path;
	} catch {
		// another version of that extension
	}
	const set = vscode.workspace.getConfiguration('python', file).get<string>('defaultInterpreterPath');
	if (set && set !== 'python') {
		const folder = (file && vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath) ?? folderOf() ?? '';
		return set.replace('${workspaceFolder}', folder).replace(/^~(?=\/)/, homedir());
	}
	return 'python3';
}

/** inftrace model finds the runtime of the Python that is first in PATH. */
async function environmentOf(file?: vscode.Uri): Promise<Record<string, string> | undefined> {
	const python = await pythonOf(file);
	return isAbsolute(python) ? { PATH: [dirname(python), process.env.PATH ?? ''].join(delimiter) } : undefined;
}

/** Looking at every process takes a second or more on a busy machine: the status bar says what it waits for. */
async function programs(): Promise<Programs> {
	// 1: there is none
	const where = { location: vscode.ProgressLocation.Window, title: 'inftrace: looking for running programs' };
	return JSON.parse(await vscode.window.withProgress(where, () => answer(['ps', '--json'], [0, 1]))) as Programs;
}

const hasSudo = (): boolean => (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, SUDO)));

const ONCE = 'Allow It Once for All';

/** Types what gives inftrace its rights, and does not run it: the reader sees what is asked for. */
function allowOnce(path: string): void {
	const terminal = vscode.window.createTerminal({ name: 'inftrace' });
	terminal.show();
	const script =
		`chgrp ${process.getgid?.() ?? 0} "$0" && chmod 0750 "$0" && ` +
		`setcap cap_bpf,cap_perfmon,cap_sys_ptrace=ep "$0"`;
	const who = hasSudo() ? 'sudo sh' : 'su root';
	terminal.sendText(`${who} -c '${script}' '${path.replaceAll("'", `'\\''`)}'`, false);
	void vscode.window.showInformationMessage('Press Enter in the terminal to allow it. Then start again.');
}

/** What others do needs rights. true: they are there; 'root': this one by sudo; false: the reader looks after it. */
export async function rights(path: string, known?: Programs): Promise<boolean | 'root'> {
	const { attach_problem: problem } = known ?? (await programs());
	if (!problem) return true;
	const now = 'Only Now, by sudo';
	const words = 'Recording a program that already runs needs rights that inftrace does not have here.';
	const ways = hasSudo() ? [ONCE, now] : [ONCE];
	const choice = await vscode.window.showWarningMessage(
		words,
		{ modal: true, detail: oneLine(problem) },
		...ways,
	);
	if (choice === ONCE) allowOnce(path);
	return choice === now && 'root';
}

/** A live page has no terminal in which sudo could ask. */
async function allowLive(): Promise<void> {
	const { state, path } = await find();
	if (state !== 'ok' || !(await programs()).attach_problem) return;
	const words = 'What runs already needs rights that inftrace does not have here.';
	if ((await vscode.window.showWarningMessage(words, ONCE)) === ONCE) allowOnce(path);
}

async function startWithRights(path: string, extra: Extra, known?: Programs): Promise<void> {
	const may = await rights(path, known);
	if (may) await start(path, { ...extra, isRoot: may === 'root' });
}

export async function recordNext(): Promise<void> {
	const path = await need();
	if (!path) return;
	const name = await vscode.window.showInputBox({
		title: 'Record the Next Program',
		ignoreFocusOut: true,
		prompt: 'Only a program of this name. Empty: whichever loads a runtime first.',
		placeHolder: 'app.py',
	});
	if (name === undefined) return;
	const wanted = {
		command: 'next' as const,
		options: name ? ['--name', name] : [],
		level: setting<string>('level'),
		output: outputOf(name || 'next'),
	};
	await startWithRights(path, { name: name ? `next ${name}` : 'next program', wanted });
}

interface Row extends vscode.QuickPickItem {
	/** The words for attach. */
	readonly words: readonly string[];
	readonly stem: string;
	/** What it is called, if not as its label. */
	readonly name?: string;
}

function rowOf(one: Running): Row {
	return {
		label: nameOf(one.command || one.name),
		description: `${one.pid} · ${runtimesOf(one)}`,
		detail: one.obstacle ? oneLine(one.obstacle) : undefined,
		words: [String(one.pid)],
		// that of a kernel would be a number
		stem: isKernel(one) ? 'kernel' : stemOf(one.command.split(' ')) || one.name,
	};
}

/** What is typed is a PID, a path or a name. */
function typed(text: string): Row {
	const isPid = /^\d+$/.test(text);
	const option = text.includes('/') ? '--path' : '--name';
	return {
		// with what is typed in its label it would come before programs that are there
		label: 'Another program',
		description: isPid ? `with the PID ${text}` : `with the ${option.slice(2)} ${plain(text)}`,
		alwaysShow: true,
		name: plain(text),
		words: isPid ? [text] : [option, text, '--first'],
		stem: basename(text),
	};
}

/** The list is open at once; what runs comes as soon as it is known. */
function choose(title: string, found: Promise<readonly Row[]>): Promise<Row | undefined> {
	const pick = vscode.window.createQuickPick<Row>();
	let rows: readonly Row[] = [];
	pick.title = title;
	pick.placeholder = 'Looking for running programs; or type a PID, a name or a path';
	pick.matchOnDescription = true;
	pick.ignoreFocusOut = true;
	pick.busy = true;
	const show = (text: string): void => void (pick.items = text ? [...rows, typed(text)] : rows);
	const came = (all: readonly Row[]): void => {
		rows = all;
		pick.busy = false;
		pick.placeholder = all.length
			? 'Choose one, or type a PID, a name or a path'
			: 'No program has a runtime loaded: type a PID, a name or a path';
		show(pick.value.trim());
	};
	return new Promise((done, failed) => {
		found.then(came, error => {
			failed(error);
			pick.dispose();
		});
		pick.onDidChangeValue(text => show(text.trim()));
		pick.onDidAccept(() => {
			done(pick.selectedItems[0]);
			pick.dispose();
		});
		pick.onDidHide(() => {
			done(undefined);
			pick.dispose();
		});
		pick.show();
	});
}

async function attach(path: string, row: Row, known?: Programs): Promise<void> {
	const wanted = {
		command: 'attach' as const,
		args: row.words,
		level: setting<string>('level'),
		duration: setting<string>('duration') || undefined,
		output: outputOf(row.stem),
	};
	await startWithRights(path, { name: row.name ?? row.label, wanted }, known);
}

export async function recordRunning(one?: Running): Promise<void> {
	const path = await need();
	if (!path) return;
	if (one?.pid) return attach(path, rowOf(one));
	const found = programs();
	const rows = found.then(known => leadersOf(known.programs).map(rowOf));
	const row = await choose('Record a Running Program', rows);
	if (row) await attach(path, row, await found);
}

/** Kernels of notebooks are programs like others: none has to be started again. */
export async function recordKernel(): Promise<void> {
	const path = await need();
	if (!path) return;
	const known = await programs();
	const rows = known.programs.filter(isKernel).map(rowOf);
	const row = rows.length > 1 ? await choose('Record Which Kernel?', Promise.resolve(rows)) : rows[0];
	if (row) await attach(path, row, known);
	else if (!rows.length)
		void vscode.window.showInformationMessage(
			'No notebook kernel has a runtime loaded. Run the cell that imports it, then record again.',
		);
}

async function record(
	path: string,
	name: string,
	args: readonly string[],
	stem: string,
	of?: vscode.Uri,
): Promise<void> {
	const cwd =
		(of && vscode.workspace.getWorkspaceFolder(of)?.uri.fsPath) ?? (of && dirname(of.fsPath)) ?? folderOf();
	const level = setting<string>('level');
	await start(path, { name, wanted: { command: 'record', args, cwd, level, output: outputOf(stem, of) } });
}

export async function recordFile(what?: vscode.Uri): Promise<void> {
	const path = await need();
	const editor = vscode.window.activeTextEditor;
	const file = what instanceof vscode.Uri ? what : editor?.document.uri;
	if (!path || !file) return;
	await vscode.workspace.textDocuments.find(one => one.uri.toString() === file.toString())?.save();
	const name = basename(file.fsPath);
	await record(path, name, [await pythonOf(file), file.fsPath], basename(name, extname(name)), file);
}

let lastCommand = '';

export async function recordCommand(): Promise<void> {
	const path = await need();
	if (!path) return;
	const text = await vscode.window.showInputBox({
		title: 'Record a Command Line',
		ignoreFocusOut: true,
		prompt: 'The program is started and recorded until it ends.',
		placeHolder: 'python app.py',
		value: lastCommand,
		validateInput: line => (split(line) ? undefined : 'A quote is open.'),
	});
	const words = text ? split(text) : null;
	if (!text || !words?.length) return;
	lastCommand = text;
	await record(path, nameOf(text), words, stemOf(words));
}

async function chooseModel(): Promise<vscode.Uri | undefined> {
	const found = await vscode.workspace.findFiles('**/*.onnx', '**/{node_modules,.git,.venv}/**', 200);
	const rows = found.map(uri => ({
		label: plain(vscode.workspace.asRelativePath(uri)),
		uri: uri as vscode.Uri | undefined,
	}));
	rows.push({ label: '$(folder-opened) Another file...', uri: undefined });
	const row = found.length
		? await vscode.window.showQuickPick(rows, { title: 'Profile a Model', ignoreFocusOut: true })
		: rows[0];
	if (!row || row.uri) return row?.uri;
	const files = await vscode.window.showOpenDialog({ filters: { Models: ['onnx', 'ort'] } });
	return files?.[0];
}

/** The options for providers, or for a policy; undefined: the reader wants none. */
async function chooseDevice(path: string, env: Record<string, string> | undefined): Promise<string[] | undefined> {
	const listed = await ask(path, ['model', '--list-devices'], { cwd: folderOf(), env }).catch(() => null);
	const names = listed?.status === 0 ? providersOf(listed.out) : [];
	const rows: (vscode.QuickPickItem & { words: string[] })[] = [
		{ label: 'CPU', description: 'CPUExecutionProvider', words: ['--ep', 'cpu'] },
		...names
			.filter(name => name !== 'CPUExecutionProvider')
			.map(name => ({
				label: name.replace(/ExecutionProvider$/, ''),
				description: name,
				words: ['--ep', name],
			})),
		{ label: 'Policies of devices', kind: vscode.QuickPickItemKind.Separator, words: [] },
		...POLICIES.map(name => ({
			label: name,
			description: 'the runtime chooses',
			words: ['--policy', name],
		})),
	];
	const row = await vscode.window.showQuickPick(rows, {
		title: 'Run It on Which Provider or Device?',
		ignoreFocusOut: true,
	});
	return row?.words;
}

const REPORT = '--report';

/** Where the report of a model is; undefined: nobody asked for one, or its place depends on a folder. */
function modelReportOf({ options = [] }: Wanted): string | undefined {
	const at = options.indexOf(REPORT);
	const file = at < 0 ? undefined : options[at + 1];
	return file && isAbsolute(file) ? file : undefined;
}

/** What is to be measured, as the reader wants it. */
async function chooseRun(path: string, what: vscode.Uri | undefined) {
	const file = what instanceof vscode.Uri ? what : await chooseModel();
	if (!file) return null;
	const env = await environmentOf(file);
	const device = await chooseDevice(path, env);
	if (!device) return null;
	const duration = await vscode.window.showInputBox({
		title: 'How Long?',
		ignoreFocusOut: true,
		value: setting<string>('duration') || '10s',
		validateInput: text => (/^\d+(\.\d+)?(ms|s|m|h)$/.test(text) ? undefined : 'A duration: 10s, 1m.'),
	});
	if (!duration) return null;
	const report = fresh('.html');
	const options = [...device, REPORT, report];
	const wanted = { command: 'model' as const, args: [file.fsPath], options, duration };
	return { name: plain(basename(file.fsPath)), wanted, env };
}

export async function profileModel(what?: vscode.Uri): Promise<void> {
	const path = await need();
	const run = path && (await chooseRun(path, what));
	if (path && run) await start(path, { ...run, name: `profile ${run.name}` });
}

/** Live pages that are open. */
export const pages = new Map<vscode.WebviewPanel, string>();
const pagesChanged = new vscode.EventEmitter<void>();
export const onPages = pagesChanged.event;

function livePanel(title: string): vscode.WebviewPanel {
	const panel = newPanel('inftrace.live', title);
	pages.set(panel, title);
	pagesChanged.fire();
	panel.onDidDispose(() => {
		pages.delete(panel);
		pagesChanged.fire();
	});
	return panel;
}

const liveWords = (command: string): string[] => [command, '--live-window', setting<string>('liveWindow')];

export async function live(one?: Running): Promise<void> {
	const panel = livePanel(one?.pid ? `Live: ${nameOf(one.command || one.name)}` : 'Live');
	const pid = one?.pid ? [String(one.pid)] : [];
	allowLive().catch(error => log.warn(String(error)));
	await new Page(panel, { args: [...liveWords('live'), ...pid] }).show();
}

/** A model is run, and what happens meanwhile is on a live page; closing it ends the run. */
export async function liveModel(what?: vscode.Uri): Promise<void> {
	const path = await need();
	const run = path && (await chooseRun(path, what));
	if (!run) return;
	const { name, wanted, env } = run;
	const panel = livePanel(`Live: ${name}`);
	const words = ['--duration', wanted.duration, ...wanted.options, '--', ...wanted.args];
	const page = new Page(panel, { args: [...liveWords('model'), '--live', ...words], env });
	const job: Job = {
		name: `profile ${name}`,
		wanted,
		begun: Date.now(),
		progress: null,
		stop: () => panel.dispose(),
	};
	let done: (() => void) | null = jobs.add(job, undefined);
	const ended = (isComplete: boolean): void => {
		done?.();
		if (done && isComplete) jobs.end({ job, status: 0, file: undefined });
		done = null;
	};
	page.onEnd = () => ended(false);
	panel.onDidDispose(() => ended(false));
	if (await page.show()) await page.whenOver(() => ended(true));
	else ended(false);
}

async function saveModelReport(report: string): Promise<void> {
	const file = join(folderOf() ?? homedir(), 'report.html');
	const to = await vscode.window.showSaveDialog({
		defaultUri: vscode.Uri.file(file),
		filters: { 'Web page': ['html'] },
	});
	if (to) await vscode.workspace.fs.copy(vscode.Uri.file(report), to, { overwrite: true });
}

async function modelIsDone({ job, status }: End, report: string): Promise<void> {
	const isThere = existsSync(report);
	if (!isThere) {
		void vscode.window.showErrorMessage(
			`inftrace: ${plain(job.name)} failed (status ${status}); its terminal says why.`,
		);
		return;
	}
	const [open, save] = ['Open Report', 'Save Report as...'];
	const words = `${plain(job.name)}: the report is complete.`;
	const atEnd = setting<string>('atEnd');
	const byItself = atEnd === 'nothing' ? undefined : open;
	const choice = atEnd === 'ask' ? await vscode.window.showInformationMessage(words, open, save) : byItself;
	if (choice === open) await openModelReport(report, job.name);
	else if (choice) await saveModelReport(report);
}

/** Tells that a recording is complete, and offers what to do with it. */
async function isDone(end: End): Promise<void> {
	const { job, status, file } = end;
	if (job.wanted.command === 'model') {
		const report = modelReportOf(job.wanted);
		if (report) await modelIsDone(end, report);
		return;
	}
	if (!file || !existsSync(file)) {
		const hint = await laterHint();
		if (status)
			void vscode.window.showWarningMessage(
				`inftrace: ${plain(job.name)} was not recorded; its terminal says why. ${hint}`.trim(),
			);
		return;
	}
	void vscode.commands.executeCommand('setContext', 'inftrace.hasRecorded', true);
	const uri = vscode.Uri.file(file);
	const [open, page, save] = ['Open', 'Open Report', 'Save Report as...'];
	const failure = job.wanted.command === 'record' ? failureOf(status) : '';
	const words = recorded(plain(job.name) + failure, job.progress, plain(basename(file)));
	const byItself = { open, report: page, nothing: undefined }[setting<string>('atEnd')];
	const isAsked = setting<string>('atEnd') === 'ask';
	const { showWarningMessage: warn, showInformationMessage: inform } = vscode.window;
	const ask: (words: string, ...items: string[]) => Thenable<string | undefined> = failure ? warn : inform;
	const choice = isAsked ? await ask(words, open, page, save) : byItself;
	if (choice === open) await vscode.commands.executeCommand('vscode.openWith', uri, EDITOR);
	else if (choice === page) await openReport(uri);
	else if (choice === save) await saveReport(uri);
}

export async function stop(what?: unknown): Promise<void> {
	const row = what as { readonly stop?: () => void } | undefined;
	if (row?.stop) return row.stop();
	if (jobs.all.length < 2) return jobs.all[0]?.stop();
	const rows = jobs.all.map(job => ({ label: job.name, job }));
	(await vscode.window.showQuickPick(rows, { title: 'Stop Which Recording?' }))?.job.stop();
}

export async function check(): Promise<void> {
	const path = await need();
	if (!path) return;
	const terminal = vscode.window.createTerminal({
		name: 'inftrace doctor',
		shellPath: path,
		shellArgs: ['doctor'],
	});
	terminal.show();
}

export const registerEnds = (): vscode.Disposable => jobs.onEnd(end => void isDone(end));
