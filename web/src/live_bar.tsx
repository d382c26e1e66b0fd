// SPDX-License-Identifier: Apache-2.0
// What a live page has in its head: whether it goes on, and the buttons for that; and what it has left out.
import { useState } from 'preact/hooks';
import type { App } from './app';
import { bytes, count, duration, oneLine } from './format';
import { Record } from './record';

export function LiveState({ app }: { app: App }) {
	const [isOpen, setOpen] = useState(false);
	const { live } = app.recording;
	if (!live) return null;
	const word = app.isGone
		? 'ended'
		: live.problem
			? 'idle'
			: live.over
				? 'complete'
				: app.isPaused
					? 'paused'
					: 'live';
	const isOn = word === 'live' || word === 'paused';
	return (
		<span class="live-bar" role="group" aria-label="Live">
			<span class={`live-state ${word}`} role="status">
				<i />
				{word}
			</span>
			{isOn && (
				<>
					<button
						aria-pressed={app.isFollowing}
						title="Go on with the newest (F)"
						onClick={() => app.follow(!app.isFollowing)}
					>
						Follow
					</button>
					<button
						aria-pressed={app.isPaused}
						title="The page stands still; recording goes on (Space)"
						onClick={() => app.pause(!app.isPaused)}
					>
						{app.isPaused ? 'Go on' : 'Pause'}
					</button>
				</>
			)}
			{!app.isGone && (
				<button title="Record a program or a model to a file" onClick={() => setOpen(true)}>
					Record…
				</button>
			)}
			{isOpen && <Record close={() => setOpen(false)} />}
		</span>
	);
}

const ago = (app: App, time: number): string => duration(Math.max(0, app.end - time), 2);

const GONE = 'inftrace has ended. What is on the screen stays; nothing more can be asked for.';

function Notes({ notes }: { notes: readonly string[] }) {
	return (
		<>
			{notes.map(note => (
				<p
					key={note.slice(0, 12)}
					class={note.startsWith('inftrace has ended') ? 'live-note gone' : 'live-note'}
					role={note.startsWith('inftrace has ended') ? 'alert' : 'note'}
				>
					{note}
				</p>
			))}
		</>
	);
}

/** What is not on the page, and why. */
export function LiveNotes({ app }: { app: App }) {
	const { live } = app.recording;
	if (!live) return app.isGone ? <Notes notes={[GONE]} /> : null;
	const notes: string[] = [];
	if (live.problem) notes.push(`${oneLine(live.problem)}. Without that, Record… can run model files.`);
	if (app.isGone)
		notes.push(
			live.file
				? `inftrace has ended. The whole recording is in ${oneLine(live.file)}: inftrace view shows it.`
				: GONE,
		);
	else if (live.over && live.file) notes.push(`The recording is complete. It is in ${oneLine(live.file)}.`);
	if (live.operators_left_out)
		notes.push(
			`To fit into ${bytes(live.max_bytes)}, ${count(live.operators_left_out)} operators that began more than ` +
				`${ago(app, live.operators_from)} ago were left out` +
				(live.inferences_left_out
					? `, and ${count(live.inferences_left_out)} inferences of more than ${ago(app, live.inferences_from)} ago`
					: '') +
				'; the slowest and the failed inferences are all here. The answer above and, without a range, the tables of models and operators count everything.',
		);
	if (live.not_kept)
		notes.push(
			`Out of memory: the last ${count(live.not_kept)} events are not on this page. Recording goes on.`,
		);
	return <Notes notes={notes} />;
}
