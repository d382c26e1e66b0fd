// SPDX-License-Identifier: Apache-2.0
// What dragging on the timeline does, and the line that says what one may not know.
import type { App } from './app';
import { useApp } from './use';

export type Mode = 'move' | 'range' | 'measure';

/** Name, key, what it does, and the strokes of its picture in a square of 16. */
export const MODES: readonly (readonly [Mode, string, string, string])[] = [
	['move', '1', 'Drag moves the timeline', 'M8 1v14M1 8h14M6 3l2-2 2 2M6 13l2 2 2-2M3 6L1 8l2 2M13 6l2 2-2 2'],
	['range', '2', 'Drag chooses a range', 'M3 2v12M13 2v12M3 8h10M5 6L3 8l2 2M11 6l2 2-2 2'],
	['measure', '3', 'Drag measures between two points', 'M1 5h14v6H1zM4 5v3M7 5v4M10 5v3M13 5v3'],
];

export function Modes({ app }: { app: App }) {
	useApp(app, 'place');
	return (
		<span class="segments modes" role="group" aria-label="Dragging">
			{MODES.map(([mode, key, text, picture]) => (
				<button
					key={mode}
					aria-pressed={app.mode === mode}
					aria-label={text}
					title={`${text} (${key})`}
					onClick={() => app.setMode(mode)}
				>
					<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
						<path d={picture} />
					</svg>
				</button>
			))}
		</span>
	);
}

/** For a moment; screen readers hear it. */
export function Hint({ app }: { app: App }) {
	useApp(app, 'hint');
	return (
		<p class={app.hint ? 'hint on' : 'hint'} role="status">
			{app.hint}
		</p>
	);
}
