// SPDX-License-Identifier: Apache-2.0
// The keyboard: one table gives what keys do and what the help says.
import type { App } from './app';
import { around, pan } from './axis';
import { MODES } from './modes';
import { START } from './place';

export interface Actions {
	search(): void;
	goTo(): void;
	help(): void;
	settings(): void;
	/** All that can be done, by name. */
	commands(): void;
	/** Closes what is open on top; false where nothing is. */
	closeTop(): boolean;
	scroll(by: number): void;
	/** Where keys zoom: the pointer, else the middle. */
	centre(): number;
	selectHere(): void;
}

export interface Key {
	readonly keys: readonly string[];
	/** As people read them; '' leaves them out of the help. */
	readonly shown: string;
	readonly text: string;
	readonly run: (app: App, actions: Actions) => void;
}

const move = (share: number) => (app: App) => app.setView(pan(app.view, share, app.end));
const scale = (factor: number) => (app: App, actions: Actions) => app.zoomAt(actions.centre(), factor);

function fit(app: App): void {
	const { range } = app.place;
	if (app.slice) app.flyTo(around(app.slice.begin, app.slice.end, app.end));
	else if (range) app.flyTo(around(range[0], range[1], app.end, 0.02));
	else app.flyTo(app.all);
}

function ofName(app: App, dir: 'next' | 'prev'): void {
	const { slice, found, matches } = app;
	const isFound = slice && matches?.has(slice.name_number);
	if (found.length) void app.step(isFound ? slice.name_number : found[0].name, dir);
	else if (slice) void app.step(slice.name_number, dir);
}

function escape(app: App, actions: Actions): void {
	if (actions.closeTop()) return;
	const { selection, range, query, latency, measure } = app.place;
	if (selection) app.deselect();
	else if (query) app.go({ query: START.query });
	else if (latency) app.go({ latency: null });
	else if (measure) app.go({ measure: null });
	else if (range) app.go({ range: null });
	else if (app.mode !== 'move') app.setMode('move');
}

export const KEYS: readonly Key[] = [
	{ keys: ['w', '+', '='], shown: 'W  +', text: 'Zoom in', run: scale(1 / 1.4) },
	{ keys: ['s', '-'], shown: 'S  −', text: 'Zoom out', run: scale(1.4) },
	{ keys: ['a', 'ArrowLeft'], shown: 'A  ←', text: 'Earlier', run: move(-0.15) },
	{ keys: ['d', 'ArrowRight'], shown: 'D  →', text: 'Later', run: move(0.15) },
	{ keys: ['ArrowUp'], shown: '↑', text: 'Tracks above', run: (_, actions) => actions.scroll(-60) },
	{ keys: ['ArrowDown'], shown: '↓', text: 'Tracks below', run: (_, actions) => actions.scroll(60) },
	{
		keys: ['f'],
		shown: 'F',
		text: 'Fit the selection, the range or everything; live: follow, or stop following',
		run: app => (app.recording.live ? app.follow(!app.isFollowing) : fit(app)),
	},
	{ keys: [' '], shown: 'Space', text: 'Live: pause, or go on', run: app => app.pause(!app.isPaused) },
	{ keys: ['0'], shown: '0', text: 'Show everything', run: app => app.flyTo(app.all) },
	{ keys: ['z', 'Backspace'], shown: 'Z', text: 'The view before', run: app => app.undoView() },
	{ keys: ['g'], shown: 'G', text: 'Go to a time', run: (_, actions) => actions.goTo() },
	{ keys: ['/'], shown: '/', text: 'Search names', run: (_, actions) => actions.search() },
	{ keys: ['n'], shown: 'N', text: 'Next that was found, or of this name', run: app => ofName(app, 'next') },
	{
		keys: ['N'],
		shown: 'Shift N',
		text: 'Previous that was found, or of this name',
		run: app => ofName(app, 'prev'),
	},
	{
		keys: [']'],
		shown: ']',
		text: 'Next slice of this name',
		run: app => app.slice && void app.step(app.slice.name_number, 'next'),
	},
	{
		keys: ['['],
		shown: '[',
		text: 'Previous slice of this name',
		run: app => app.slice && void app.step(app.slice.name_number, 'prev'),
	},
	{ keys: ['.'], shown: '.', text: 'Next slice in the row', run: app => void app.neighbour(1) },
	{ keys: [','], shown: ',', text: 'Previous slice in the row', run: app => void app.neighbour(-1) },
	{
		keys: ['p'],
		shown: 'P',
		text: 'Parent of the slice',
		run: app => app.slice?.parent && void app.select(app.slice.parent.row, app.slice.parent.index),
	},
	{
		keys: ['Enter'],
		shown: 'Enter',
		text: 'Select a slice that is on the screen',
		run: (_, actions) => actions.selectHere(),
	},
	...MODES.map(([mode, key, text]) => ({
		keys: [key],
		shown: key,
		text,
		run: (app: App) => app.setMode(mode),
	})),
	{
		keys: ['r'],
		shown: 'R',
		text: 'Filter the tables to what is on the screen',
		run: app => app.go({ range: [app.view.begin, app.view.end] }),
	},
	{
		keys: ['v'],
		shown: 'V',
		text: 'Fold or open the answer',
		run: app => app.go({ answer: !app.place.answer }, false),
	},
	{
		keys: ['m'],
		shown: 'M',
		text: 'Note at the pointer',
		run: (app, actions) => app.edit(actions.centre()),
	},
	{ keys: ['k'], shown: 'K', text: 'Commands by name', run: (_, actions) => actions.commands() },
	{ keys: ['o'], shown: 'O', text: 'Settings', run: (_, actions) => actions.settings() },
	{ keys: ['?'], shown: '?', text: 'This help', run: (_, actions) => actions.help() },
	{ keys: ['Escape'], shown: 'Esc', text: 'Close, deselect, remove search, measure and range', run: escape },
];

export const MOUSE: readonly (readonly [string, string])[] = [
	['Wheel, pinch', 'Zoom at the pointer'],
	['Shift wheel, drag', 'Move'],
	['Alt wheel', 'Tracks above or below'],
	['Shift drag, drag on the time axis', 'Choose a range'],
	['Drag as 1, 2 or 3 says', 'Move, choose a range, or measure'],
	['Click', 'Select a slice'],
	['Double-click', 'Zoom to a slice'],
];

const isText = (target: EventTarget | null): boolean =>
	target instanceof HTMLInputElement ||
	target instanceof HTMLSelectElement ||
	target instanceof HTMLTextAreaElement;

export function listen(app: App, actions: Actions): () => void {
	const onKey = (event: KeyboardEvent): void => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
		if (isText(event.target) && event.key !== 'Escape') return;
		const isPressed =
			event.target instanceof HTMLButtonElement && (event.key === 'Enter' || event.key === ' ');
		const key = isPressed
			? undefined
			: KEYS.find(one => one.keys.includes(event.key) || one.keys.includes(lower(event)));
		if (!key) return;
		event.preventDefault();
		key.run(app, actions);
	};
	addEventListener('keydown', onKey);
	return () => removeEventListener('keydown', onKey);
}

/** Letters with caps lock count as without, but N is not n. */
const lower = (event: KeyboardEvent): string =>
	event.key === 'N' ? 'N' : event.key.length === 1 ? event.key.toLowerCase() : event.key;
