// SPDX-License-Identifier: Apache-2.0
// A table of any length: only the rows on the screen exist; pages are asked for as they come into sight.
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import * as api from './api';
import type { Cell, Column, Table } from './api';
import { count, inUnit, oneLine, timeAt, words } from './format';
import { useNarrow } from './use';

const LINE = 26;
const PAGE = 100;
/** Of a narrow window, where rows are cards and only the page scrolls. */
const CARDS = 20;
/** Columns for the page, not for people. */
const HIDDEN = new Set(['row', 'index', 'name_number', 'class', 'track', 'counter', 'unit']);

/** Numbers that name something, and are not counted. */
const NUMBERS = /^(pid|tid|thread|id|inference|session)$/;

/** Columns that say something only where they differ. */
const MARGINAL = /^(model|session|elements|pid|status|batch|first|provider|failed|cut|measured)$/;

export interface GridProps {
	readonly what: string;
	readonly get: <T>(path: string, asked: api.Asked) => Promise<T>;
	readonly asked: api.Asked;
	/** All rows, where the page has them: then the server is not asked. */
	readonly table?: Table | null;
	/** Rows are asked for again when it changes. */
	readonly version: number;
	readonly sort: string;
	readonly onSort: (sort: string) => void;
	readonly onSelect: (value: Values) => void;
	readonly isSelected: (value: Values) => boolean;
	readonly label: string;
	/** A column that the page adds from what it knows, behind the column `after`. */
	readonly extra?: Extra;
	/** The colour of a row, for the swatch in its first cell. */
	readonly colour?: (value: Values) => string | null;
	/** All columns are the reader's own: none is left out. */
	readonly isWhole?: boolean;
}

export type Values = (column: string) => Cell | undefined;

export interface Extra {
	readonly column: Column;
	readonly after: string;
	readonly of: (value: Values) => Cell;
}

interface Pages {
	key: string;
	columns: readonly Column[];
	total: number;
	pages: Map<number, readonly (readonly Cell[])[]>;
	asked: Set<number>;
	error: string;
}

function cellText(value: Cell | undefined, column: Column, unit: string): string {
	// of inferences; resources have a first value of this name
	if (column.name === 'first' && column.title !== 'First') return value === 1 ? 'yes' : 'no';
	if (value === null || value === undefined || value === '') return '–';
	if (typeof value === 'number' && NUMBERS.test(column.name)) return String(value);
	if (typeof value === 'number') return column.type === 'time' ? timeAt(value, 1e3, 1e9) : inUnit(value, unit);
	if (typeof value === 'boolean') return value ? 'yes' : 'no';
	return column.name === 'why' ? words(value) : oneLine(value);
}

/** Least width, and how it grows: fr of what is left, or nothing. */
function widthOf(column: Column, i: number): readonly [number, number] {
	if (column.type === 'time') return [122, 0.3];
	if (column.type === 'number') return [Math.max(78, 40 + column.title.length * 7.6), 0.5];
	if (column.name === 'why') return [360, 8];
	if (column.name === 'model') return [176, 1.4];
	return i === 0 ? [190, 2.2] : [120, 1.4];
}

function usePages(props: GridProps) {
	const key = JSON.stringify([props.what, props.asked, props.sort, props.version]);
	const [, again] = useReducer((n: number) => n + 1, 0);
	const pages = useRef<Pages>({ key: '', columns: [], total: 0, pages: new Map(), asked: new Set(), error: '' });
	const wanted = useRef(key);
	wanted.current = key;
	const load = (page: number): void => {
		const at = pages.current;
		const isNew = at.key !== key;
		if (!isNew && at.asked.has(page)) return;
		if (!isNew) at.asked.add(page);
		const [column, dir] = props.sort.split('.');
		props.get<Table>('table', {
			what: props.what,
			...props.asked,
			sort: column,
			dir: column ? dir : undefined,
			offset: page * PAGE,
			limit: PAGE,
		}).then(
			table => {
				if (wanted.current !== key) return;
				const now = pages.current;
				if (now.key !== key)
					pages.current = {
						key,
						columns: table.columns,
						total: table.total,
						pages: new Map(),
						asked: new Set([page]),
						error: '',
					};
				pages.current.pages.set(page, table.rows);
				pages.current.total = table.total;
				again(undefined);
			},
			error => {
				if (wanted.current !== key) return;
				pages.current = {
					key,
					columns: [],
					total: 0,
					pages: new Map(),
					asked: new Set(),
					error: (error as Error).message,
				};
				again(undefined);
			},
		);
	};
	const isHere = Boolean(props.table);
	useEffect(() => {
		if (!isHere) load(0);
	}, [key, isHere]);
	if (props.table) return { pages: wholeTable(props.table), load: () => {} };
	return { pages: pages.current, load };
}

