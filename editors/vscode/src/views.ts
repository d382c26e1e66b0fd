// SPDX-License-Identifier: Apache-2.0
// The views of the activity bar. Each asks only while it can be seen.
import * as vscode from 'vscode';
import { jobs, type Job } from './jobs';
import { answer, find, log } from './program';
import { lookAgain, note, Recordings, remove } from './recordings';
import { onPages, pages } from './start';
import { leadersOf, nameOf, oneLine, runtimesOf, shortly, type Programs as Listed } from './words';

const OFTEN_MS = 2000;
/** Looking takes at most one part in so many of the time. */
const SELDOM = 20;

type Row = ReturnType<typeof leadersOf>[number];

class Programs implements vscode.TreeDataProvider<Row> {
	private readonly changed = new vscode.EventEmitter<void>();
	readonly onDidChangeTreeData = this.changed.event;
	private rows: readonly Row[] = [];
	private said = '';

	/** Redraws only what has changed, so that the reader's place in the list stays. */
	async look(isForced = false): Promise<void> {
		const { state } = await find();
		let rows: readonly Row[] = [];
		if (state === 'ok' && vscode.workspace.isTrusted)
			try {
				rows = leadersOf(
					(JSON.parse(await answer(['ps', '--json'], [0, 1])) as Listed).programs,
				);
			} catch (error) {
				log.warn(String(error));
			}
		const said = rows
			.map(one => `${one.pid} ${one.command} ${one.obstacle} ${one.runtimes.length} ${one.more}`)
			.join('\n');
		if (said === this.said && !isForced) return;
		this.said = said;
		this.rows = rows;
		this.changed.fire();
	}

	getChildren(of?: Row): Row[] {
		return of ? [] : [...this.rows];
	}

	getTreeItem(one: Row): vscode.TreeItem {
		const item = new vscode.TreeItem(nameOf(one.command || one.name));
		const runtime = runtimesOf(one);
		item.id = `${one.pid} ${one.command}`;
		const more = one.more ? ` · ${one.more} more processes` : '';
		item.description = `${one.pid} · ${runtime}${more}`;
		item.tooltip = [one.command, one.user, one.obstacle]
			.filter(Boolean)
			.map(text => oneLine(text as string))
			.join('\n');
		// whoever wants it learns why not, and what to do
		item.contextValue = 'program';
		item.iconPath = new vscode.ThemeIcon(one.can_attach ? 'server-process' : 'lock');
		item.accessibilityInformation = {
			label: `${item.label}, PID ${one.pid}, ${runtime}${one.obstacle ? `, ${oneLine(one.obstacle)}` : ''}`,
		};
		return item;
	}
}

type Doing = Job | { readonly panel: vscode.WebviewPanel; readonly title: string };

class Busy implements vscode.TreeDataProvider<Doing> {
	private readonly changed = new vscode.EventEmitter<void>();
	readonly onDidChangeTreeData = this.changed.event;

	refresh(): void {
		this.changed.fire();
	}

	getChildren(of?: Doing): Doing[] {
		if (of) return [];
		return [...jobs.all, ...[...pages].map(([panel, title]) => ({ panel, title }))];
	}

	getTreeItem(row: Doing): vscode.TreeItem {
		if ('panel' in row) {
			const item = new vscode.TreeItem(row.title);
			item.iconPath = new vscode.ThemeIcon('graph-line');
			item.description = 'live';
			item.contextValue = 'live';
			item.command = { command: 'inftrace.reveal', title: 'Show', arguments: [row.panel] };
			return item;
		}
		const item = new vscode.TreeItem(oneLine(row.name));
		item.iconPath = new vscode.ThemeIcon('record');
		item.description = shortly(row.progress, (Date.now() - row.begun) * 1e6);
		item.contextValue = 'job';
		return item;
	}
}

export function registerViews(): { readonly all: vscode.Disposable[]; readonly refresh: () => void } {
	const programs = new Programs();
	const recordings = new Recordings();
	const busy = new Busy();
	const programView = vscode.window.createTreeView('inftrace.programs', { treeDataProvider: programs });
	const recordingView = vscode.window.createTreeView('inftrace.recordings', {
		treeDataProvider: recordings,
		canSelectMany: true,
	});
	const busyView = vscode.window.createTreeView('inftrace.jobs', { treeDataProvider: busy });
	const watcher = vscode.workspace.createFileSystemWatcher('**/*.pftrace');
	let timer: NodeJS.Timeout | undefined;
	const isSeen = (): boolean => programView.visible && vscode.window.state.focused;
	const look = async (): Promise<void> => {
		const begun = performance.now();
		clearTimeout(timer);
		if (!isSeen()) return;
		await programs.look();
		clearTimeout(timer);
		if (!isSeen()) return;
		timer = setTimeout(() => void look(), Math.max(OFTEN_MS, SELDOM * (performance.now() - begun)));
	};
	let wait: NodeJS.Timeout | undefined;
	/** A recording that grows changes many times a second: the list follows once. */
	const listSoon = (): void => {
		wait ??= setTimeout(() => {
			wait = undefined;
			if (recordingView.visible) recordings.refresh();
		}, 1000);
	};
	setImmediate(() => void look());
	const all = [
		programView,
		recordingView,
		busyView,
		watcher,
		programView.onDidChangeVisibility(() => void look()),
		vscode.window.onDidChangeWindowState(() => void look()),
		recordingView.onDidChangeVisibility(({ visible }) => visible && recordings.refresh()),
		{ dispose: () => clearTimeout(timer) },
		watcher.onDidCreate(uri => void note(uri, true).then(listSoon)),
		watcher.onDidChange(listSoon),
		watcher.onDidDelete(uri => void note(uri, false).then(listSoon)),
		vscode.workspace.onDidChangeWorkspaceFolders(() => {
			lookAgain();
			listSoon();
		}),
		jobs.onChange(() => busyView.visible && busy.refresh()),
		busyView.onDidChangeVisibility(({ visible }) => visible && busy.refresh()),
		onPages(() => busy.refresh()),
		vscode.commands.registerCommand('inftrace.delete', (what?: unknown, all?: readonly unknown[]) =>
			// the key is about what is chosen
			remove(all ?? (what ? [what] : recordingView.selection)),
		),
		vscode.commands.registerCommand('inftrace.reveal', (panel: vscode.WebviewPanel) => panel.reveal()),
	];
	const refresh = (): void => {
		lookAgain();
		void programs.look(true);
		recordings.refresh();
	};
	return { all, refresh };
}
