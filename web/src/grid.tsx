// SPDX-License-Identifier: Apache-2.0
// A table of any length: only the rows on the screen exist; pages are asked for as they come into sight.
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import * as api from './api';
import type { Cell, Column, Table } from './api';
import {
	ColumnChooser,
	columnsOf,
	fittingColumns,
	hasTwoLines,
	MARGINS,
	tellingColumns,
	widthOf,
	type Extra,
	type Shown,
	type Values,
} from './columns';
import { count, inUnit, oneLine, timeAt, words } from './format';
import { choose, settings } from './settings';
import { useNarrow } from './use';

const LINE = 26;
const PAGE = 100;
/** Of a narrow window, where rows are cards and only the page scrolls. */
const CARDS = 20;
/** Columns whose cells have bars. */
const BARRED = /^(duration|total|self)(_ns)?$/;

/** Numbers that name something, and are not counted. */
const NUMBERS = /^(pid|tid|thread|id|inference|session)$/;

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
	/** What is selected, '' for nothing, and about which row it is in: it is brought into sight. */
	readonly selected?: string;
	readonly rankOf?: () => Promise<number | null>;
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

interface Layout {
	/** That the reader may choose from, and those that are shown. */
	readonly all: readonly Shown[];
	readonly shown: readonly Shown[];
	readonly template: string;
	readonly minWidth: string;
	/** The height of a row. */
	readonly line: number;
}

/** The columns of a table in so much room. */
function layOut(props: GridProps, pages: Pages, room: number): Layout {
	const rows = pages.pages.get(0) ?? [];
	const { extra } = props;
	const valueOf = valuesOf(pages.columns);
	const letters =
		extra?.column.name === 'why'
			? Math.max(0, ...rows.map(row => String(extra.of(valueOf(row)) ?? '').length))
			: 0;
	const isWhole = props.isWhole === true;
	const all = isWhole ? pages.columns.map((column, i) => ({ column, i })) : columnsOf(pages.columns, extra);
	const chosen = settings().columns[props.what];
	const own = chosen && all.filter(({ column }) => chosen.includes(column.name));
	const telling = isWhole ? all : tellingColumns(all, rows);
	const shown = isWhole ? all : own?.length ? own : fittingColumns(telling, room, letters);
	const widths = shown.map(({ column }, i) => widthOf(column, i, letters, room));
	const least = widths.reduce((sum, [one]) => sum + one, MARGINS);
	const parts = widths.reduce((sum, [, one]) => sum + one, 0);
	const at = shown.findIndex(({ column }) => column.name === 'why');
	const width = at < 0 ? Infinity : widths[at][0] + (Math.max(0, room - least) * widths[at][1]) / parts;
	return {
		all: own?.length ? all : telling,
		shown,
		template: widths.map(([one, part]) => `minmax(${one}px, ${part}fr)`).join(' '),
		minWidth: `${least}px`,
		line: letters > 0 && hasTwoLines(letters, width) ? 2 * LINE - 8 : LINE,
	};
}

const valuesOf =
	(columns: readonly Column[]) =>
	(row: readonly Cell[]): Values =>
	name =>
		row[columns.findIndex(column => column.name === name)];

