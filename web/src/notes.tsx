// SPDX-License-Identifier: Apache-2.0
// The reader's notes on the timeline: a flag on the time axis with a line below it. They are part of the link.
import { useState } from 'preact/hooks';
import type { App } from './app';
import { span } from './axis';
import { Dialog } from './dialogs';
import { exact, oneLine } from './format';
import { MOST_NOTES, type Note } from './place';
import { useApp } from './use';

/** In the overlay of the plots, which is as wide as they are. */
export function Notes({ app }: { app: App }) {
	useApp(app, 'place', 'view');
	const share = (note: Note): number => (note.time - app.view.begin) / span(app.view);
	const shown = app.place.notes.filter(note => share(note) >= 0 && share(note) <= 1);
	// as far as the next one: flags on each other would read as one text
	const roomOf = (i: number): number => (i + 1 < shown.length ? share(shown[i + 1]) : 1) - share(shown[i]);
	return (
		<>
			{shown.map((note, i) => (
				<div
					key={note.time}
					class="note"
					style={{ left: `${share(note) * 100}%`, width: `${roomOf(i) * 100}%` }}
				>
					<button
						class={share(note) > 0.8 ? 'before' : ''}
						title={`${oneLine(note.text)} (${exact(note.time)})`}
						onClick={() => app.edit(note.time)}
					>
						{oneLine(note.text) || 'Note'}
					</button>
				</div>
			))}
		</>
	);
}

/** A new note at app.edited, or the one that is there. */
export function NoteDialog({ app, time }: { app: App; time: number }) {
	const old = app.place.notes.find(note => note.time === time);
	const [text, setText] = useState(old?.text ?? '');
	const others = app.place.notes.filter(note => note.time !== time);
	const isFull = others.length >= MOST_NOTES;
	const close = (): void => app.edit(null);
	const keep = (notes: readonly Note[]): void => {
		app.go({ notes });
		close();
	};
	return (
		<Dialog title={`Note at ${exact(time)}`} close={close}>
			<form
				onSubmit={event => {
					event.preventDefault();
					if (isFull) return;
					keep([...others, { time, text: text.trim() }].sort((a, b) => a.time - b.time));
				}}
			>
				<label>
					What is there
					<input
						maxLength={80}
						value={text}
						onInput={event => setText(event.currentTarget.value)}
					/>
				</label>
				<p class="dim">
					{isFull
						? `There are ${MOST_NOTES} notes, which is as many as a link holds.`
						: 'Notes are kept in the link to this page.'}
				</p>
				<p class="deeds">
					{old && (
						<button type="button" onClick={() => keep(others)}>
							Remove
						</button>
					)}
					<button class="main" disabled={isFull}>
						Keep
					</button>
				</p>
			</form>
		</Dialog>
	);
}
