// SPDX-License-Identifier: Apache-2.0
// The tables, the search, the address and the looks of the page of `inftrace view`, on a recording with several inferences.
'use strict';
const assert = require('assert/strict');
const { firstOf, middle } = require('./view_common.js');

/** Where the inferences at these parts of their list begin, as parts of the view. */
const shares = (d, ...parts) =>
	d.page.evaluate(async all => {
		const table = await (await fetch('table?what=inferences&sort=begin&dir=asc&limit=1000')).json();
		const column = table.columns.findIndex(one => one.name === 'begin');
		const { begin, end } = inftrace.app.view;
		return all.map(part => (table.rows[Math.floor(part * table.rows.length)][column] - begin) / (end - begin));
	}, parts);

exports.a_range_filters_every_table = async d => {
	await d.tab('Inferences');
	const rows = () => d.page.$eval('.grid', grid => Number(grid.ariaRowCount) - 1);
	await d.page.waitForSelector('.grid-row[data-line="0"]');
	const all = await rows();
	const ruler = await d.box('.ruler');
	const [from, to] = await shares(d, 0.2, 0.7);
	await d.drag([ruler.x + ruler.width * from, ruler.y + 10], [ruler.x + ruler.width * to, ruler.y + 10]);
	await d.until(
		most => Number(document.querySelector('.grid')?.ariaRowCount) - 1 < most && inftrace.app.place.range,
		all,
	);
	const said = await d.page.evaluate(async () => {
		const [from, to] = inftrace.app.place.range;
		return (
			await (
				await fetch(
					`table?what=inferences&from=${Math.floor(from)}&to=${Math.ceil(to)}&limit=1`,
				)
			).json()
		).total;
	});
	await d.until(n => Number(document.querySelector('.grid').ariaRowCount) - 1 === n, said);
	await d.click('button', 'Remove the range');
	await d.until(n => Number(document.querySelector('.grid').ariaRowCount) - 1 === n, all);
	const [x, y] = await middle(d);
	await d.drag([x - 60, y], [x + 60, y], 'Shift');
	await d.until(() => inftrace.app.place.range && !document.querySelector('.range').hidden);
	await d.press('Escape');
	await d.until(() => !inftrace.app.place.range);
	await d.press('w', 'w', 'r');
	await d.until(() => inftrace.app.place.range);
	await d.press('Escape', '0');
	await d.until(() => !inftrace.app.place.range && !inftrace.app.place.view);
	await d.click('button', 'Only what is on the screen');
	await d.until(() => inftrace.app.place.range);
	await d.press('Escape');
};

exports.tables_sort_filter_and_select = async d => {
	await d.tab('Inferences');
	const column = name =>
		d.page.evaluate(title => {
			const heads = [...document.querySelectorAll('[role=columnheader]')].map(head =>
				head.textContent.trim(),
			);
			const at = heads.indexOf(title);
			return [...document.querySelectorAll('.grid-row[data-line]')].map(
				row => row.children[at]?.textContent,
			);
		}, name);
	await d.page.waitForSelector('.grid-row[data-line="1"]');
	await d.click('button', 'Begin');
	await d.until(
		() => inftrace.app.place.sort === 'begin.desc' && document.querySelector('[aria-sort=descending]'),
	);
	await d.until(() => document.querySelectorAll('.grid-row[data-line]').length > 1);
	await d.click('button', 'Begin');
	await d.until(() => document.querySelector('[aria-sort=ascending]'));
	await d.rest();
	await d.until(() => {
		const texts = [...document.querySelectorAll('.grid-row[data-line]')].map(row =>
			parseFloat(row.children[0].textContent.replace(/\u202f/g, '')),
		);
		return texts.length > 1 && texts.every((value, i) => i === 0 || value >= texts[i - 1]);
	});
	assert.ok((await column('Begin')).length > 1);
	await d.page.focus('.grid-row[data-line="0"]');
	await d.press('ArrowDown', 'Enter');
	const slice = await d.selected();
	assert.equal(slice.kind, 'inference');
	await d.until(() => document.querySelector('.grid-row.selected')?.dataset.line === '1');
	await d.press('Escape');
	await d.page.type('.filter', 'no such thing');
	await d.until(() => document.querySelector('.panel').textContent.includes('Nothing to show here'));
	await d.page.$eval('.filter', input => input.select());
	await d.press('Backspace');
	await d.until(() => document.querySelector('.grid-row[data-line]'));
	const models = await d.page.$$eval('select[aria-label=Model] option', all => all.map(one => one.value));
	if (models.length > 1) {
		await d.page.select('select[aria-label=Model]', models[1]);
		await d.until(
			name =>
				[...document.querySelectorAll('.grid-row[data-line]')].every(row =>
					row.textContent.includes(name),
				),
			models[1],
		);
		await d.page.select('select[aria-label=Model]', '');
	}
};

