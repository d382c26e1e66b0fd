// SPDX-License-Identifier: Apache-2.0
// Recordings of the workspace: opened, listed, reported, compared, deleted.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { fillHtml, newPanel, Page, troubleOf } from './page';
import { answer, folderOf } from './program';
import { showFindings } from './findings';
import { oneLine, plain, type Report } from './words';

export const EDITOR = 'inftrace.recording';
const REPORT = 'inftrace.report';
const COMPARISON = 'inftrace.compare';

export class Editor implements vscode.CustomReadonlyEditorProvider {
	openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
		return { uri, dispose: () => undefined };
	}

	async resolveCustomEditor(document: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
		const isShown = await new Page(panel, { args: ['view', document.uri.fsPath] }).show();
		if (!isShown || !/\.pftrace(\.\w+)?$/.test(document.uri.fsPath)) return;
		// those of the recording that is looked at
		panel.onDidChangeViewState(() => panel.active && void showFindings(document.uri, true));
		void showFindings(document.uri, true);
	}
}

interface Recording {
	readonly uri: vscode.Uri;
	readonly bytes: number;
	readonly written: number;
}

const LEFT_OUT = ['node_modules', '.git', '.venv'];
const MOST = 500;

/** Files by their address: looked for once, then those that come and go. */
let files: Promise<Map<string, vscode.Uri>> | null = null;

function known(): Promise<Map<string, vscode.Uri>> {
	const without = `**/{${LEFT_OUT.join(',')}}/**`;
	files ??= Promise.resolve(vscode.workspace.findFiles('**/*.pftrace', without, MOST)).then(
		found => new Map(found.map(uri => [uri.toString(), uri])),
	);
	files.catch(() => (files = null));
	return files;
}

/** A file has come or gone. */
export async function note(uri: vscode.Uri, isThere: boolean): Promise<void> {
	const all = await known();
	if (!isThere) all.delete(uri.toString());
	else if (all.size < MOST && !uri.path.split('/').some(name => LEFT_OUT.includes(name)))
		all.set(uri.toString(), uri);
}

/** Other folders may have others. */
export const lookAgain = (): void => void (files = null);

async function list(): Promise<Recording[]> {
	const found = await Promise.all(
		[...(await known()).values()].map(uri =>
			stat(uri.fsPath).then(
				one => ({ uri, bytes: one.size, written: one.mtimeMs }),
				() => null,
			),
		),
	);
	return found.filter(one => one !== null).sort((a, b) => b.written - a.written);
}

function ago(ms: number): string {
	const s = Math.max(0, ms / 1000);
	if (s < 60) return 'now';
	if (s < 3600) return `${Math.floor(s / 60)} min ago`;
	if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
	return `${Math.floor(s / 86400)} d ago`;
}

const size = (bytes: number): string =>
	bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;

/** Reading a larger one only for a tooltip is not worth it. */
const LARGE = 100 << 20;

export class Recordings implements vscode.TreeDataProvider<Recording> {
	private readonly changed = new vscode.EventEmitter<void>();
	private readonly verdicts = new Map<string, string>();
	readonly onDidChangeTreeData = this.changed.event;

	refresh(): void {
		this.changed.fire();
	}

	getChildren(of?: Recording): Promise<Recording[]> | Recording[] {
		return of ? [] : list();
	}

	getTreeItem(one: Recording): vscode.TreeItem {
		const item = new vscode.TreeItem(one.uri, vscode.TreeItemCollapsibleState.None);
		const folder = vscode.workspace.asRelativePath(one.uri).split('/').slice(0, -1).join('/');
		item.label = plain(basename(one.uri.fsPath));
		item.id = one.uri.toString();
		item.contextValue = 'recording';
		item.description = [ago(Date.now() - one.written), size(one.bytes), folder].filter(Boolean).join(' · ');
		item.accessibilityInformation = { label: `${basename(one.uri.fsPath)}, ${item.description}` };
		item.command = { command: 'vscode.openWith', title: 'Open', arguments: [one.uri, EDITOR] };
		return item;
	}

	/** The first sentences of the report, once somebody wants to know. */
	async resolveTreeItem(item: vscode.TreeItem, one: Recording): Promise<vscode.TreeItem> {
		const key = `${one.uri.fsPath} ${one.written}`;
		if (!this.verdicts.has(key) && one.bytes < LARGE)
			try {
				const report = JSON.parse(await answer(['report', '--json', one.uri.fsPath])) as Report;
				this.verdicts.set(key, oneLine(report.verdict ?? ''));
			} catch (error) {
				this.verdicts.set(key, oneLine((error as Error).message));
			}
		item.tooltip = this.verdicts.get(key) ?? one.uri.fsPath;
		return item;
	}
}

/** What a command is about: a row of the tree, a file of the explorer, the editor that is open, or one that is chosen. */
export async function chosen(what?: unknown): Promise<vscode.Uri | undefined> {
	if (what instanceof vscode.Uri) return what;
	const row = what as Partial<Recording> | undefined;
	if (row?.uri instanceof vscode.Uri) return row.uri;
	const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
	if (input instanceof vscode.TabInputCustom) return input.uri;
	return pick('Which recording?');
}