/** A table that is here as the pages that one of the server comes in. */
function wholeTable(table: Table): Pages {
	const pages = new Map<number, readonly (readonly Cell[])[]>();
	for (let i = 0; i * PAGE < table.rows.length || i === 0; i++)
		pages.set(i, table.rows.slice(i * PAGE, (i + 1) * PAGE));
	return { key: '', columns: table.columns, total: table.total, pages, asked: new Set(), error: '' };
}

function nextSort(sort: string, column: Column): string {
	if (sort === `${column.name}.desc`) return `${column.name}.asc`;
	if (sort === `${column.name}.asc`) return '';
	return column.type === 'text' ? `${column.name}.asc` : `${column.name}.desc`;
}

/** What is shown of the columns: not those for the page, and none that holds nothing. */
function shownColumns(pages: Pages, extra: Extra | undefined): { column: Column; i: number }[] {
	const some = pages.pages.get(0) ?? [];
	const isEmpty = (i: number): boolean => some.length > 0 && some.every(row => row[i] === null || row[i] === '');
	const isSame = (i: number): boolean => some.length > 2 && some.every(row => row[i] === some[0][i]);
	const out = pages.columns.map((column, i) => ({ column, i }));
	if (extra)
		out.splice(out.findIndex(({ column }) => column.name === extra.after) + 1, 0, {
			column: extra.column,
			i: -1,
		});
	return out.filter(
		({ column, i }) =>
			i < 0 ||
			(!HIDDEN.has(column.name) && !isEmpty(i) && !(MARGINAL.test(column.name) && isSame(i))),
	);
}

interface HeadProps {
	readonly columns: readonly Column[];
	readonly sort: string;
	readonly onSort: (sort: string) => void;
	readonly style: { readonly gridTemplateColumns: string; readonly minWidth: string };
}

function Head({ columns, sort, onSort, style }: HeadProps) {
	const [by, dir] = sort.split('.');
	return (
		<div class="grid-head" role="row" aria-rowindex={1} style={style}>
			{columns.map(column => (
				<div
					key={column.name}
					role="columnheader"
					aria-sort={
						by === column.name
							? dir === 'asc'
								? 'ascending'
								: 'descending'
							: 'none'
					}
					class={column.type === 'text' ? '' : 'n'}
				>
					<button
						title={column.title}
						disabled={column.sortable === false}
						onClick={() => onSort(nextSort(sort, column))}
					>
						{column.title}
						<span
							class={by === column.name ? `arrow ${dir}` : 'arrow'}
							aria-hidden="true"
						/>
					</button>
				</div>
			))}
		</div>
	);
}

