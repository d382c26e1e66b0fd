// SPDX-License-Identifier: Apache-2.0
// Reports of models that were measured. No file of the reader's has what is in them, so each is kept in the storage of the
// workspace for as long as its tab is there: also while the window is loaded again.
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { fillHtml, newPanel, troubleOf } from './page';

const TYPE = 'inftrace.model';

let folder = '';

async function show(panel: vscode.WebviewPanel, name: string): Promise<void> {
	const file = join(folder, name);
	panel.onDidDispose(() => void rm(file, { force: true }));
	try {
		fillHtml(panel, await readFile(file, 'utf8'), { name });
	} catch (error) {
		panel.webview.html = troubleOf((error as Error).message);
	}
}

/** report: a file, which may go after that. */
export async function openModelReport(report: string, title: string): Promise<void> {
	const name = `${process.pid}-${Date.now()}-${basename(report)}`;
	await mkdir(folder, { recursive: true, mode: 0o700 });
	await copyFile(report, join(folder, name));
	await show(newPanel(TYPE, title), name);
}

class Again implements vscode.WebviewPanelSerializer {
	async deserializeWebviewPanel(panel: vscode.WebviewPanel, kept: unknown): Promise<void> {
		const { name } = (kept ?? {}) as Readonly<Record<string, unknown>>;
		if (typeof name === 'string' && name === basename(name)) await show(panel, name);
		else panel.dispose();
	}
}

/** storage: a folder that outlives the window. */
export function registerModelReports(storage: string): vscode.Disposable {
	folder = join(storage, 'reports');
	return vscode.window.registerWebviewPanelSerializer(TYPE, new Again());
}