async function pick(title: string, without?: vscode.Uri): Promise<vscode.Uri | undefined> {
	const found = (await list()).filter(one => one.uri.fsPath !== without?.fsPath);
	if (!found.length) return browse();
	const rows = found.map(one => ({
		label: plain(basename(one.uri.fsPath)),
		description: `${ago(Date.now() - one.written)} · ${plain(vscode.workspace.asRelativePath(one.uri))}`,
		uri: one.uri as vscode.Uri | undefined,
	}));
	rows.push({ label: '$(folder-opened) Another file...', description: '', uri: undefined });
	const row = await vscode.window.showQuickPick(rows, { title, matchOnDescription: true, ignoreFocusOut: true });
	return row && (row.uri ?? browse());
}

async function browse(): Promise<vscode.Uri | undefined> {
	const folder = folderOf();
	const files = await vscode.window.showOpenDialog({
		defaultUri: folder ? vscode.Uri.file(folder) : undefined,
		filters: { Recordings: ['pftrace', 'perfetto-trace', 'json', 'csv'], 'All files': ['*'] },
	});
	return files?.[0];
}

async function working<T>(title: string, work: () => Promise<T>): Promise<T | undefined> {
	try {
		return await vscode.window.withProgress(
			{ location: vscode.ProgressLocation.Notification, title },
			work,
		);
	} catch (error) {
		void vscode.window.showErrorMessage(`inftrace: ${plain((error as Error).message)}`);
		return undefined;
	}
}

export async function openRecording(): Promise<void> {
	const uri = await browse();
	if (uri) await vscode.commands.executeCommand('vscode.openWith', uri, EDITOR);
}

const htmlOf = (file: string): Promise<string> => answer(['report', '--format', 'html', file]);

export async function openReport(what?: unknown): Promise<void> {
	const uri = await chosen(what);
	if (!uri) return;
	const html = await working('Working out the report', () => htmlOf(uri.fsPath));
	if (html) fillHtml(newPanel(REPORT, `Report of ${plain(basename(uri.fsPath))}`), html, { file: uri.fsPath });
}

export async function saveReport(what?: unknown): Promise<void> {
	const uri = await chosen(what);
	if (!uri) return;
	const to = await vscode.window.showSaveDialog({
		defaultUri: vscode.Uri.file(uri.fsPath.replace(/(\.pftrace)?$/, '.html')),
		filters: { 'Web page': ['html'], JSON: ['json'], Text: ['txt'], Markdown: ['md'], CSV: ['csv'] },
	});
	if (!to) return;
	const isSaved = await working('Writing the report', () =>
		answer(['report', '--force', '--output', to.fsPath, uri.fsPath]).then(() => true),
	);
	if (!isSaved) return;
	const open = await vscode.window.showInformationMessage(
		`The report is in ${plain(basename(to.fsPath))}.`,
		'Open',
	);
	if (open) await vscode.commands.executeCommand('vscode.open', to);
}

/** The tree hands over one row and all rows that are selected; so does the explorer. */
export async function compare(what?: unknown, all?: readonly unknown[]): Promise<void> {
	let [base, next] =
		all && all.length > 1 ? await Promise.all(all.slice(0, 2).map(chosen)) : [await chosen(what)];
	if (!base) return;
	next ??= await pick(`Compare ${plain(basename(base.fsPath))} with...`, base);
	if (!next) return;
	// the older one is what the newer one is compared with
	const [a, b] = await Promise.all([stat(base.fsPath), stat(next.fsPath)]);
	if (a.mtimeMs > b.mtimeMs) [base, next] = [next, base];
	const [before, after] = [base.fsPath, next.fsPath];
	const title = `${plain(basename(before))} → ${plain(basename(after))}`;
	await showBeside(newPanel(COMPARISON, title), before, after);
}

const showBeside = (panel: vscode.WebviewPanel, before: string, after: string): Promise<boolean> =>
	new Page(panel, { args: ['view', before, after] }, { before, after }).show();

/** When the window is loaded again, a report and a comparison are made again. */
class Again implements vscode.WebviewPanelSerializer {
	async deserializeWebviewPanel(panel: vscode.WebviewPanel, kept: unknown): Promise<void> {
		const { file, before, after } = (kept ?? {}) as Readonly<Record<string, string | undefined>>;
		if (before && after) await showBeside(panel, before, after);
		else if (file)
			try {
				fillHtml(panel, await htmlOf(file), { file });
			} catch (error) {
				panel.webview.html = troubleOf((error as Error).message);
			}
		else panel.dispose();
	}
}

export const registerPanels = (): vscode.Disposable[] =>
	[REPORT, COMPARISON].map(type => vscode.window.registerWebviewPanelSerializer(type, new Again()));

/** Other machines' files have no trash: the button says what happens. */
export async function remove(rows: readonly unknown[]): Promise<void> {
	const uris = (await Promise.all(rows.map(chosen))).filter(uri => uri !== undefined);
	if (!uris.length) return;
	const what = uris.length > 1 ? `${uris.length} recordings` : plain(basename(uris[0].fsPath));
	const isFor = async (detail: string, word: string): Promise<boolean> =>
		(await vscode.window.showWarningMessage(`Delete ${what}?`, { modal: true, detail }, word)) === word;
	const { fs } = vscode.workspace;
	const remaining: vscode.Uri[] = [];
	const hasTrash = vscode.env.remoteName === undefined;
	if (hasTrash && !(await isFor('', 'Move to Trash'))) return;
	for (const uri of uris)
		if (!hasTrash) remaining.push(uri);
		else await fs.delete(uri, { useTrash: true }).then(undefined, () => remaining.push(uri));
	if (!remaining.length || !(await isFor('There is no trash here.', 'Delete Permanently'))) return;
	await working('Deleting', () => Promise.all(remaining.map(uri => fs.delete(uri))));
}
