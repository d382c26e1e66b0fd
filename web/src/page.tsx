// SPDX-License-Identifier: Apache-2.0
// The frame of the page.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Answer } from './answer';
import type { Recording } from './api';
import type { App } from './app';
import { CopyLink } from './copy';
import { Details } from './details';
import { GoTo, Help } from './dialogs';
import { baseName, commandName, bytes, count, duration, oneLine } from './format';
import { host } from './host';
import { listen, type Actions } from './keys';
import { LiveNotes, LiveState } from './live_bar';
import { Open } from './open';
import { Palette } from './palette';
import type { Plots } from './plots';
import { Search } from './search';
import { choose, settings } from './settings';
import { SettingsDialog } from './settings_dialog';
import { Tables } from './tables';
import { Timeline } from './timeline';
import { useApp, useNarrow, useWide } from './use';

/** That of the file; a live page without one has the name of what runs. */
function nameOf({ file, live }: Recording): string {
	if (!live) return baseName(file);
	return live.file ? baseName(live.file) : commandName(file);
}

function Header({ app, actions }: { app: App; actions: Actions }) {
	const { recording } = app;
	const { live } = recording;
	const name = nameOf(recording);
	const title = live && !live.over ? `live: ${name}` : name;
	useEffect(() => {
		document.title = `${title} · inftrace`;
	}, [title]);
	return (
		<header class="head">
			{!host.isEditor && <img src="icon.svg" alt="" width="22" height="22" />}
			<h1 title={oneLine(live?.file ?? recording.file)}>{name}</h1>
			<p class="facts">
				{live?.file && (
					<span title={oneLine(recording.file)}>{commandName(recording.file)}</span>
				)}
				<span>{duration(recording.end)}</span>
				<span>{`${count(recording.events)} ${recording.events === 1 ? 'event' : 'events'}`}</span>
				<span title="Memory that inftrace view uses for it">
					{bytes(recording.memory_bytes)}
					{recording.events >= 100000 &&
						`, ${Math.round(recording.bytes_per_event)} bytes an event`}
				</span>
				{recording.growing && !live && <span class="live">growing</span>}
			</p>
			<LiveState app={app} />
			<Search app={app} />
			<CopyLink app={app} />
			<Open app={app} />
			<button class="quiet" onClick={actions.settings} aria-label="Settings" title="Settings (O)">
				<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
					<path d="M1 4h7M12 4h3M8 2v4M12 2v4M8 2h4M8 6h4M1 12h3M8 12h7M4 10v4M8 10v4M4 10h4M4 14h4" />
				</svg>
			</button>
			<button
				class="quiet"
				onClick={actions.help}
				aria-label="Keys and mouse"
				title="Keys and mouse (?)"
			>
				?
			</button>
		</header>
	);
}

interface Border {
	/** The part that the tables have. */
	readonly share: number;
	readonly setShare: (share: number | null) => void;
	readonly isBeside: boolean;
}

/** The border between timeline and tables, which can be moved. */
function Splitter({ share, setShare, isBeside }: Border) {
	const limit = (value: number): number => Math.min(0.8, Math.max(0.15, value));
	const box = useRef<HTMLDivElement>(null);
	const move = (event: PointerEvent): void => {
		const parent = box.current?.parentElement;
		if (!parent || !event.currentTarget || !(event.buttons & 1)) return;
		const { top, height, left, width } = parent.getBoundingClientRect();
		setShare(limit(1 - (isBeside ? (event.clientX - left) / width : (event.clientY - top) / height)));
	};
	return (
		<div
			ref={box}
			class="splitter"
			role="separator"
			aria-orientation={isBeside ? 'vertical' : 'horizontal'}
			aria-label={isBeside ? 'Width of the tables' : 'Height of the tables'}
			aria-valuenow={Math.round(share * 100)}
			aria-valuemin={15}
			aria-valuemax={80}
			tabIndex={0}
			onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
			onPointerMove={move}
			onDblClick={() => setShare(null)}
			onKeyDown={event => {
				const steps: Record<string, number> = isBeside
					? { ArrowLeft: 0.04, ArrowRight: -0.04 }
					: { ArrowUp: 0.04, ArrowDown: -0.04 };
				const by = steps[event.key];
				if (!by) return;
				setShare(limit(share + by));
				event.preventDefault();
				event.stopPropagation();
			}}
		/>
	);
}

