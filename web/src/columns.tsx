// SPDX-License-Identifier: Apache-2.0
// Which columns of a table are shown: those that hold something and have room, or those that the reader has chosen.
import type { Cell, Column } from './api';
import { usePopover } from './use';

export type Values = (column: string) => Cell | undefined;

/** A column that the page adds from what it knows, behind the column `after`. */
export interface Extra {
	readonly column: Column;
	readonly after: string;
	readonly of: (value: Values) => Cell;
}

/** i: of the server's columns; -1: the page has added it. */
export interface Shown {
	readonly column: Column;
	readonly i: number;
}

/** Columns for the page, not for people. */
const HIDDEN = new Set(['row', 'index', 'name_number', 'class', 'track', 'counter', 'unit']);

/** Columns that say something only where they differ. */
const MARGINAL = /^(model|session|elements|pid|status|batch|first|provider|failed|cut|measured)$/;

/** A reason is as wide as the longest that is there, within bounds; a longer one has two lines. */
const LETTER = 6.6;
const REASON = { least: 200, most: 560, part: 0.45 };

/** Beside the columns. */
export const MARGINS = 94;

/** Least width, and how it grows: fr of what is left, or nothing. letters: of the longest reason. */
export function widthOf(column: Column, i: number, letters: number, room: number): readonly [number, number] {
	if (column.type === 'time') return [122, 0.3];
	if (column.type === 'number') return [Math.max(78, 40 + column.title.length * 7.6), 0.5];
	const most = Math.max(REASON.least, Math.min(REASON.most, room * REASON.part));
	if (column.name === 'why') return [Math.min(most, Math.max(REASON.least, 24 + letters * LETTER)), 8];
	if (column.name === 'model') return [176, 1.4];
	return i === 0 ? [190, 2.2] : [120, 1.4];
}

export const hasTwoLines = (letters: number, width: number): boolean => 24 + letters * LETTER > width;

/** All that a reader may want to see, with the one that the page adds. */
export function columnsOf(columns: readonly Column[], extra: Extra | undefined): Shown[] {
	const out: Shown[] = columns.map((column, i) => ({ column, i }));
	if (extra)
		out.splice(out.findIndex(({ column }) => column.name === extra.after) + 1, 0, {
			column: extra.column,
			i: -1,
		});
	return out.filter(({ column }) => !HIDDEN.has(column.name));
}

/** Those that hold something in some rows: not what is empty, and not what is the same everywhere and only then of use. */
export function tellingColumns(all: readonly Shown[], rows: readonly (readonly Cell[])[]): readonly Shown[] {
	const isEmpty = (i: number): boolean => rows.length > 0 && rows.every(row => row[i] === null || row[i] === '');
	const isSame = (i: number): boolean => rows.length > 2 && rows.every(row => row[i] === rows[0][i]);
	return all.filter(({ column, i }) => i < 0 || (!isEmpty(i) && !(MARGINAL.test(column.name) && isSame(i))));
}

/** The first ones, as far as they have room; never fewer than two. */
export function fittingColumns(all: readonly Shown[], room: number, letters: number): readonly Shown[] {
	let width = MARGINS;
	return all.filter(({ column }, i) => {
		const own = widthOf(column, i, letters, room)[0];
		if (i >= 2 && width + own > room) return false;
		width += own;
		return true;
	});
}

interface ChooserProps {
	readonly all: readonly Shown[];
	readonly shown: readonly Shown[];
	/** null: those that have room. */
	readonly onChoose: (names: readonly string[] | null) => void;
	readonly isChosen: boolean;
}

/** Beside its button, where the window has more room: tables are often low, and would cut it off. */
function placeBeside(button: DOMRect): Record<string, string> {
	const right = `${innerWidth - button.right}px`;
	const below = innerHeight - button.bottom;
	return below > button.top
		? { right, top: `${button.bottom + 4}px`, maxHeight: `${below - 12}px` }
		: { right, bottom: `${innerHeight - button.top + 4}px`, maxHeight: `${button.top - 12}px` };
}

export function ColumnChooser({ all, shown, onChoose, isChosen }: ChooserProps) {
	const { box, isOpen, setOpen, onKeyDown } = usePopover();
	const names = new Set(shown.map(({ column }) => column.name));
	const more = all.length - shown.length;
	const toggle = (name: string): void => {
		onChoose(all.map(({ column }) => column.name).filter(one => names.has(one) !== (one === name)));
	};
	return (
		<span class="column-chooser" ref={box} onKeyDown={onKeyDown}>
			<button aria-expanded={isOpen} title="Choose columns" onClick={() => setOpen(!isOpen)}>
				{more > 0 ? `${more} more` : 'Columns'} <span class="caret open" aria-hidden="true" />
			</button>
			{isOpen && (
				<span
					class="popover"
					role="dialog"
					aria-label="Choose columns"
					style={placeBeside(
						(box.current?.firstElementChild as Element).getBoundingClientRect(),
					)}
				>
					<span class="choices">
						{all.map(({ column }) => (
							<label key={column.name}>
								<input
									type="checkbox"
									checked={names.has(column.name)}
									disabled={
										shown.length === 1 &&
										names.has(column.name)
									}
									onChange={() => toggle(column.name)}
								/>
								<span>{column.title}</span>
							</label>
						))}
					</span>
					{isChosen && (
						<button onClick={() => onChoose(null)}>As many as have room</button>
					)}
				</span>
			)}
		</span>
	);
}
