// SPDX-License-Identifier: Apache-2.0
// Questions to a server on a socket, each of which is answered with a Content-Length. node:http, which can do everything,
// takes three times the CPU for a tile (0.7 ms), and each tile waits for it. Knows nothing of the editor.
import { connect, type Socket } from 'node:net';

export interface Answer {
	readonly status: number;
	readonly type: string;
	readonly body: Buffer;
}

interface Question {
	readonly text: string;
	readonly done: (answer: Answer) => void;
	readonly failed: (error: Error) => void;
}

/** Connections at a time; who comes then waits. */
const MOST = 6;
const LONGEST_HEAD = 1 << 16;

/** One connection, which has one question at a time. */
class Line {
	private readonly socket: Socket;
	private asked: Question | null = null;
	private parts: Buffer[] = [];
	private bytes = 0;
	/** Of the answer that comes; null: its head has not come whole. */
	private head: { readonly status: number; readonly type: string; readonly length: number } | null = null;

	constructor(
		path: string,
		private readonly free: (line: Line) => void,
		gone: (line: Line) => void,
	) {
		this.socket = connect(path);
		this.socket.on('data', (part: Buffer) => this.take(part));
		this.socket.on('error', error => this.fail(error));
		this.socket.on('close', () => {
			this.fail(new Error('the server has closed the connection'));
			gone(this);
		});
	}

	ask(question: Question): void {
		this.asked = question;
		this.socket.write(question.text);
	}

	isAsked(question: Question): boolean {
		return this.asked === question;
	}

	end(): void {
		this.socket.destroy();
	}

	private fail(error: Error): void {
		this.asked?.failed(error);
		this.asked = null;
	}

	private take(part: Buffer): void {
		if (!this.asked) {
			this.socket.destroy(); // an answer to nothing
			return;
		}
		this.parts.push(part);
		this.bytes += part.length;
		if (!this.head) this.takeHead();
		if (this.head && this.bytes >= this.head.length) this.answer(this.head);
	}

	private takeHead(): void {
		const all = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
		const end = all.indexOf('\r\n\r\n');
		this.parts = [all];
		if (end < 0) {
			if (all.length > LONGEST_HEAD) this.socket.destroy();
			return;
		}
		const text = all.toString('latin1', 0, end);
		const value = (name: string): string | undefined =>
			new RegExp(`^${name}: *(.*)$`, 'im').exec(text)?.[1].trim();
		const status = /^HTTP\/1\.[01] (\d{3}) /.exec(text)?.[1];
		const length = value('content-length');
		if (!status || !length || !/^\d+$/.test(length)) {
			this.socket.destroy();
			return;
		}
		this.head = { status: Number(status), type: value('content-type') ?? '', length: Number(length) };
		this.parts = [all.subarray(end + 4)];
		this.bytes = all.length - end - 4;
	}

	private answer({ status, type, length }: NonNullable<typeof this.head>): void {
		const { asked } = this;
		const body = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
		this.asked = this.head = null;
		this.parts = [];
		this.bytes = 0;
		asked?.done({ status, type, body });
		// more than was announced is an answer to nothing
		if (body.length > length) this.socket.destroy();
		else this.free(this);
	}
}

export class Lines {
	private readonly all = new Set<Line>();
	private readonly idle: Line[] = [];
	private readonly waiting: Question[] = [];
	private isOver = false;

	constructor(private readonly path: string) {}

	/** text: the whole head of a request that has no body. An abort ends the connection, and with it what the server does. */
	ask(text: string, signal?: AbortSignal): Promise<Answer> {
		return new Promise((done, failed) => {
			const question = { text, done, failed };
			this.waiting.push(question);
			signal?.addEventListener('abort', () => this.forget(question));
			if (signal?.aborted) this.forget(question);
			this.next();
		});
	}

	private forget(question: Question): void {
		const at = this.waiting.indexOf(question);
		if (at >= 0) this.waiting.splice(at, 1)[0].failed(new Error('nobody waits for it'));
		for (const line of this.all) if (line.isAsked(question)) line.end();
	}

	/** What waits for an answer fails, and what is asked later. */
	end(): void {
		this.isOver = true;
		this.all.forEach(line => line.end());
		this.next();
	}

	private next(): void {
		if (this.isOver)
			for (const { failed } of this.waiting.splice(0)) failed(new Error('the server has ended'));
		while (this.waiting.length) {
			const line = this.idle.pop() ?? (this.all.size < MOST ? this.open() : null);
			if (!line) return;
			line.ask(this.waiting.shift() as Question);
		}
	}

	private open(): Line {
		const free = (line: Line): void => {
			this.idle.push(line);
			this.next();
		};
		const gone = (line: Line): void => {
			this.all.delete(line);
			const at = this.idle.indexOf(line);
			if (at >= 0) this.idle.splice(at, 1);
			this.next();
		};
		const line = new Line(this.path, free, gone);
		this.all.add(line);
		return line;
	}
}
