// SPDX-License-Identifier: Apache-2.0
// What a reader may choose for all recordings.
import { useState } from 'preact/hooks';
import type { App } from './app';
import { Dialog } from './dialogs';
import { host } from './host';
import { CHOICES, choose, settings, USUAL } from './settings';

type Key = keyof typeof CHOICES;

const ROWS: readonly (readonly [Key, string, Readonly<Record<string, string>>])[] = [
	['theme', 'Colors', { host: 'of the system', light: 'light', dark: 'dark' }],
	[
		'tables',
		'Tables',
		{
			auto: 'beside the timeline in a wide window',
			below: 'below the timeline',
			beside: 'beside the timeline',
		},
	],
	['wheel', 'Wheel', { zoom: 'zooms', scroll: 'scrolls the tracks; with Ctrl it zooms' }],
	['folds', 'After a zoom', { yes: 'the answer folds to one line', no: 'the answer stays as it is' }],
];

export function SettingsDialog({ app, close }: { app: App; close: () => void }) {
	const [now, setNow] = useState(settings());
	const take = (change: Partial<typeof now>): void => {
		choose(change);
		setNow(settings());
		app.takeTheme();
		app.tell('place');
	};
	// an editor has themes of its own
	const rows = ROWS.filter(([key]) => key !== 'theme' || !host.isEditor);
	return (
		<Dialog title="Settings" close={close}>
			<form class="settings" onSubmit={event => event.preventDefault()}>
				{rows.map(([key, title, words]) => (
					<label key={key}>
						<span>{title}</span>
						<select
							value={now[key]}
							onChange={event => take({ [key]: event.currentTarget.value })}
						>
							{CHOICES[key].map(value => (
								<option key={value} value={value}>
									{words[value]}
								</option>
							))}
						</select>
					</label>
				))}
				<p class="dim">
					They hold for every recording, as do heights and columns that were chosen.
				</p>
				<p>
					<button
						type="button"
						onClick={() => {
							app.go({ tall: null }, false);
							take(USUAL);
						}}
					>
						As it was at first
					</button>
				</p>
			</form>
		</Dialog>
	);
}