/** The longest of a column that has bars; 0: it has none. */
function longestOf({ column, i }: Shown, pages: Pages): number {
	if (column.unit !== 'ns' || !BARRED.test(column.name)) return 0;
	const rows = [...pages.pages.values()].flat();
	return rows.reduce((most, row) => Math.max(most, Number(row[i]) || 0), 0);
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
	const room = scroller.current?.clientWidth ?? 0;
	const { all, shown, template, minWidth, line } = layOut(props, pages, room || 800);
	const top = scroller.current?.scrollTop ?? 0;
	const height = scroller.current?.clientHeight ?? 300;
	const isNarrow = useNarrow();
	const first = isNarrow ? 0 : Math.max(0, Math.floor(top / line) - 6);
	const [cards, setCards] = useState(CARDS);
	const last = Math.min(pages.total, isNarrow ? cards : Math.ceil((top + height) / line) + 6);
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
	}, [pages.columns.length > 0]);
	useEffect(() => {
		if (scroller.current) scroller.current.scrollTop = 0;
		setCards(CARDS);
	}, [props.what, props.sort]);
	const valueOf = valuesOf(pages.columns);
	const rowAt = (i: number): readonly Cell[] | undefined => pages.pages.get(Math.floor(i / PAGE))?.[i % PAGE];
	const focus = (i: number): void => {
		const element = scroller.current;
		if (!element || i < 0 || i >= pages.total) return;
		if (i * line < element.scrollTop) element.scrollTop = i * line;
		else if ((i + 2) * line > element.scrollTop + height) element.scrollTop = (i + 2) * line - height;
		const take = (): boolean => {
			const row = element.querySelector<HTMLElement>(`[data-line="${i}"]`);
			row?.focus();
			return row !== null;
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
	const bring = (i: number): void => {
		const element = scroller.current;
		if (!element || isNarrow || i >= pages.total) return;
		const from = i * line;
		if (from < element.scrollTop || from + 2 * line > element.scrollTop + element.clientHeight)
			element.scrollTop = Math.max(0, from - element.clientHeight / 3);
	};
	useEffect(() => {
		if (!props.selected) return;
		for (const [page, rows] of pages.pages) {
			const at = rows.findIndex(row => props.isSelected(valueOf(row)));
			if (at >= 0) return bring(page * PAGE + at);
		}
		void props.rankOf?.().then(rank => rank !== null && bring(rank));
	}, [props.selected, pages.columns.length > 0]);
	const bars = shown.map(one => longestOf(one, pages));
	if (pages.error) return <p class="empty bad">{pages.error}</p>;
	if (!pages.columns.length) return <p class="empty dim">Reading …</p>;
	let isTabbed = false;
	const chooser = !props.isWhole && !isNarrow && all.length > 1 && (
		<ColumnChooser
			all={all}
			shown={shown}
			isChosen={props.what in settings().columns}
			onChoose={names => {
				const { [props.what]: _, ...others } = settings().columns;
				choose({ columns: names ? { ...others, [props.what]: names } : others });
				again(undefined);
			}}
		/>
	);
	return (
		<div class="grid-box">
			{chooser}
			<div
				class={`grid${isNarrow ? ' cards' : ''}${line > LINE ? ' two-lines' : ''}`}
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
					style={isNarrow ? {} : { height: `${pages.total * line}px`, minWidth }}
					role="rowgroup"
				>
					{Array.from({ length: Math.max(0, last - first) }, (_, k) => first + k).map(
						i => {
							const row = rowAt(i);
							if (!row)
								return (
									<div
										key={i}
										class="grid-row waiting"
										style={{ top: `${i * line}px` }}
									/>
								);
							const isSelected = props.isSelected(valueOf(row));
							const tab =
								!isTabbed && (isSelected || i >= top / line) ? 0 : -1;
							isTabbed ||= tab === 0;
							return (
								<div
									key={i}
									class={
										isSelected
											? 'grid-row selected'
											: 'grid-row'
									}
									style={
										isNarrow
											? {}
											: {
													top: `${i * line}px`,
													height: `${line}px`,
													gridTemplateColumns:
														template,
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
													? props.extra?.of(
															valueOf(
																row,
															),
														)
													: row[at]
											}
											column={column}
											longest={bars[k]}
											unit={
												column.unit ||
												(UNITED.test(
													column.name,
												)
													? String(
															valueOf(
																row,
															)(
																'unit',
															) ??
																'',
														)
													: '')
											}
											colour={
												k === 0
													? (props.colour?.(
															valueOf(
																row,
															),
														) ??
														null)
													: null
											}
										/>
									))}
								</div>
							);
						},
					)}
				</div>
				{isNarrow && last < pages.total && (
					<button class="quiet more-rows" onClick={() => setCards(cards + PAGE)}>
						More rows: {count(pages.total - last)} are not shown
					</button>
				)}
			</div>
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
	longest,
}: {
	value: Cell | undefined;
	column: Column;
	/** Of the column, where its cells have bars; else 0. */
	longest: number;
	unit: string;
	colour: string | null;
}) {
	const text = cellText(value, column, unit);
	const isShare = column.name.includes('share') && typeof value === 'number';
	const whole = longest || (/^(%|percent)$/.test(unit) ? 100 : 1);
	const part = isShare || longest ? Math.min(1, Math.max(0, Number(value) / whole)) : 0;
	return (
		<div
			role="gridcell"
			class={`${column.type === 'text' ? '' : 'n'}${text === '–' ? ' none' : ''}`}
			title={column.type === 'text' ? text : undefined}
			data-title={column.title}
			data-wide={text.length > 40 || undefined}
		>
			{part > 0 && <i class="share" style={{ width: `${part * 100}%` }} />}
			{colour && <i class="swatch" style={{ background: colour }} />}
			<span class={text === '–' ? 'dim' : ''}>{text}</span>
		</div>
	);
}
