// SPDX-License-Identifier: Apache-2.0
// The page of inftrace in a web view: a document without any network, whose questions are passed on to the server. The
// page comes from the running inftrace, so both are of one version.
import { randomBytes } from 'node:crypto';
import { basename, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { folderOf, laterHint, log, need } from './program';
import { Server, type Call } from './server';
import { escapeHtml } from './words';

/** A message of the page (doc/view-protocol.md). */
interface Message {
	readonly id?: number;
	readonly method?: string;
	readonly path?: string;
	readonly listen?: string;
	readonly close?: boolean;
	readonly save?: string;
	readonly body?: ArrayBuffer;
	readonly open?: string;
	readonly settings?: string;
}

/** A name of the server, with its query: no other path can be asked for. */
const NAME = /^[a-z_]+(\.json)?(\?[\w=&%.~!*'()-]*)?$/;

/** What a document keeps of itself, with which its tab can be made again when the window is loaded again. */
export type Kept = Readonly<Record<string, unknown>>;

const literal = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** What a reader has chosen on a page, for all pages. */
let memory: vscode.Memento | null = null;
const SETTINGS = 'page';
const LONGEST_SETTINGS = 4000;

export const setMemory = (of: vscode.Memento): void => void (memory = of);

/** The editor's API, whose state always has what is kept. */
const apiWith = (kept: Kept): string => `(() => {
const api = acquireVsCodeApi(), kept = ${literal(kept)};
const setState = state => api.setState({ ...state, ...kept });
setState(api.getState());
return { setState, getState: () => api.getState(), postMessage: message => api.postMessage(message) };
})()`;

const nonceOf = (): string => randomBytes(16).toString('hex');

function documentOf(style: string, script: string, kept: Kept | undefined): string {
	const nonce = nonceOf();
	const settings = literal(settingsKept());
	const policy = `default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'`;
	return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style>${style}</style><style>html, body { padding: 0 }</style></head>
<body><div id="page"><p class="boot">Reading the recording …</p></div>
<script nonce="${nonce}">globalThis.inftraceHost = { ...${kept ? apiWith(kept) : 'acquireVsCodeApi()'}, settings: ${settings} };</script>
<script nonce="${nonce}" type="module">${script.replaceAll('</script', '<\\/script')}</script></body></html>`;
}

const settingsKept = (): string => memory?.get(SETTINGS, '') ?? '';

function keepSettings(text: string): void {
	if (typeof text === 'string' && text.length <= LONGEST_SETTINGS) void memory?.update(SETTINGS, text);
}

export function troubleOf(words: string): string {
	return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"></head>
<body><main role="alert" id="trouble"><h2>It cannot be shown</h2><p>${escapeHtml(words)}</p>
<p><a href="command:inftrace.showLog">Show the log</a></p></main></body></html>`;
}

/** Shows what `inftrace ARGS` serves, until the panel is closed. Resolves when the page is in it. */
export class Page {
	private server: Server | null = null;
	private readonly streams = new Map<number, () => void>();
	private readonly questions = new Map<number, AbortController>();
	private readonly heard: vscode.Disposable;
	private isClosed = false;

	constructor(
		private readonly panel: vscode.WebviewPanel,
		private readonly call: Call,
		private readonly kept?: Kept,
	) {
		panel.webview.options = {
			enableScripts: true,
			localResourceRoots: [],
			enableCommandUris: ['inftrace.showLog'],
		};
		this.heard = panel.webview.onDidReceiveMessage((message: Message) => void this.take(message));
		panel.onDidChangeViewState(() => this.tellShown());
		panel.onDidDispose(() => this.close());
	}

	/** The document cannot see that another tab lies above it, nor what was chosen there. */
	private tellShown(): void {
		void this.panel.webview.postMessage({ shown: this.panel.visible, settings: settingsKept() });
	}

	/** The server has ended. */
	onEnd: () => void = () => undefined;

	async show(): Promise<boolean> {
		const { webview } = this.panel;
		const path = await need();
		try {
			if (!path) throw new Error('This needs the program inftrace; see the view Running Programs.');
			if (this.isClosed) return false;
			this.server = new Server(path, { cwd: folderOf(), ...this.call });
			this.server.onEnd = () => this.onEnd();
			const { server } = this;
			const [style, script] = await Promise.all(['app.css', 'app.js'].map(name => server.ask(name)));
			if (script.status !== 200) throw new Error('This inftrace was built without its page.');
			webview.html = documentOf(style.body.toString(), script.body.toString(), this.kept);
			return true;
		} catch (error) {
			log.error(String(error));
			const words = [(error as Error).message, await laterHint()].filter(Boolean).join('. ');
			if (!this.isClosed) webview.html = troubleOf(words);
			return false;
		}
	}

	/** Calls back once what is recorded for a live page is over, and keeps its server until the panel is closed. */
	async whenOver(over: () => void): Promise<void> {
		const close = await this.server?.listen(
			'events',
			({ data }) => (JSON.parse(data) as { growing?: boolean }).growing === false && over(),
			() => undefined,
		);
		if (close) this.streams.set(0, close);
	}

	close(): void {
		this.isClosed = true;
		this.heard.dispose();
		this.streams.forEach(close => close());
		this.streams.clear();
		this.server?.end();
	}

	private async take(message: Message): Promise<void> {
		const { id } = message;
		// it has not been there yet when the tab was left
		if (!this.panel.visible) this.tellShown();
		if (message.save !== undefined) return this.save(message.save, message.body);
		if (message.open !== undefined) return this.open(message.open);
		if (message.settings !== undefined) return keepSettings(message.settings);
		if (id === undefined) return;
		if (message.close) {
			this.streams.get(id)?.();
			this.streams.delete(id);
			this.questions.get(id)?.abort();
		} else if (message.listen !== undefined) await this.listen(id, message.listen);
		else await this.answer(id, message.path ?? '', message.method ?? 'GET');
	}

	private async answer(id: number, path: string, method: string): Promise<void> {
		const { webview } = this.panel;
		const asked = new AbortController();
		this.questions.set(id, asked);
		try {
			if (!this.server || !NAME.test(path) || !['GET', 'POST'].includes(method))
				throw new Error('no such question');
			const { status, type, body } = await this.server.ask(path, method, asked.signal);
			await webview.postMessage({ id, status, type, body: new Uint8Array(body).buffer });
		} catch (error) {
			if (!asked.signal.aborted) await webview.postMessage({ id, error: (error as Error).message });
		} finally {
			this.questions.delete(id);
		}
	}

	private async listen(id: number, path: string): Promise<void> {
		const { webview } = this.panel;
		const end = (): void => void webview.postMessage({ id, end: true });
		if (!this.server || !NAME.test(path)) return end();
		const ended = (): void => {
			if (this.streams.delete(id)) end();
		};
		try {
			const close = await this.server.listen(
				path,
				event => void webview.postMessage({ id, ...event }),
				ended,
			);
			this.streams.set(id, close);
		} catch {
			end();
		}
	}

	private async save(name: string, body: ArrayBuffer | undefined): Promise<void> {
		if (!body) return;
		const file = join(folderOf() ?? '', basename(name));
		const to = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.file(file) });
		if (to) await vscode.workspace.fs.writeFile(to, new Uint8Array(body));
	}

	private async open(file: string): Promise<void> {
		const path = isAbsolute(file) ? file : join(this.call.cwd ?? folderOf() ?? '', file);
		await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(path), 'inftrace.recording');
	}
}

const OPTIONS = { enableScripts: true, localResourceRoots: [] };

/** A page of inftrace that needs no server, such as a report. kept: what its tab can be made again with. */
export function fillHtml({ webview }: vscode.WebviewPanel, html: string, kept: Kept): void {
	const nonce = nonceOf();
	webview.options = OPTIONS;
	webview.html = html
		.replace("style-src 'unsafe-inline'", found => `${found}; script-src 'nonce-${nonce}'`)
		.replace('</body>', end => `<script nonce="${nonce}">${apiWith(kept)}</script>${end}`);
}

export function newPanel(type: string, title: string): vscode.WebviewPanel {
	const options = { ...OPTIONS, retainContextWhenHidden: true };
	return vscode.window.createWebviewPanel(type, title, vscode.ViewColumn.Active, options);
}
