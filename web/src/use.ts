// SPDX-License-Identifier: Apache-2.0
// Hooks that the parts of the page share.
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import * as api from './api';
import type { App, Change } from './app';

/** Draws the part anew when one of these things changes; it listens before anything else can happen. */
export function useApp(app: App, ...changes: Change[]): void {
	const [, again] = useReducer((n: number) => n + 1, 0);
	useLayoutEffect(() => app.listen(change => changes.includes(change) && again(undefined)), [app]);
}

function useMedia(media: string): boolean {
	const [isSo, setSo] = useState(matchMedia(media).matches);
	useEffect(() => {
		const query = matchMedia(media);
		const changed = (): void => setSo(query.matches);
		query.addEventListener('change', changed);
		changed();
		return () => query.removeEventListener('change', changed);
	}, [media]);
	return isSo;
}

/** A window as narrow as a phone: what matters comes first, and only the page scrolls. */
export const useNarrow = (): boolean => useMedia('(max-width: 480px)');

/** A window that has room for tables beside the timeline. */
export const useWide = (): boolean => useMedia('(min-width: 1800px)');

/** What opens from a button in the same box: Escape, or a click elsewhere, closes it. */
export function usePopover() {
	const [isOpen, setOpen] = useState(false);
	const box = useRef<HTMLSpanElement>(null);
	useEffect(() => {
		const away = (event: PointerEvent): void => {
			if (!box.current?.contains(event.target as Node)) setOpen(false);
		};
		addEventListener('pointerdown', away);
		return () => removeEventListener('pointerdown', away);
	}, []);
	const onKeyDown = (event: KeyboardEvent): void => {
		if (event.key !== 'Escape' || !isOpen) return;
		setOpen(false);
		event.stopPropagation();
	};
	return { box, isOpen, setOpen, onKeyDown };
}

export interface Answer<T> {
	readonly data: T | null;
	readonly error: string;
	readonly isLoading: boolean;
}

/** What the server answers, again for each version; the last answer stays until the next has come. */
export function useAnswer<T>(app: App, path: string, asked: api.Asked, version = 0): Answer<T> {
	const [answer, setAnswer] = useState<Answer<T>>({ data: null, error: '', isLoading: true });
	const key = JSON.stringify([app.of, path, asked, version]);
	const shown = useRef('');
	useEffect(() => {
		const abort = new AbortController();
		setAnswer(old => ({ ...old, isLoading: true }));
		app.get<T>(path, asked, abort.signal).then(
			data => {
				shown.current = key;
				setAnswer({ data, error: '', isLoading: false });
			},
			error => {
				if (abort.signal.aborted) return;
				// a live recording has changed meanwhile: the next answer comes in a moment
				const isBusy = error instanceof api.Refused && error.status === 503;
				setAnswer(old =>
					isBusy && old.data
						? { ...old, isLoading: false }
						: { data: null, error: (error as Error).message, isLoading: false },
				);
			},
		);
		return () => abort.abort();
	}, [key]);
	return answer;
}