export function Grid(props: GridProps) {
	const { pages, load } = usePages(props);
	const scroller = useRef<HTMLDivElement>(null);
	const [, again] = useReducer((n: number) => n + 1, 0);
	const shown = props.isWhole
		? pages.columns.map((column, i) => ({ column, i }))
		: shownColumns(pages, props.extra);
	const widths = shown.map(({ column }, i) => widthOf(column, i));
	const template = widths.map(([least, part]) => `minmax(${least}px, ${part}fr)`).join(' ');
	const minWidth = `${widths.reduce((sum, [least]) => sum + least, 20)}px`;
	const top = scroller.current?.scrollTop ?? 0;
	const height = scroller.current?.clientHeight ?? 300;
	const isNarrow = useNarrow();
	const first = isNarrow ? 0 : Math.max(0, Math.floor(top / LINE) - 6);
	const [cards, setCards] = useState(CARDS);
	const last = Math.min(pages.total, isNarrow ? cards : Math.ceil((top + height) / LINE) + 6);
	useEffect(() => {
		if (pages.columns.length)
			for (
				let page = Math.floor(first / PAGE);
				page <= Math.floor(Math.max(first, last - 1) / PAGE);
				page++
			)
				load(page);
	});
	useEffect(() => {
		const observer = new ResizeObserver(() => again(undefined));
		if (scroller.current) observer.observe(scroller.current);
		return () => observer.disconnect();
	}, []);
	useEffect(() => {
		if (scroller.current) scroller.current.scrollTop = 0;
		setCards(CARDS);
	}, [props.what, props.sort]);
	const valueOf =
		(row: readonly Cell[]) =>
		(name: string): Cell | undefined =>
			row[pages.columns.findIndex(column => column.name === name)];
	const rowAt = (i: number): readonly Cell[] | undefined => pages.pages.get(Math.floor(i / PAGE))?.[i % PAGE];
	const focus = (i: number): void => {
		const element = scroller.current;
		if (!element || i < 0 || i >= pages.total) return;
		if (i * LINE < element.scrollTop) element.scrollTop = i * LINE;
		else if ((i + 2) * LINE > element.scrollTop + height) element.scrollTop = (i + 2) * LINE - height;
		const take = (): boolean => {
			const line = element.querySelector<HTMLElement>(`[data-line="${i}"]`);
			line?.focus();
			return line !== null;
		};
		if (!take()) requestAnimationFrame(take);
	};
	const onKey = (event: KeyboardEvent, i: number, row: readonly Cell[]): void => {
		const jump = {
			ArrowDown: 1,
			ArrowUp: -1,
			PageDown: 10,
			PageUp: -10,
			Home: -pages.total,
			End: pages.total,
		}[event.key];
		if (jump !== undefined) focus(Math.min(pages.total - 1, Math.max(0, i + jump)));
		else if (event.key === 'Enter' || event.key === ' ') props.onSelect(valueOf(row));
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	if (pages.error) return <p class="empty bad">{pages.error}</p>;
	if (!pages.columns.length) return <p class="empty dim">Reading …</p>;
	let isTabbed = false;
	return (
		<div
			class={isNarrow ? 'grid cards' : 'grid'}
			role="grid"
			ref={scroller}
			aria-label={props.label}
			aria-rowcount={pages.total + 1}
			aria-colcount={shown.length}
			onScroll={() => again(undefined)}
		>
			{isNarrow ? (
				<Order
					columns={shown.map(({ column }) => column)}
					sort={props.sort}
					onSort={props.onSort}
				/>
			) : (
				<Head
					columns={shown.map(({ column }) => column)}
					sort={props.sort}
					onSort={props.onSort}
					style={{ gridTemplateColumns: template, minWidth }}
				/>
			)}
			{pages.total === 0 && <p class="empty dim">Nothing to show here.</p>}
			<div
				class="grid-body"
				style={isNarrow ? {} : { height: `${pages.total * LINE}px`, minWidth }}
				role="rowgroup"
			>
				{Array.from({ length: Math.max(0, last - first) }, (_, k) => first + k).map(i => {
					const row = rowAt(i);
					if (!row)
						return (
							<div
								key={i}
								class="grid-row waiting"
								style={{ top: `${i * LINE}px` }}
							/>
						);
					const isSelected = props.isSelected(valueOf(row));
					const tab = !isTabbed && (isSelected || i >= top / LINE) ? 0 : -1;
					isTabbed ||= tab === 0;
					return (
						<div
							key={i}
							class={isSelected ? 'grid-row selected' : 'grid-row'}
							style={
								isNarrow
									? {}
									: {
											top: `${i * LINE}px`,
											gridTemplateColumns: template,
										}
							}
							role="row"
							aria-rowindex={i + 2}
							aria-selected={isSelected}
							tabIndex={tab}
							data-line={i}
							onClick={() => props.onSelect(valueOf(row))}
							onKeyDown={event => onKey(event, i, row)}
						>
							{shown.map(({ column, i: at }, k) => (
								<CellBox
									key={column.name}
									value={
										at < 0
											? props.extra?.of(valueOf(row))
											: row[at]
									}
									column={column}
									unit={
										column.unit ||
										(UNITED.test(column.name)
											? String(
													valueOf(row)(
														'unit',
													) ?? '',
												)
											: '')
									}
									colour={
										k === 0
											? (props.colour?.(
													valueOf(row),
												) ?? null)
											: null
									}
								/>
							))}
						</div>
					);
				})}
			</div>
			{isNarrow && last < pages.total && (
				<button class="quiet more-rows" onClick={() => setCards(cards + PAGE)}>
					More rows: {count(pages.total - last)} are not shown
				</button>
			)}
		</div>
	);
}

/** The order of cards, in place of heads that can be clicked. */
function Order({ columns, sort, onSort }: Omit<HeadProps, 'style'>) {
	const able = columns.filter(column => column.sortable !== false);
	return (
		<label class="order">
			Order
			<select value={sort} onChange={event => onSort(event.currentTarget.value)}>
				<option value="">as it is at first</option>
				{able.flatMap(({ name, title }) => [
					<option key={`${name}.desc`} value={`${name}.desc`}>
						{title}, largest first
					</option>,
					<option key={`${name}.asc`} value={`${name}.asc`}>
						{title}, smallest first
					</option>,
				])}
			</select>
		</label>
	);
}

/** Columns of resources, whose unit is that of the row. */
const UNITED = /^(mean|min|max|first|last)$/;

function CellBox({
	value,
	column,
	unit,
	colour,
}: {
	value: Cell | undefined;
	column: Column;
	unit: string;
	colour: string | null;
}) {
	const text = cellText(value, column, unit);
	const isShare = column.name.includes('share') && typeof value === 'number';
	const part = isShare
		? Math.min(1, Math.max(0, (value as number) * (/^(%|percent)$/.test(unit) ? 0.01 : 1)))
		: 0;
	return (
		<div
			role="gridcell"
			class={`${column.type === 'text' ? '' : 'n'}${text === '–' ? ' none' : ''}`}
			title={column.type === 'text' ? text : undefined}
			data-title={column.title}
			data-wide={text.length > 40 || undefined}
		>
			{isShare && <i class="share" style={{ width: `${part * 100}%` }} />}
			{colour && <i class="swatch" style={{ background: colour }} />}
			<span class={text === '–' ? 'dim' : ''}>{text}</span>
		</div>
	);
}
