// SPDX-License-Identifier: Apache-2.0
// What a recording says about files of the workspace: findings as information on the model, figures behind the lines that
// asked for inferences. Changes no file.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { answer, log, setting } from './program';
import { brief, linesOf, oneLine, plain, type Line, type Report } from './words';

const problems = vscode.languages.createDiagnosticCollection('inftrace');
const behind = vscode.window.createTextEditorDecorationType({
	after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 2em', fontStyle: 'italic' },
});
let lines: readonly Line[] = [];
let from = '';

/** Reading a larger one only for this is not worth it. */
const LARGE = 100 << 20;

/** Those of this document, unless it is another one by now: then a number of a line may mean something else. */
async function linesIn({ uri, isDirty, lineCount }: vscode.TextDocument): Promise<readonly Line[]> {
	if (!setting<boolean>('annotateLines') || uri.scheme !== 'file') return [];
	const own = lines.filter(one => one.file === uri.fsPath && one.line <= lineCount);
	if (!own.length) return [];
	const written = await stat(uri.fsPath).then(
		one => one.mtimeMs,
		() => Infinity,
	);
	const same = own.filter(one => !isDirty && written <= (one.begunMs ?? Infinity));
	if (same.length < own.length)
		log.info(`no figures in ${uri.fsPath}: it was changed after the program in ${from} began`);
	return same;
}

async function mark(editor: vscode.TextEditor): Promise<void> {
	const byLine = new Map<number, string[]>();
	for (const { line, text } of await linesIn(editor.document))
		byLine.set(line, [...(byLine.get(line) ?? []), text]);
	editor.setDecorations(
		behind,
		[...byLine].map(([line, texts]) => ({
			range: editor.document.lineAt(line - 1).range,
			hoverMessage: new vscode.MarkdownString().appendText(`${texts.join('\n\n')}\n\n(${from})`),
			renderOptions: { after: { contentText: plain(brief(texts)) } },
		})),
	);
}

const markAll = (): void => vscode.window.visibleTextEditors.forEach(editor => void mark(editor));

function diagnose(report: Report, recording: vscode.Uri): void {
	const byFile = new Map<string, vscode.Diagnostic[]>();
	for (const one of report.insights ?? []) {
		const { name = '', path: file = null } = (one.model === null ? null : report.models?.[one.model]) ?? {};
		const uri = file ? vscode.Uri.file(file) : recording;
		const words =
			(name && `${name}: `) +
			[one.finding, one.evidence, one.next && `Next: ${one.next}`].filter(Boolean).join('. ');
		const found = new vscode.Diagnostic(
			new vscode.Range(0, 0, 0, 0),
			oneLine(words),
			vscode.DiagnosticSeverity.Information,
		);
		found.source = 'inftrace';
		const where = new vscode.Location(recording, new vscode.Position(0, 0));
		found.relatedInformation = [new vscode.DiagnosticRelatedInformation(where, 'recorded here')];
		byFile.set(uri.toString(), [...(byFile.get(uri.toString()) ?? []), found]);
	}
	problems.clear();
	byFile.forEach((found, file) => problems.set(vscode.Uri.parse(file), found));
}

/** Reports of files as they were written: who goes from tab to tab waits for none again. */
const reports = new Map<string, Promise<Report>>();
const MOST = 8;
let shown = '';

function reportOf(key: string, file: string): Promise<Report> {
	const report = reports.get(key) ?? answer(['report', '--json', file]).then(text => JSON.parse(text) as Report);
	report.catch(() => reports.delete(key));
	// the newest comes last
	reports.delete(key);
	reports.set(key, report);
	for (const old of [...reports.keys()].slice(0, -MOST)) reports.delete(old);
	return report;
}

/** isQuiet: nobody asked for it in so many words. */
export async function showFindings(recording: vscode.Uri, isQuiet = false): Promise<void> {
	let key = '';
	try {
		const { size, mtimeMs } = await stat(recording.fsPath);
		if (isQuiet && size > LARGE) return;
		key = `${mtimeMs} ${size} ${recording.fsPath}`;
		if (isQuiet && key === shown) return;
		shown = key;
		const report = await reportOf(key, recording.fsPath);
		// another one has been looked at meanwhile
		if (key !== shown) return;
		diagnose(report, recording);
		lines = linesOf(report);
		from = basename(recording.fsPath);
		markAll();
		if (!isQuiet) await vscode.commands.executeCommand('workbench.actions.view.problems');
	} catch (error) {
		// of another one that is looked at by now, findings still come
		if (key === shown) shown = '';
		log.warn(String(error));
		if (!isQuiet) void vscode.window.showErrorMessage(`inftrace: ${plain((error as Error).message)}`);
	}
}

export function clearFindings(): void {
	lines = [];
	shown = '';
	problems.clear();
	markAll();
}

/** "Record" above lines that make a session. */
class Lenses implements vscode.CodeLensProvider {
	provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
		if (!setting<boolean>('codeLens') || !vscode.workspace.isTrusted) return [];
		const lenses: vscode.CodeLens[] = [];
		for (let i = 0; i < Math.min(document.lineCount, 5000); i++) {
			const { text, range } = document.lineAt(i);
			if (/^[^#]*\b(InferenceSession|compile_model|Interpreter)\(/.test(text))
				lenses.push(
					new vscode.CodeLens(range, {
						command: 'inftrace.recordFile',
						title: '$(pulse) Record with inftrace',
						arguments: [document.uri],
					}),
				);
		}
		return lenses;
	}
}

export function registerFindings(): vscode.Disposable[] {
	return [
		problems,
		behind,
		vscode.window.onDidChangeVisibleTextEditors(markAll),
		vscode.workspace.onDidChangeConfiguration(change => {
			if (change.affectsConfiguration('inftrace.annotateLines')) markAll();
		}),
		vscode.languages.registerCodeLensProvider({ language: 'python', scheme: 'file' }, new Lenses()),
	];
}