/** Where the tables are, and how much room they have: as a link says, else as the reader wants it everywhere. */
function useBorder(app: App): Border {
	const { tables, tall, wide } = settings();
	const isWide = useWide();
	const isNarrow = useNarrow();
	const isBeside = !isNarrow && (tables === 'beside' || (tables === 'auto' && isWide));
	// where the window is as narrow as a tablet, the histogram lies above the rows
	const usual = isBeside ? 38 : matchMedia('(max-width: 800px)').matches ? 42 : 32;
	const share = (isBeside ? wide : (app.place.tall ?? tall)) ?? usual;
	const setShare = (to: number | null): void => {
		const percent = to === null ? null : Math.round(to * 100);
		choose(isBeside ? { wide: percent } : { tall: percent });
		app.go(isBeside ? {} : { tall: percent }, false);
	};
	return { share: share / 100, setShare, isBeside };
}

function selectHere(app: App, plots: Plots): void {
	const x = plots.pointer ?? plots.width / 2;
	const { area } = plots;
	for (let y = 4; y < area.height; y += 10) {
		const hit = plots.hit(x, y);
		if (hit?.slice) {
			void app.select(hit.row, hit.slice.index, false);
			return;
		}
	}
}

/** For screen readers. */
function Said({ app }: { app: App }) {
	useApp(app, 'said');
	return (
		<p class="said" role="status" aria-live="polite">
			{app.said}
		</p>
	);
}

type Over = 'help' | 'goto' | 'commands' | 'settings' | null;

function actionsOf(app: App, plots: () => Plots | null, over: Over, setOver: (over: Over) => void): Actions {
	return {
		search: () => document.getElementById('search')?.focus(),
		goTo: () => setOver('goto'),
		help: () => setOver('help'),
		settings: () => setOver('settings'),
		commands: () => setOver('commands'),
		closeTop: () => {
			if (over) setOver(null);
			return over !== null;
		},
		scroll: by => plots()?.at.scroller.scrollBy({ top: by }),
		centre: () => {
			const at = plots();
			return at && at.pointer !== null ? at.timeOf(at.pointer) : (app.view.begin + app.view.end) / 2;
		},
		selectHere: () => {
			const at = plots();
			if (at) selectHere(app, at);
		},
	};
}

export function Page({ app, onPlots }: { app: App; onPlots: (plots: Plots) => void }) {
	useApp(app, 'place', 'slice');
	const [over, setOver] = useState<Over>(null);
	const border = useBorder(app);
	const plots = useRef<Plots | null>(null);
	const get = (): Plots | null => plots.current;
	const actions = actionsOf(app, get, over, setOver);
	// at once: the next key may follow the close of a dialog directly
	useLayoutEffect(() => listen(app, actions), [app, over]);
	const hasDetails = app.slice !== null && app.place.selection !== null;
	const isNarrow = useNarrow();
	// a link to a part of the time is about the timeline
	const [isOpen, setOpen] = useState(app.place.view !== null);
	const isFolded = isNarrow && !isOpen;
	const timeline = (
		<Timeline
			key="timeline"
			app={app}
			onPlots={made => {
				plots.current = made;
				onPlots(made);
			}}
		/>
	);
	const parts = `minmax(0, ${1 - border.share}fr) auto minmax(0, ${border.share}fr)`;
	const splitter = <Splitter key="splitter" {...border} />;
	const below = (
		<div key="below" class={hasDetails ? 'below with-details' : 'below'}>
			<Tables app={app} plots={get} />
			<Details app={app} />
		</div>
	);
	const unfold = (
		<button key="unfold" class="unfold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
			<span class={isOpen ? 'caret open' : 'caret'} aria-hidden="true" /> Timeline
		</button>
	);
	return (
		<>
			<nav aria-label="Skip">
				<a
					class="skip"
					href="#tables"
					onClick={event => (
						event.preventDefault(),
						document.getElementById(`tab-${app.place.tab}`)?.focus()
					)}
				>
					To the tables
				</a>
			</nav>
			<Header app={app} actions={actions} />
			<Answer app={app} />
			<LiveNotes app={app} />
			<main
				class={`${isFolded ? 'folded' : ''} ${border.isBeside ? 'beside' : ''}`}
				style={{ [border.isBeside ? 'gridTemplateColumns' : 'gridTemplateRows']: parts }}
			>
				{isNarrow ? [below, unfold, timeline] : [timeline, splitter, below]}
			</main>
			{app.trouble && (
				<p class="trouble" role="alert">
					{oneLine(app.trouble)}
					<button
						onClick={() => ((app.trouble = ''), app.tell('place'))}
						aria-label="Close the message"
					>
						×
					</button>
				</p>
			)}
			<Said app={app} />
			{over === 'settings' && <SettingsDialog app={app} close={() => setOver(null)} />}
			{over === 'help' && <Help close={() => setOver(null)} />}
			{over === 'commands' && <Palette app={app} actions={actions} close={() => setOver(null)} />}
			{over === 'goto' && <GoTo app={app} close={() => setOver(null)} />}
		</>
	);
}