exports.the_histogram_filters = async d => {
	await d.tab('Inferences');
	await d.page.waitForSelector('.histogram svg');
	const box = await d.box('.histogram svg');
	await d.drag([box.x + box.width * 0.5, box.y + 20], [box.x + box.width * 0.99, box.y + 20]);
	const range = await d.until(() => inftrace.app.place.latency);
	await d.until(
		([low, high]) =>
			inftrace.app.place.latency &&
			fetch(`table?what=inferences&min=${Math.floor(low)}&max=${Math.ceil(high)}&limit=1`)
				.then(answer => answer.json())
				.then(
					table =>
						Number(document.querySelector('.grid')?.ariaRowCount) - 1 ===
						table.total,
				),
		range,
	);
	// all of them, and no other one
	const [among, all, durations] = await d.page.evaluate(async () => {
		const get = more => inftrace.app.get('table', { what: 'inferences', limit: 1000, ...more });
		const [low, high] = inftrace.app.place.latency;
		const [some, every] = [await get({ min: Math.floor(low), max: Math.ceil(high) }), await get({})];
		const at = every.columns.findIndex(column => column.name === 'duration');
		return [some.total, every.total, every.rows.map(row => row[at]).filter(ns => ns >= Math.floor(low) && ns <= Math.ceil(high))];
	});
	assert.ok(among > 0 && among < all, `${among} of ${all}`);
	assert.equal(among, durations.length);
	await d.page.$eval('.histogram svg', svg => svg.focus());
	await d.press('Escape');
	await d.until(() => !inftrace.app.place.latency);
	await d.press('ArrowRight', 'ArrowRight', 'ArrowLeft', 'Enter');
	await d.until(() => inftrace.app.place.latency);
	await d.press('Escape');
	await d.until(() => !inftrace.app.place.latency);
};

exports.every_tab_has_its_tables = async d => {
	for (const [tab, parts] of [
		['Operators', ['By type', 'By node']],
		['Models and sessions', ['Sessions', 'Phases of creation', 'Models']],
		['Resources', ['Threads', 'Resources']],
	]) {
		await d.tab(tab);
		// the table takes all the room that there is
		await d.until(() => {
			const bottom = selector => document.querySelector(selector).getBoundingClientRect().bottom;
			return Math.abs(bottom('.panel') - bottom('.tables')) < 2;
		});
		for (const part of parts) {
			await d.click('button', part);
			await d.until(() => document.querySelectorAll('.grid-row[data-line]').length > 0);
		}
	}
	// a model leads to its inferences, a type of operator to its nodes
	await d.tab('Models and sessions');
	await d.page.waitForSelector('.grid-row[data-line="0"]');
	await d.page.click('.grid-row[data-line="0"]');
	await d.until(() => inftrace.app.place.tab === 'inferences' && inftrace.app.place.model);
	await d.page.goBack();
	await d.until(() => inftrace.app.place.tab === 'models' && !inftrace.app.place.model);
	await d.tab('Losses and cost');
	await d.until(() => document.querySelector('.costs b')?.textContent === 'Nothing was lost.');
	await d.press('ArrowRight');
	await d.until(() => inftrace.app.place.tab === 'sql');
	await d.press('ArrowRight');
	await d.until(() => inftrace.app.place.tab === 'inferences');
	await d.press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft');
	await d.until(
		() => inftrace.app.place.tab === 'icicle' && document.querySelectorAll('.icicle button').length > 3,
	);
	const all = await d.page.$$eval('.icicle button', boxes => boxes.length);
	await d.page.click('.icicle [aria-level="2"]');
	await d.until(() => document.querySelectorAll('.crumbs button').length === 2);
	await d.page.click('.crumbs button');
	await d.until(n => document.querySelectorAll('.icicle button').length === n, all);
};

exports.what_is_shown_can_be_saved = async d => {
	await d.tab('Operators');
	await d.page.waitForSelector('.grid-row[data-line="0"]');
	const total = await d.page.$eval('.grid', grid => Number(grid.ariaRowCount) - 1);
	const csv = (await d.saved('operators.csv', () => d.click('button', 'CSV'))).toString();
	assert.equal(csv.trim().split('\r\n').length, total + 1);
	const json = JSON.parse(await d.saved('operators.json', () => d.click('button', 'JSON')));
	assert.equal(json.length, total);
	assert.ok(json[0].calls > 0);
	const png = await d.saved('timeline.png', () => d.click('button', 'PNG'));
	assert.deepEqual([...png.subarray(1, 4)], [...Buffer.from('PNG')]);
	assert.ok(png.readUInt32BE(16) > 1000 && png.length > 4000);
};

