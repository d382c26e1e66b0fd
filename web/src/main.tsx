// SPDX-License-Identifier: Apache-2.0
// Reads the recording and opens the page.
import { render } from 'preact';
import * as api from './api';
import type { Loading, Recording } from './api';
import { App, usualResources } from './app';
import { Compare } from './compare';
import { hear } from './hear';
import { host, whenSeen, type Host } from './host';
import { Reports, watch } from './live';
import { baseName, bytes, count, duration, oneLine } from './format';
import { Page } from './page';
import { fromHash } from './place';
import type { Plots } from './plots';
import { applyTheme } from './theme';

declare global {
	// what tests and benchmarks look at
	var inftrace: { app: App; beside?: App; plots: Plots; host: Host } | undefined;
}

/** Shows what a recording that is still written gains, until it is complete. */
function follow(app: App, reports: Reports): void {
	let timer = 0;
	const grow = async (): Promise<void> => {
		if (!app.recording.growing) return;
		await app.grow();
		if (!app.recording.growing) await reports.read();
	};
	const came = (): void => {
		clearTimeout(timer);
		timer = window.setTimeout(() => void grow(), 50);
	};
	hear(app, came, () => void grow());
}

/** Tells screen readers what the timeline shows, once it rests. */
function say(app: App): void {
	let timer = 0;
	app.listen(change => {
		if (change !== 'view') return;
		clearTimeout(timer);
		timer = window.setTimeout(() => {
			app.said = `From ${duration(app.view.begin)} to ${duration(app.view.end)}`;
			app.tell('said');
		}, 600);
	});
}

/** Of a large file that is still being read: how far that is. */
async function sayProgress(text: Element, isHere: () => boolean): Promise<void> {
	const bar = document.createElement('progress');
	bar.ariaLabel = 'Read';
	const rest = (ms: number): Promise<void> => new Promise(done => setTimeout(() => whenSeen(done), ms));
	for (await rest(200); !isHere(); await rest(300)) {
		const loading = await api.get<Loading>('loading.json');
		if (isHere() || loading.over) return;
		const size = loading.file_bytes ? `, ${bytes(loading.file_bytes)}` : '';
		const share = loading.share === null ? '' : `${Math.floor(loading.share * 100)} %, `;
		text.textContent = `Reading ${oneLine(baseName(loading.file))}${size}: ${share}${count(loading.events)} records so far`;
		if (loading.share === null) continue;
		bar.value = loading.share;
		if (!bar.parentElement) text.after(bar);
	}
}

/** Comes once the file is read. */
async function readRecording(page: HTMLElement, of: number): Promise<Recording> {
	let isHere = false;
	const text = page.querySelector('.boot');
	const reading = api.get<Recording>('recording.json', { of: of || undefined }).finally(() => (isHere = true));
	// whoever cannot ask how far it is learns from the recording itself what is wrong
	if (text) sayProgress(text, () => isHere).catch(() => undefined);
	return reading;
}

/** The other one, of two that are compared. */
async function openBeside(page: HTMLElement, base: Recording): Promise<void> {
	const of = base.beside ?? 0;
	const other = await api.get<Recording>('recording.json', { of });
	const end = Math.max(base.end, other.end);
	const [before, after] = [new App(base, fromHash(host.place()).of, end), new App(other, of, end)];
	document.title = `${baseName(base.file)} → ${baseName(other.file)} · inftrace`;
	after.isQuiet = true;
	before.readHash();
	for (const app of [before, after]) {
		void new Reports(app).read();
		// two timelines have less room
		app.place = {
			...app.place,
			resources: app.place.resources ?? usualResources(app.recording).slice(0, 1),
		};
		app.setView(before.view);
	}
	page.textContent = '';
	render(
		<Compare
			base={before}
			fresh={after}
			onPlots={plots => (globalThis.inftrace = { app: before, beside: after, plots, host })}
		/>,
		page,
	);
	const repaint = (): void => {
		for (const app of [before, after]) {
			app.takeTheme();
			app.tell('place');
		}
	};
	host.onTheme(repaint);
	host.onPlace(() => before.readHash());
	api.server.changed = () => {
		for (const app of [before, after]) {
			app.isGone = api.server.isGone;
			app.tell('place');
		}
	};
	const nothing = (): void => undefined;
	hear(before, nothing, nothing);
	for (const app of [before, after]) void app.readNames().then(() => app.tell('data'));
}

async function open(): Promise<void> {
	const page = document.getElementById('page') as HTMLElement;
	try {
		const { of } = fromHash(host.place());
		const recording = await readRecording(page, of);
		if (recording.beside !== null) return await openBeside(page, recording);
		const app = new App(recording, of);
		const reports = new Reports(app);
		void reports.read();
		const reading = app.readNames().then(() => app.tell('data'));
		app.readHash();
		page.textContent = '';
		render(<Page app={app} onPlots={plots => (globalThis.inftrace = { app, plots, host })} />, page);
		const repaint = (): void => {
			app.takeTheme();
			app.tell('place');
		};
		host.onTheme(repaint);
		matchMedia('print').addEventListener('change', repaint);
		host.onPlace(() => app.readHash());
		api.server.changed = () => {
			app.isGone = api.server.isGone;
			if (app.isGone) app.isFollowing = false;
			app.tell('place');
			app.tell('data');
		};
		if (recording.live) watch(app, reports);
		else follow(app, reports);
		say(app);
		await reading;
	} catch (error) {
		page.textContent = '';
		const text = document.createElement('p');
		text.className = 'boot bad';
		text.setAttribute('role', 'alert');
		text.textContent = `The recording cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
		page.append(text);
	}
}

applyTheme();
void open();
