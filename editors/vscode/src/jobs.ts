// SPDX-License-Identifier: Apache-2.0
// What is being recorded: tasks of the type "inftrace", which run in a terminal, and how far each of them is. Whoever
// starts a recording makes such a task.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { find, folderOf, log } from './program';
import { lastProgress, plain, shortly, variableIn, wordsOf, type Progress, type Wanted } from './words';

export const TYPE = 'inftrace';
export const SUDO = 'sudo';
/** Without this list the editor asks how to find problems in the output. */
const NO_MATCHERS: string[] = [];

let storage = '';
let made = 0;

/** The folder of files that only this window needs. */
export function setStorage(folder: string): void {
	storage = join(folder, String(process.pid));
	mkdirSync(storage, { recursive: true, mode: 0o700 });
}

export const removeStorage = (): void => rmSync(storage, { recursive: true, force: true });

export const fresh = (suffix: string): string => join(storage, `${++made}${suffix}`);

export interface Extra {
	readonly name: string;
	readonly wanted: Wanted;
	readonly env?: Record<string, string>;
	readonly isRoot?: boolean;
}

function taskOf(path: string, { name, wanted, env, isRoot }: Extra, scope: vscode.Task['scope']): vscode.Task {
	const words = wordsOf(wanted, fresh('.progress'));
	const options = { cwd: wanted.cwd ?? folderOf(), env };
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
		const wishes: Extra[] = [
			{ name: 'record next program', wanted: { command: 'next' } },
			...models.map(model => {
				const args = [vscode.workspace.asRelativePath(model, false)];
				return { name: `profile ${args[0]}`, wanted: { command: 'model' as const, args } };
			}),
		];
		return wishes.map(one => taskOf(path, one, vscode.TaskScope.Workspace));
	}

	/** A task of tasks.json, whose definition is the reader's. */
	async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
		const { state, path } = await find();
		const { definition } = task;
		if (state !== 'ok') return undefined;
		const words = wordsOf(definition as unknown as Wanted, fresh('.progress'));
		const cwd = typeof definition.cwd === 'string' ? definition.cwd : folderOf();
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

const running = new Map<vscode.TaskExecution, { job: Job; done: () => void; cwd: string | undefined }>();

function begin({ execution, processId }: vscode.TaskProcessStartEvent): void {
	const { task } = execution;
	const started = task.execution;
	if (task.definition.type !== TYPE || running.has(execution)) return;
	if (!(started instanceof vscode.ProcessExecution)) return;
	const { args } = started;
	const wanted = task.definition as unknown as Wanted;
	const at = args.indexOf('--progress');
	const file = at < 0 ? undefined : args[at + 1];
	const isDirect = started.process !== SUDO;
	const job: Job = {
		name: task.name,
		wanted,
		begun: Date.now(),
		progress: null,
		stop: () => {
			// a program that was started ends, too; others go on
			if (isDirect) process.kill(processId, wanted.command === 'record' ? 'SIGTERM' : 'SIGINT');
			else execution.terminate();
		},
	};
	log.info(`started: inftrace ${args.join(' ')}`);
	const cwd = started.options?.cwd ?? folderOf();
	running.set(execution, { job, done: jobs.add(job, file), cwd });
}

function end({ execution, exitCode }: vscode.TaskProcessEndEvent): void {
	const one = running.get(execution);
	if (!one) return;
	running.delete(execution);
	one.done();
	const said = one.job.progress?.file ?? one.job.wanted.output;
	const file = said && (isAbsolute(said) ? said : join(one.cwd ?? '', said));
	jobs.end({ job: one.job, status: exitCode, file });
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
	];
}
