// SPDX-License-Identifier: Apache-2.0
// All that keys and tabs do, by name.
import { useState } from 'preact/hooks';
import type { App } from './app';
import { Dialog } from './dialogs';
import { KEYS, type Actions } from './keys';
import { tabsOf, TITLES } from './tables';

interface Command {
	readonly name: string;
	readonly key: string;
	readonly run: () => void;
}

function commandsOf(app: App, actions: Actions): readonly Command[] {
	const keys = KEYS.filter(key => !key.keys.includes('Escape') && !key.keys.includes('k'));
	return [
		...keys.map(key => ({ name: key.text, key: key.shown, run: () => key.run(app, actions) })),
		...tabsOf(app).map(tab => ({
			name: `Table: ${TITLES[tab]}`,
			key: '',
			run: () => app.go({ tab, sub: '', sort: '', filter: '' }),
		})),
	];
}

export function Palette({ app, actions, close }: { app: App; actions: Actions; close: () => void }) {
	const [text, setText] = useState('');
	const [at, setAt] = useState(0);
	const words = text.toLowerCase().split(/\s+/);
	const found = commandsOf(app, actions).filter(({ name }) =>
		words.every(word => name.toLowerCase().includes(word)),
	);
	const choose = (command: Command | undefined): void => {
		if (!command) return;
		close();
		// what the command opens is not to be closed with this
		setTimeout(command.run);
	};
	const onKey = (event: KeyboardEvent): void => {
		const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (!by) return;
		event.preventDefault();
		const to = Math.min(found.length - 1, Math.max(0, at + by));
		setAt(to);
		document.getElementById(`command-${to}`)?.scrollIntoView({ block: 'nearest' });
	};
	return (
		<Dialog title="Commands" close={close}>
			<form class="palette" onSubmit={event => (event.preventDefault(), choose(found[at]))}>
				<input
					type="text"
					role="combobox"
					aria-label="Command"
					aria-expanded
					aria-controls="commands"
					aria-activedescendant={found[at] ? `command-${at}` : undefined}
					placeholder="zoom, range, operators …"
					autocomplete="off"
					spellcheck={false}
					value={text}
					onKeyDown={onKey}
					onInput={event => {
						setText(event.currentTarget.value);
						setAt(0);
					}}
				/>
				<ul id="commands" role="listbox" aria-label="Commands">
					{found.length === 0 && <li class="dim">No command is called this.</li>}
					{found.map((command, i) => (
						<li
							key={command.name}
							id={`command-${i}`}
							role="option"
							aria-selected={i === at}
							onClick={() => choose(command)}
						>
							<span>{command.name}</span>
							{command.key && <kbd>{command.key}</kbd>}
						</li>
					))}
				</ul>
			</form>
		</Dialog>
	);
}