exports.tracks_and_resources_can_be_hidden = async d => {
	const lines = () => d.page.evaluate(() => inftrace.app.lines.length);
	const all = await lines();
	await d.click('button', 'Collapse');
	await d.until(n => inftrace.app.lines.length < n, all);
	await d.click('button', 'Expand');
	await d.until(n => inftrace.app.lines.length >= n, all);
	const open = await lines();
	await d.page.focus('[role=treeitem]');
	await d.press('ArrowLeft');
	await d.until(() => inftrace.app.lines.length === 1 && document.activeElement.ariaExpanded === 'false');
	await d.press('ArrowRight');
	await d.until(n => inftrace.app.lines.length === n, open);
	await d.press('ArrowDown', 'ArrowDown', 'End', 'Home', 'End', 'h');
	await d.until(n => inftrace.app.place.hidden.length === 1 && inftrace.app.lines.length < n, open);
	await d.click('button', 'Show 1 hidden');
	await d.until(n => inftrace.app.lines.length === n, open);
	await d.page.click('[role=treeitem][aria-expanded=true]');
	await d.until(() => inftrace.app.lines.length === 1);
	await d.page.click('[role=treeitem][aria-expanded=false]');
	await d.until(n => inftrace.app.lines.length === n, open);
	const shown = await d.page.$$eval('.resource-names li', items => items.length);
	await d.page.click('.chooser > button');
	await d.page.waitForSelector('.popover input[type=checkbox]:not(:checked)');
	await d.page.click('.popover input[type=checkbox]:not(:checked)');
	await d.until(n => document.querySelectorAll('.resource-names li').length === n + 1, shown);
	await d.click('button', 'None');
	await d.until(() => document.querySelectorAll('.resource-names li').length === 0);
	await d.click('button', 'The usual');
	await d.until(n => document.querySelectorAll('.resource-names li').length === n, shown);
	await d.page.type('.popover input[type=search]', 'rss');
	await d.until(() =>
		[...document.querySelectorAll('.choices label')].every(label => label.textContent.includes('rss')),
	);
	await d.click('button', 'Done');
	await d.until(() => !document.querySelector('.popover'));
	await d.rest();
	const values = await d.page.$$eval('.resource-names .value', all => all.map(one => one.textContent));
	assert.ok(
		values.every(value => /\d/.test(value)),
		values.join(),
	);
};

exports.names_are_found = async d => {
	const { name } = await firstOf(d, 'operators');
	await d.press('/');
	await d.page.keyboard.type(name.slice(0, -1));
	await d.until(
		text => [...document.querySelectorAll('.found-name')].some(one => one.textContent === text),
		name,
	);
	await d.press('Enter');
	const first = await d.selected();
	await d.press('Escape');
	await d.until(() => !inftrace.app.place.query);
	await d.press('/');
	await d.page.keyboard.type(name);
	await d.until(() => inftrace.app.matches?.size > 0);
	await d.page.focus('canvas.events');
	await d.press('n');
	await d.until(begin => inftrace.app.slice.begin !== begin, first.begin);
	const second = await d.selected();
	assert.ok(second.name.includes(name));
	await d.press('N');
	await d.until(begin => inftrace.app.slice.begin !== begin, second.begin);
	await d.press('Escape', 'Escape');
	await d.until(() => !inftrace.app.place.query && !inftrace.app.slice);
};

exports.operators_are_found_by_their_type = async d => {
	const { name, op_type: type } = await d.page.evaluate(async () => {
		const table = await (await fetch('table?what=operators&limit=100')).json();
		const at = column => table.columns.findIndex(one => one.name === column);
		const rows = table.rows.map(row => ({ name: row[at('name')], op_type: row[at('op_type')] }));
		return rows.find(one => !one.name.toLowerCase().includes(one.op_type.toLowerCase())) ?? rows[0];
	});
	await d.press('0', '/');
	await d.page.keyboard.type(type);
	const find = text => [...document.querySelectorAll('.found li')].find(one => one.textContent.startsWith(text));
	await d.until(find, name);
	await d.until(find, `Of the type ${type}`);
	const row = await d.page.evaluateHandle(find, name);
	await row.asElement().click();
	const chosen = await d.selected();
	assert.equal(chosen.kind, 'operator');
	// where it lies among all calls of its name
	await d.until(() => /× the mean of its/.test(document.querySelector('.siblings')?.textContent ?? ''));
	await d.press('Escape', 'Escape');
	await d.until(() => !inftrace.app.place.query && !inftrace.app.slice);
};

