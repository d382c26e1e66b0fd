// SPDX-License-Identifier: Apache-2.0
// What a reader chooses for all recordings, and what the page then does by itself.
'use strict';
const assert = require('assert/strict');

const places = page =>
	page.evaluate(() => ['.timeline', '.below'].map(one => document.querySelector(one).getBoundingClientRect().toJSON()));

exports.settings_hold_for_other_pages = async d => {
	const one = await d.open('#');
	await one.rest();
	await (await one.control('separator', 'Height of the tables')).focus();
	await one.press('ArrowUp');
	await one.until(() => inftrace.app.place.tall);
	await one.press('o');
	await one.control('combobox', 'Tables');
	await one.page.select('.settings label:nth-of-type(1) select', 'dark');
	await one.page.select('.settings label:nth-of-type(2) select', 'beside');
	await one.until(() => document.documentElement.dataset.theme === 'dark' && inftrace.app.theme.isDark);
	await one.press('Escape');
	const other = await d.open('#');
	await other.until(() => inftrace.app.theme.isDark && document.querySelector('main.beside'));
	await other.rest();
	const [timeline, below] = await places(other.page);
	assert.ok(below.left >= timeline.right && below.top === timeline.top && below.height === timeline.height);
	// the border between them is one of widths
	await (await other.control('separator', 'Width of the tables')).focus();
	await other.press('ArrowLeft');
	await other.until(was => document.querySelector('.below').getBoundingClientRect().width > was + 20, below.width);
	// a page that is older than that takes nothing of it back
	await one.page.bringToFront();
	await one.press('o');
	await one.control('combobox', 'Wheel');
	await one.page.select('.settings label:nth-of-type(3) select', 'scroll');
	const kept = await one.page.evaluate(() => decodeURIComponent(document.cookie));
	assert.match(kept, /"wheel":"scroll".*"wide":\d/);
	await one.click('button', 'As it was at first');
	await one.until(() => !document.querySelector('main.beside') && !inftrace.app.theme.isDark);
	assert.equal(await one.page.$eval('.splitter', splitter => splitter.ariaValueNow), '32');
	await one.page.close();
	await other.page.reload({ waitUntil: 'load' });
	await other.until(() => document.querySelector('.tiles') && !document.querySelector('main.beside'));
	await other.page.close();
};

exports.a_wide_window_has_the_tables_beside = async d => {
	const one = await d.open('#');
	await one.page.setViewport({ width: 1900, height: 1000 });
	await one.until(() => document.querySelector('main.beside .panel.of-inferences .grid-row'));
	await one.page.setViewport({ width: 1400, height: 1000 });
	await one.until(() => !document.querySelector('main.beside'));
	await one.page.close();
};

/** Once: who opens it again wants to see it. */
exports.the_answer_makes_room_after_the_first_zoom = async d => {
	const one = await d.open('#');
	await one.until(() => document.querySelector('.answer.open .tiles'));
	await one.rest();
	const before = (await places(one.page))[0].height;
	await one.press('w');
	await one.until(() => !document.querySelector('.answer.open'));
	assert.ok((await places(one.page))[0].height > before + 40);
	await one.press('v');
	await one.until(() => document.querySelector('.answer.open'));
	const view = await one.view();
	await one.press('w');
	await one.until(was => inftrace.app.view.end - inftrace.app.view.begin < was * 0.9, view.end - view.begin);
	await one.page.waitForFunction(() => /t=/.test(location.hash));
	await new Promise(done => setTimeout(done, 600));
	assert.ok(await one.page.$('.answer.open'));
	await one.page.close();
};

