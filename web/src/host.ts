// SPDX-License-Identifier: Apache-2.0
// What shows the page: a browser, or an editor that brings its own way to the server (doc/view-protocol.md). Here alone
// the page asks for something, keeps its place, learns the theme, and hands out files.

export interface Stream {
	close(): void;
}

interface Asked {
	readonly method?: string;
	/** A file for the server; an editor has none, because it opens files itself. */
	readonly body?: Blob;
	readonly signal?: AbortSignal;
}

/** What was answered: a browser's own, or the bytes of an editor's message. */
export type Answer = Pick<Response, 'ok' | 'status' | 'text' | 'json' | 'arrayBuffer' | 'blob'>;

export interface Host {
	/** An editor has tabs and files of its own. */
	readonly isEditor: boolean;
	ask(path: string, asked?: Asked): Promise<Answer>;
	/** The events of this name, until the stream is closed or lost. */
	listen(path: string, name: string, came: (data: string) => void, lost: () => void): Stream;
	isDark(): boolean;
	onTheme(changed: () => void): void;
	/** Nobody can see the page: it asks for nothing meanwhile. */
	isHidden(): boolean;
	/** Returns what stops it. */
	onHidden(changed: () => void): () => void;
	/** The place as an address says it: "#t=0-100", or "". */
	place(): string;
	go(place: string, isStep: boolean): void;
	onPlace(changed: () => void): void;
	/** What a reader has chosen for all recordings, as one text; '': nothing. */
	kept(): string;
	keep(text: string): void;
	save(name: string, content: Blob): void;
	/** Opens a recording of this machine. */
	open(file: string): void;
}

const COOKIE = 'inftrace-page';

class Browser implements Host {
	readonly isEditor = false;

	ask(path: string, asked: Asked = {}): Promise<Answer> {
		return fetch(path, asked);
	}

	listen(path: string, name: string, came: (data: string) => void, lost: () => void): Stream {
		const events = new EventSource(path);
		events.addEventListener(name, event => came((event as MessageEvent<string>).data));
		events.addEventListener('error', lost);
		return events;
	}

	isDark(): boolean {
		return matchMedia('(prefers-color-scheme: dark)').matches;
	}

	onTheme(changed: () => void): void {
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
	}

	isHidden(): boolean {
		return document.hidden;
	}

	onHidden(changed: () => void): () => void {
		document.addEventListener('visibilitychange', changed);
		return () => document.removeEventListener('visibilitychange', changed);
	}

	place(): string {
		return location.hash;
	}

	go(place: string, isStep: boolean): void {
		const to = place || location.pathname;
		if ((location.hash || location.pathname) === to) return;
		if (isStep) history.pushState(null, '', to);
		else history.replaceState(null, '', to);
	}

	onPlace(changed: () => void): void {
		addEventListener('popstate', changed);
		addEventListener('hashchange', changed);
	}

	/** Each page has a port of its own, and with it a storage of its own: cookies are those of the machine. */
	kept(): string {
		const found = new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(document.cookie)?.[1];
		try {
			return decodeURIComponent(found ?? '');
		} catch {
			return '';
		}
	}

	keep(text: string): void {
		document.cookie = `${COOKIE}=${encodeURIComponent(text)}; path=/; max-age=31536000; samesite=strict`;
	}

	save(name: string, content: Blob): void {
		const url = URL.createObjectURL(content);
		const link = document.createElement('a');
		link.href = url;
		link.download = name;
		link.click();
		setTimeout(() => URL.revokeObjectURL(url), 10000);
	}

	open(): void {}
}

/** What an editor hands to the page, before the page's script: the API of its web views. */
interface Api {
	postMessage(message: unknown): void;
	getState(): unknown;
	setState(state: unknown): void;
	/** What was kept of settings. */
	readonly settings?: unknown;
}

interface Reply {
	readonly id?: number;
	readonly error?: string;
	readonly status?: number;
	readonly type?: string;
	readonly body?: ArrayBuffer;
	/** Of a stream. */
	readonly event?: string;
	readonly data?: string;
	readonly end?: boolean;
	/** Whether the tab of the page is the one on top. */
	readonly shown?: boolean;
	/** What is kept by then. */
	readonly settings?: string;
}

interface Waiting {
	readonly done: (answer: Answer) => void;
	readonly failed: (error: unknown) => void;
}

/** A Response would take the bytes through a stream: 0.2 ms, and a turn behind all else that the window has to do. */
class Message implements Answer {
	constructor(
		private readonly body: ArrayBuffer,
		readonly status: number,
		private readonly type: string,
	) {}

