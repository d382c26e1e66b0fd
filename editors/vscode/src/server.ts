// SPDX-License-Identifier: Apache-2.0
// A running `inftrace view`, `live` or `model --live`: started, asked, and ended. It listens on a socket that its user alone can
// open, and ends when this process does.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lines, type Answer } from './lines';
import { log } from './program';

/** "event: NAME\ndata: TEXT\n\n" of a stream. */
export interface Event {
	readonly event: string;
	readonly data: string;
}

/** What is served: a command of inftrace with its words, where it runs, and what its environment has besides. */
export interface Call {
	readonly args: readonly string[];
	readonly cwd?: string;
	readonly env?: Record<string, string>;
}

const all = new Set<Server>();

export const endAll = (): void => all.forEach(one => one.end());

export class Server {
	private readonly folder = mkdtempSync(join(tmpdir(), 'inftrace-'));
	private readonly lines = new Lines(this.socket);
	private readonly child: ChildProcess;
	private said = '';
	/** The path of the page on the socket, once it is there. */
	readonly ready: Promise<string>;
	onEnd: () => void = () => undefined;

	constructor(path: string, { args, cwd, env }: Call) {
		const words = [args[0], '--socket', this.socket, '--exit-with-stdin', ...args.slice(1)];
		this.child = spawn(path, words, {
			cwd,
			env: { ...process.env, ...env },
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		all.add(this);
		this.child.stdin?.on('error', () => undefined);
		this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
			this.said = (this.said + text).slice(-4000);
			log.info(text.trim());
		});
		this.ready = this.start();
		this.ready.catch(() => undefined);
	}

	private get socket(): string {
		return join(this.folder, 'page');
	}

	private start(): Promise<string> {
		return new Promise((done, failed) => {
			// that of a model has its report on standard output, and the address beside it
			for (const stream of [this.child.stdout, this.child.stderr]) {
				let text = '';
				stream?.setEncoding('utf8').on('data', (more: string) => {
					text = (text + more).slice(0, 1000);
					const found =
						/^(?:inftrace: live page: )?http:\/\/localhost(\/[0-9a-f]+\/)\n/m.exec(
							text,
						);
					if (found) done(found[1]);
				});
			}
			this.child.on('error', failed);
			this.child.on('close', status => {
				const why = this.said.trim().replace(/^inftrace: /gm, '');
				failed(new Error(why || `inftrace ended with ${status}`));
				all.delete(this);
				this.lines.end();
				rmSync(this.folder, { recursive: true, force: true });
				this.onEnd();
			});
		});
	}

	async ask(path: string, method = 'GET', signal?: AbortSignal): Promise<Answer> {
		const base = await this.ready;
		// what the page itself would send
		const post = method === 'POST' ? 'Origin: http://localhost\r\nContent-Length: 0\r\n' : '';
		return this.lines.ask(`${method} ${base}${path} HTTP/1.1\r\nHost: localhost\r\n${post}\r\n`, signal);
	}

	/** Events until the stream ends, or until the function that is returned is called. */
	async listen(path: string, came: (event: Event) => void, ended: () => void): Promise<() => void> {
		const base = await this.ready;
		let rest = '';
		const to = {
			socketPath: this.socket,
			path: base + path,
			headers: { Host: 'localhost' },
			agent: false as const,
		};
		const asked = request(to, got => {
			got.setEncoding('utf8');
			got.on('data', (text: string) => {
				const events = (rest + text).split('\n\n');
				rest = events.pop() ?? '';
				for (const one of events) {
					const event = /^event: ?(.*)$/m.exec(one)?.[1];
					const data = [...one.matchAll(/^data: ?(.*)$/gm)]
						.map(found => found[1])
						.join('\n');
					if (event) came({ event, data });
				}
			});
			got.on('close', ended);
			got.on('error', () => undefined);
		});
		asked.on('error', ended);
		asked.end();
		return () => asked.destroy();
	}

	/** Standard input is closed: inftrace ends by itself. */
	end(): void {
		this.child.stdin?.end();
	}
}
