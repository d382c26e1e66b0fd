// SPDX-License-Identifier: Apache-2.0
// What is being recorded: tasks of the type "inftrace", which run in a terminal, and how far each of them is. Whoever
// starts a recording makes such a task.
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import * as vscode from 'vscode';
import { isRunning, Shelf, startOf, type Kept } from './kept';
import { find, folderOf, log } from './program';
import { lastProgress, plain, shortly, variableIn, wordsOf, type Progress, type Wanted } from './words';

export const TYPE = 'inftrace';
export const SUDO = 'sudo';
/** Without this list the editor asks how to find problems in the output. */
const NO_MATCHERS: string[] = [];

let shelf: Shelf;
let made = 0;

const workspaceOf = (): string =>
	(vscode.workspace.workspaceFile
		? [{ uri: vscode.workspace.workspaceFile }]
		: (vscode.workspace.workspaceFolders ?? [])
	)
		.map(({ uri }) => uri.toString())
		.join(' ');

/** The folder of files that windows need only as long as they are there. */
export const setStorage = (folder: string): void => void (shelf = new Shelf(folder, workspaceOf()));

export const fresh = (suffix: string): string => join(shelf.folder, `${++made}${suffix}`);

export interface Extra {
	readonly name: string;
	readonly wanted: Wanted;
	readonly env?: Record<string, string>;
	readonly isRoot?: boolean;
}

function taskOf(path: string, { name, wanted, env, isRoot }: Extra, scope: vscode.Task['scope']): vscode.Task {
	const words = wordsOf(wanted, fresh('.progress'));
	const folder = typeof scope === 'object' ? scope.uri.fsPath : folderOf();
	const options = { cwd: wanted.cwd ?? folder, env };
	// no shell, which would read words of others; sudo asks in the terminal all the same
	const execution = new vscode.ProcessExecution(isRoot ? SUDO : path, isRoot ? [path, ...words] : words, options);
	const task = new vscode.Task(
		{ type: TYPE, ...wanted },
		scope ?? vscode.TaskScope.Workspace,
		name,
		TYPE,
		execution,
		NO_MATCHERS,
	);
	task.presentationOptions = { clear: true, reveal: vscode.TaskRevealKind.Always };
	return task;
}

export class Tasks implements vscode.TaskProvider {
	async provideTasks(): Promise<vscode.Task[]> {
		const { state, path } = await find();
		if (state !== 'ok') return [];
		const models = await vscode.workspace.findFiles('**/*.onnx', '**/{node_modules,.git,.venv}/**', 20);
		const next: Extra = { name: 'record next program', wanted: { command: 'next' } };
		return [
			taskOf(path, next, vscode.TaskScope.Workspace),
			...models.map(model => {
				const folder = vscode.workspace.getWorkspaceFolder(model);
				const args = [vscode.workspace.asRelativePath(model, false)];
				const extra: Extra = { name: `profile ${args[0]}`, wanted: { command: 'model', args } };
				return taskOf(path, extra, folder);
			}),
		];
	}

	/** A task of tasks.json, whose definition is the reader's. */
	async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
		const { state, path } = await find();
		const { definition } = task;
		if (state !== 'ok') return undefined;
		const words = wordsOf(definition as unknown as Wanted, fresh('.progress'));
		const folder = typeof task.scope === 'object' ? task.scope.uri.fsPath : folderOf();
		const own = typeof definition.cwd === 'string' ? definition.cwd : undefined;
		const cwd = own && folder ? resolve(folder, own) : (own ?? folder);
		const execution = new vscode.ProcessExecution(path, words, { cwd });
		return new vscode.Task(
			definition,
			task.scope ?? vscode.TaskScope.Workspace,
			task.name,
			TYPE,
			execution,
			NO_MATCHERS,
		);
	}
}

export interface Job {
	readonly name: string;
	readonly wanted: Wanted;
	readonly begun: number;
	progress: Progress | null;
	stop(): void;
}

/** How a job has ended. file: the recording, if there is one. */
export interface End {
	readonly job: Job;
	readonly status: number | undefined;
	readonly file: string | undefined;
}

const OFTEN_MS = 500;

class Jobs {
	readonly all: Job[] = [];
	private readonly changed = new vscode.EventEmitter<void>();
	private readonly over = new vscode.EventEmitter<End>();
	readonly onChange = this.changed.event;
	readonly onEnd = this.over.event;

	add(job: Job, progressFile: string | undefined): () => void {
		this.all.push(job);
		const look = (): void => {
			try {
				if (progressFile)
					job.progress = lastProgress(readFileSync(progressFile, 'utf8').slice(-4096));
			} catch {
				// nothing has been written yet
			}
			this.changed.fire();
		};
		const timer = setInterval(look, OFTEN_MS);
		look();
		return () => {
			clearInterval(timer);
			look();
			this.all.splice(this.all.indexOf(job), 1);
			this.changed.fire();
		};
	}

	end(end: End): void {
		this.over.fire(end);
	}
}

export const jobs = new Jobs();

interface Run {
	readonly job: Job;
	readonly done: () => void;
	readonly kept: Kept;
}

const running = new Map<vscode.TaskExecution, Run>();
/** Those of an extension host before this one. */
const taken = new Set<Run>();