exports.columns_are_those_that_have_room_or_were_chosen = async d => {
	const one = await d.open('#');
	const heads = () => one.page.$$eval('[role=columnheader] button', all => all.map(head => head.title));
	await one.until(() => document.querySelectorAll('.grid-row [role=gridcell]').length > 10);
	const isCut = () => one.page.$eval('.grid', grid => grid.scrollWidth > grid.clientWidth + 1);
	assert.ok(!(await isCut()));
	const before = (await heads()).length;
	await one.page.setViewport({ width: 900, height: 1000 });
	await one.until(n => document.querySelectorAll('[role=columnheader]').length < n, before);
	assert.ok(!(await isCut()));
	const narrow = (await heads()).length;
	await one.page.setViewport({ width: 1400, height: 1000 });
	await one.until(n => document.querySelectorAll('[role=columnheader]').length > n, narrow);
	// a column that says the same in all rows comes when the rows of a higher page have come
	await one.page.waitForNetworkIdle();
	const first = await heads();
	await one.page.click('.column-chooser > button');
	const list = await one.page.$eval('.column-chooser .popover', popover => popover.getBoundingClientRect().toJSON());
	const all = await one.page.$$eval('.column-chooser label', labels => labels.length);
	assert.ok(list.top >= 0 && list.bottom <= 1000 && list.height > Math.min(300, 20 * all), JSON.stringify(list));
	await one.page.click('.column-chooser label:nth-of-type(2) input');
	await one.until(title => ![...document.querySelectorAll('[role=columnheader] button')].some(head => head.title === title), first[1]);
	await one.page.reload({ waitUntil: 'load' });
	await one.until(() => document.querySelectorAll('.grid-row [role=gridcell]').length > 5);
	assert.ok(!(await heads()).includes(first[1]));
	await one.page.click('.column-chooser > button');
	// one always stays, and its box is not to be emptied
	for (;;) {
		const box = await one.page.$('.column-chooser input:checked:enabled');
		if (!box) break;
		await box.click();
		await one.until(() => document.querySelectorAll('.column-chooser input:checked').length === document.querySelectorAll('[role=columnheader]').length);
	}
	assert.equal((await heads()).length, 1);
	await one.click('button', 'As many as have room');
	await one.until(n => document.querySelectorAll('[role=columnheader]').length === n, first.length);
	await one.page.close();
};

exports.a_selected_inference_is_brought_into_sight = async d => {
	const one = await d.open('#');
	await one.until(() => document.querySelectorAll('.grid-row').length > 2);
	// the shortest is the last of the table
	const [row, index] = await one.page.evaluate(async () => {
		const { columns, rows } = await inftrace.app.get('table', { what: 'inferences', sort: 'duration', dir: 'asc', limit: 1 });
		return ['row', 'index'].map(name => rows[0][columns.findIndex(column => column.name === name)]);
	});
	assert.ok(!(await one.page.$('.grid-row.selected')));
	const isInSight = () => {
		const chosen = document.querySelector('.grid-row.selected')?.getBoundingClientRect();
		const grid = document.querySelector('.grid')?.getBoundingClientRect();
		return chosen && chosen.top >= grid.top && chosen.bottom <= grid.bottom + 1;
	};
	await one.page.evaluate((...what) => void inftrace.app.select(...what, false), row, index);
	await one.until(isInSight);
	await one.page.close();
	// a link names it before the table is there
	const linked = await d.open(`#s=${row}.${index}`);
	await linked.until(isInSight);
	await linked.page.close();
};

/** The tree says what is in rows that have no name of their own, and colors how much of the time they stand for. */
exports.rows_and_colors_say_what_they_are = async d => {
	const one = await d.open('#');
	await one.until(() => document.querySelector('.legend small'));
	const titles = await one.page.$$eval('.track-row', all => all.map(row => row.textContent));
	assert.ok(titles.includes('setup'), titles.join());
	const threads = await one.page.$$eval('.track.thread', all => all.map(track => track.textContent));
	assert.ok(threads.some(text => /^\S.* operators/.test(text)), threads.join());
	assert.match(await one.page.$eval('.legend', list => list.textContent), /^\D+\d[\d.]* %/);
	await one.page.close();
};