	get ok(): boolean {
		return this.status >= 200 && this.status < 300;
	}

	async arrayBuffer(): Promise<ArrayBuffer> {
		return this.body;
	}

	async text(): Promise<string> {
		return new TextDecoder().decode(this.body);
	}

	async json(): Promise<unknown> {
		return JSON.parse(await this.text());
	}

	async blob(): Promise<Blob> {
		return new Blob([this.body], { type: this.type });
	}
}

class Editor implements Host {
	readonly isEditor = true;
	private readonly waiting = new Map<number, Waiting>();
	private readonly streams = new Map<number, (reply: Reply) => void>();
	private readonly watchers = new Set<() => void>();
	private last = 0;
	private isShown = true;
	private at: string;
	private settings = '';

	constructor(private readonly api: Api) {
		this.takeSettings(api.settings);
		const state = api.getState() as { readonly place?: unknown } | undefined;
		this.at = typeof state?.place === 'string' ? state.place : '';
		addEventListener('message', ({ data }: MessageEvent<Reply>) => this.take(data));
		document.addEventListener('visibilitychange', () => this.tellHidden());
		document.documentElement.dataset.host = 'editor';
	}

	private tellHidden(): void {
		for (const watcher of [...this.watchers]) watcher();
	}

	private takeSettings(text: unknown): void {
		if (typeof text === 'string') this.settings = text;
	}

	private take(reply: Reply): void {
		this.takeSettings(reply?.settings);
		if (typeof reply?.shown === 'boolean' && reply.shown !== this.isShown) {
			this.isShown = reply.shown;
			this.tellHidden();
		}
		if (typeof reply?.id !== 'number') return;
		const stream = this.streams.get(reply.id);
		if (stream) return stream(reply);
		const waiting = this.waiting.get(reply.id);
		if (!waiting) return;
		this.waiting.delete(reply.id);
		if (reply.error !== undefined) waiting.failed(new TypeError(reply.error));
		else waiting.done(new Message(reply.body ?? new ArrayBuffer(0), reply.status ?? 0, reply.type ?? ''));
	}

	ask(path: string, { method = 'GET', signal }: Asked = {}): Promise<Answer> {
		return new Promise((done, failed) => {
			const id = ++this.last;
			this.waiting.set(id, { done, failed });
			signal?.addEventListener('abort', () => {
				if (this.waiting.delete(id)) this.api.postMessage({ id, close: true });
				failed(signal.reason);
			});
			this.api.postMessage({ id, method, path });
		});
	}

	listen(path: string, name: string, came: (data: string) => void, lost: () => void): Stream {
		const id = ++this.last;
		this.streams.set(id, reply => {
			if (reply.event === name && reply.data !== undefined) came(reply.data);
			if (reply.end) lost();
		});
		this.api.postMessage({ id, listen: path });
		return {
			close: () => {
				this.streams.delete(id);
				this.api.postMessage({ id, close: true });
			},
		};
	}

	isDark(): boolean {
		const { classList } = document.body;
		return (
			classList.contains('vscode-dark') ||
			(classList.contains('vscode-high-contrast') && !this.isBright())
		);
	}

	private isBright(): boolean {
		return document.body.classList.contains('vscode-high-contrast-light');
	}

	onTheme(changed: () => void): void {
		new MutationObserver(changed).observe(document.body, { attributes: true, attributeFilter: ['class'] });
	}

	/** The document of a tab that lies below another one is visible all the same: the editor says that it is not. */
	isHidden(): boolean {
		return document.hidden || !this.isShown;
	}

	onHidden(changed: () => void): () => void {
		this.watchers.add(changed);
		return () => this.watchers.delete(changed);
	}

	place(): string {
		return this.at;
	}

	/** The editor has its own steps back: a view is none. */
	go(place: string): void {
		this.at = place;
		this.api.setState({ place });
	}

	onPlace(): void {}

	kept(): string {
		return this.settings;
	}

	keep(text: string): void {
		this.settings = text;
		this.api.postMessage({ settings: text });
	}

	save(name: string, content: Blob): void {
		void content.arrayBuffer().then(body => this.api.postMessage({ save: name, body }));
	}

	open(file: string): void {
		this.api.postMessage({ open: file });
	}
}

declare global {
	var inftraceHost: Api | undefined;
}

export const host: Host = globalThis.inftraceHost ? new Editor(globalThis.inftraceHost) : new Browser();

/** At once, or when the page is seen again. */
export function whenSeen(then: () => void): void {
	if (!host.isHidden()) return then();
	const stop = host.onHidden(() => {
		if (host.isHidden()) return;
		stop();
		then();
	});
}
