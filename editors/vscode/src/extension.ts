// SPDX-License-Identifier: Apache-2.0
// What the editor calls when it needs something of inftrace for the first time, and when it ends.
import * as vscode from 'vscode';
import { registerDebug } from './debug';
import { clearFindings, registerFindings, showFindings } from './findings';
import { closeStorage, registerJobs, setStorage } from './jobs';
import { registerModelReports } from './model_reports';
import { setMemory } from './page';
import { find, forget, log } from './program';
import * as recordings from './recordings';
import { endAll } from './server';
import * as starts from './start';
import { registerViews } from './views';

async function choosePath(): Promise<void> {
	const files = await vscode.window.showOpenDialog({ title: 'Where is inftrace?', openLabel: 'Use It' });
	if (!files?.length) return;
	const settings = vscode.workspace.getConfiguration('inftrace');
	await settings.update('path', files[0].fsPath, vscode.ConfigurationTarget.Global);
}

async function findingsOf(what?: unknown): Promise<void> {
	const uri = await recordings.chosen(what);
	if (uri) await showFindings(uri);
}

/** The editor's own isWorkspaceTrusted is not there in the first seconds of a window, and would say that it is not. */
const tellTrust = (): void =>
	void vscode.commands.executeCommand('setContext', 'inftrace.isTrusted', vscode.workspace.isTrusted);

export function activate(context: vscode.ExtensionContext): void {
	tellTrust();
	setStorage(context.globalStorageUri.fsPath);
	setMemory(context.globalState);
	const views = registerViews();
	const refresh = (): void => {
		forget();
		void find().then(views.refresh);
	};
	const commands: Readonly<Record<string, (...args: never[]) => unknown>> = {
		recordNext: starts.recordNext,
		recordRunning: starts.recordRunning,
		recordKernel: starts.recordKernel,
		recordFile: starts.recordFile,
		recordCommand: starts.recordCommand,
		profileModel: starts.profileModel,
		liveModel: starts.liveModel,
		live: starts.live,
		stop: starts.stop,
		check: starts.check,
		openRecording: recordings.openRecording,
		openReport: recordings.openReport,
		saveReport: recordings.saveReport,
		compare: recordings.compare,
		showFindings: findingsOf,
		clearFindings,
		refresh,
		choosePath,
		showLog: () => log.show(),
	};
	const editor = new recordings.Editor();
	const options = { webviewOptions: { retainContextWhenHidden: true } };
	context.subscriptions.push(
		log,
		...views.all,
		...registerJobs(),
		...registerFindings(),
		...registerDebug(),
		...recordings.registerPanels(),
		registerModelReports((context.storageUri ?? context.globalStorageUri).fsPath),
		starts.registerEnds(),
		...Object.entries(commands).map(([name, run]) =>
			vscode.commands.registerCommand(`inftrace.${name}`, (...args: unknown[]) =>
				run(...(args as never[])),
			),
		),
		...[recordings.EDITOR, 'inftrace.import'].map(type =>
			vscode.window.registerCustomEditorProvider(type, editor, options),
		),
		vscode.workspace.onDidChangeConfiguration(change => {
			if (change.affectsConfiguration('inftrace.path')) refresh();
		}),
		vscode.workspace.onDidGrantWorkspaceTrust(() => {
			tellTrust();
			refresh();
		}),
	);
	// to start a program takes longer than all of the above
	setImmediate(() => void find());
}

export function deactivate(): void {
	endAll();
	closeStorage();
}