const allKept = (): Kept[] => [...running.values(), ...taken].map(({ kept }) => kept);

/** This extension host ends: what is recorded goes on. */
export const closeStorage = (): void => shelf.close(allKept());

function stop(kept: Kept): void {
	const { pid, wanted, isRoot } = kept;
	if (!isRunning(kept)) return;
	// a program that was started ends, too; others go on
	const signal = wanted.command === 'record' ? 'SIGTERM' : 'SIGINT';
	try {
		process.kill(pid, signal);
	} catch {
		const how = `${isRoot ? 'sudo ' : ''}kill -${signal.slice(3)} ${pid}`;
		void vscode.window.showErrorMessage(`inftrace: this recording ends by ${how} in a terminal.`);
	}
}

const jobOf = (kept: Kept, stopIt: () => void): Job => {
	const { name, wanted, begun } = kept;
	return { name, wanted, begun, progress: null, stop: stopIt };
};

function begin({ execution, processId }: vscode.TaskProcessStartEvent): void {
	const { task } = execution;
	const started = task.execution;
	if (task.definition.type !== TYPE || running.has(execution)) return;
	if (!(started instanceof vscode.ProcessExecution)) return;
	const { args } = started;
	const at = args.indexOf('--progress');
	const kept: Kept = {
		name: task.name,
		wanted: task.definition as unknown as Wanted,
		begun: Date.now(),
		cwd: started.options?.cwd ?? folderOf(),
		progress: at < 0 ? undefined : args[at + 1],
		pid: processId,
		start: startOf(processId),
		isRoot: started.process === SUDO,
	};
	const job = jobOf(kept, () => (kept.isRoot ? execution.terminate() : stop(kept)));
	log.info(`started: inftrace ${args.join(' ')}`);
	running.set(execution, { job, done: jobs.add(job, kept.progress), kept });
	shelf.put(allKept());
}

function finish({ job, done, kept }: Run, statusOf: (file: string | undefined) => number | undefined): void {
	done();
	const said = job.progress?.file ?? job.wanted.output;
	const file = said && (isAbsolute(said) ? said : join(kept.cwd ?? '', said));
	shelf.put(allKept());
	shelf.drop(kept);
	jobs.end({ job, status: statusOf(file), file });
}

function end({ execution, exitCode }: vscode.TaskProcessEndEvent): void {
	const one = running.get(execution);
	if (!one) return;
	running.delete(execution);
	finish(one, () => exitCode);
}

/** Nobody says with which status a process ended that another one has started. */
const statusLike = (file: string | undefined): number => (file && existsSync(file) ? 0 : 1);

function takeOver(): void {
	const came = shelf.take();
	for (const kept of came) {
		const job = jobOf(kept, () => stop(kept));
		const run: Run = { job, done: jobs.add(job, kept.progress), kept };
		log.info(`goes on: ${kept.name}, PID ${kept.pid}`);
		taken.add(run);
	}
	if (came.length) shelf.put(allKept());
	for (const run of [...taken].filter(({ kept }) => !isRunning(kept))) {
		taken.delete(run);
		finish(run, statusLike);
	}
}

/** How long an extension host before this one may take to end. */
const AWAITED_MS = 60000;

/** Looks for what goes on until it is over; at first also whether an extension host before this one has ended by now. */
function watchTaken(): vscode.Disposable {
	const until = Date.now() + AWAITED_MS;
	const look = (): void => {
		takeOver();
		if (!taken.size && !(Date.now() < until && shelf.isAwaited())) clearInterval(timer);
	};
	const timer = setInterval(look, 2 * OFTEN_MS);
	setImmediate(look);
	return { dispose: () => clearInterval(timer) };
}

/** Starts inftrace in a terminal. */
export async function start(path: string, extra: Extra): Promise<void> {
	const scope = vscode.workspace.workspaceFolders?.[0] ?? vscode.TaskScope.Global;
	const { args = [], options = [], output = '', cwd = '' } = extra.wanted;
	const variable = variableIn([...args, ...options, output, cwd]);
	if (variable) {
		const words = `inftrace: the editor would replace ${plain(variable)}, a part of a name or a path: rename it.`;
		void vscode.window.showErrorMessage(words);
		return;
	}
	await vscode.tasks.executeTask(taskOf(path, extra, scope));
}

export function registerJobs(): vscode.Disposable[] {
	const item = vscode.window.createStatusBarItem('inftrace.recording', vscode.StatusBarAlignment.Left, 50);
	item.name = 'inftrace';
	item.command = 'inftrace.stop';
	const show = (): void => {
		const [first, ...more] = jobs.all;
		if (!first) return item.hide();
		const words = shortly(first.progress, (Date.now() - first.begun) * 1e6);
		item.text = `$(record) ${words}${more.length ? ` (+${more.length})` : ''}`;
		item.tooltip = `Recording ${plain(first.name)}. Click to stop.`;
		item.accessibilityInformation = { label: `inftrace is recording: ${words}. Stop`, role: 'button' };
		item.show();
	};
	return [
		item,
		jobs.onChange(show),
		vscode.tasks.registerTaskProvider(TYPE, new Tasks()),
		vscode.tasks.onDidStartTaskProcess(begin),
		vscode.tasks.onDidEndTaskProcess(end),
		watchTaken(),
	];
}