exports.a_link_reopens_its_place_and_back_goes_back = async d => {
	const one = await firstOf(d, 'inferences');
	await d.press('0');
	await d.until(() => inftrace.app.place.view === null);
	await d.tab('Resources');
	await d.page.evaluate(({ row, index }) => inftrace.app.select(row, index), one);
	await d.selected();
	await d.page.evaluate(
		({ begin, duration }) =>
			inftrace.app.setView({ begin: begin - duration, end: begin + 3 * duration }, true),
		one,
	);
	await d.tab('Operators');
	await d.page.evaluate(
		({ begin, duration }) => inftrace.app.go({ range: [begin, begin + duration], query: 'conv' }),
		one,
	);
	await d.rest();
	const [hash, place] = await d.page.evaluate(() => [location.hash, inftrace.app.place]);
	const other = await d.open(hash);
	await other.rest();
	const slice = await other.selected();
	assert.deepEqual([slice.row, slice.index], [one.row, one.index]);
	await other.until(() => {
		const { app, plots } = inftrace;
		const top = app.lineOfRow[app.slice.row] * 20 - plots.at.scroller.scrollTop;
		return top >= 0 && top + 20 <= plots.at.scroller.clientHeight;
	});
	const again = await other.place();
	assert.deepEqual({ ...again, view: null }, { ...place, view: null });
	again.view.forEach((time, i) => assert.ok(Math.abs(time - place.view[i]) <= 1));
	assert.equal(await other.page.$eval('[role=tab][aria-selected=true]', tab => tab.textContent), 'Operators');
	await other.page.close();
	await d.page.goBack();
	await d.until(() => !inftrace.app.place.range && inftrace.app.place.tab === 'operators');
	await d.page.goBack();
	await d.until(() => inftrace.app.place.tab === 'resources');
	await d.page.goForward();
	await d.until(() => inftrace.app.place.tab === 'operators');
	await d.press('Escape', 'Escape', 'Escape', '0');
};

exports.everything_has_a_name_and_a_place_for_the_keyboard = async d => {
	const nameless = await d.page.evaluate(() =>
		[...document.querySelectorAll('button, input, select, [role=tab], [role=treeitem], [tabindex="0"]')]
			.filter(
				element =>
					!(
						element.ariaLabel ||
						element.textContent.trim() ||
						element.title ||
						element.labels?.length
					),
			)
			.map(element => element.outerHTML.slice(0, 90)),
	);
	assert.deepEqual(nameless, []);
	await d.page.focus('.splitter');
	const before = await d.page.$eval('.splitter', one => Number(one.ariaValueNow));
	await d.press('ArrowUp');
	await d.until(share => Number(document.querySelector('.splitter').ariaValueNow) > share, before);
	assert.match(await d.page.evaluate(() => location.hash), /[#&]y=\d\d/);
	await d.press('ArrowDown');
	// Tab goes round the page, and each stop is seen
	const stops = new Set();
	await d.page.focus('.skip');
	for (let i = 0; i < 90; i++) {
		await d.press('Tab');
		const stop = await d.page.evaluate(() => {
			const at = document.activeElement;
			const style = getComputedStyle(at);
			return at === document.body
				? null
				: [at.className || at.id || at.textContent.slice(0, 20), style.outlineStyle];
		});
		if (!stop) break;
		assert.equal(stop[1], 'solid', `the focus is not seen on ${stop[0]}`);
		stops.add(stop[0]);
	}
	for (const part of ['search', 'fold', 'track', 'events', 'splitter', 'tab-', 'grid-row'])
		assert.ok(
			[...stops].some(stop => String(stop).includes(part)),
			`${part}: ${[...stops]}`,
		);
};

exports.a_low_window_shows_events = async d => {
	const low = await d.open('#');
	await low.page.setViewport({ width: 1000, height: 420 });
	await low.page.reload({ waitUntil: 'load' });
	await low.until(() => document.querySelector('.verdict .rest') && inftrace.plots.area.height > 0);
	const top = await low.page.evaluate(() => inftrace.plots.at.events.getBoundingClientRect().top);
	assert.ok(top < 320, `events begin at ${top} of 420 pixels`);
	await low.page.click('.fold');
	await low.until(() => document.querySelector('.evidence'));
	await low.page.close();
};

exports.narrow_dark_and_on_paper = async d => {
	const { page } = d;
	for (const width of [500, 800, 2560]) {
		await page.setViewport({ width, height: 800 });
		await d.rest();
		const size = await page.evaluate(() => [
			document.documentElement.scrollWidth,
			inftrace.plots.width,
			inftrace.plots.at.resources.width,
		]);
		assert.ok(size[0] <= width, `${size[0]} at ${width}`);
		assert.equal(size[1], size[2]);
		// in the widest the tables are beside it
		assert.ok(size[1] > width * (width < 1800 ? 0.5 : 0.45));
	}
	await page.setViewport({ width: 1400, height: 1000 });
	await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
	await d.until(() => inftrace.app.theme.isDark);
	await d.rest();
	const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	await page.emulateMediaType('print');
	await d.until(() => !inftrace.app.theme.isDark);
	await page.emulateMediaType('screen');
	await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
	await d.until(() => !inftrace.app.theme.isDark);
	assert.notEqual(dark, await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
};
