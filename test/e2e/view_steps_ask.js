// SPDX-License-Identifier: Apache-2.0
// SQL, notes and commands by name on the page of `inftrace view`.
'use strict';
const assert = require('assert/strict');
const { middle } = require('./view_common.js');

const write = async (d, sql) => {
	await d.page.$eval('.sql textarea', area => area.select());
	await d.page.keyboard.press('Backspace');
	await d.page.type('.sql textarea', sql);
	await d.page.keyboard.down('Control');
	await d.page.keyboard.press('Enter');
	await d.page.keyboard.up('Control');
};

exports.sql_is_answered = async d => {
	await d.tab('SQL');
	await d.page.waitForSelector('.sql textarea');
	await write(d, 'SELECT count(*) AS n, sum(duration_ns) AS total_ns FROM operators');
	const expected = await d.page.evaluate(async () => {
		const sql = encodeURIComponent('SELECT count(*) FROM operators');
		const { rows } = await (await fetch(`query?sql=${sql}`)).json();
		const table = await (await fetch('table?what=operators&limit=1000')).json();
		const calls = table.columns.findIndex(column => column.name === 'calls');
		return [rows[0][0], table.rows.reduce((sum, row) => sum + row[calls], 0)];
	});
	assert.equal(...expected);
	const inWords = String(expected[0]).replace(/\B(?=(\d{3})+$)/g, ',');
	await d.until(
		n => document.querySelector('.sql .grid-row [role=gridcell]')?.textContent === n,
		inWords,
	);
	const heads = await d.page.$$eval('.sql [role=columnheader]', all => all.map(one => one.textContent));
	assert.deepEqual(heads, ['n', 'total_ns']);
	assert.match(await d.page.evaluate(() => location.hash), /[#&]sql=SELECT/);
	const csv = (await d.saved('query.csv', () => d.page.$eval('.sql-said button', button => button.click()))).toString();
	assert.match(csv, /^n,total_ns\r\n\d+,\d+\r\n$/);
	// points in time can be told apart
	await write(d, 'SELECT begin_ns, duration_ns FROM inferences LIMIT 1');
	await d.until(() =>
		/^[\d,]{5,} [\d.]+ [mµn]?s$/.test(
			[...document.querySelectorAll('.sql .grid-row [role=gridcell]')].map(one => one.textContent).join(' '),
		),
	);
	// every example, and one sorted by a column
	const examples = await d.page.$$eval('.sql option:not([disabled])', all => all.map(one => one.value));
	assert.ok(examples.length > 4);
	for (const example of [...examples, '2']) {
		await d.page.select('.sql select', example);
		await d.until(
			() => document.querySelector('.sql .main').textContent === 'Run' && document.querySelector('.sql .grid-row[data-line], .sql [role=alert]'),
		);
		assert.equal(await d.page.$('.sql [role=alert]'), null, example);
	}
	await d.until(() => document.querySelector('.sql [role=columnheader]').textContent === 'op_type');
	await d.page.$$eval('.sql [role=columnheader] button', all => all[1].click());
	await d.until(() => document.querySelector('.sql [aria-sort=descending]'));
	const calls = await d.page.$$eval('.sql .grid-row', rows =>
		rows.map(row => Number(row.children[1].textContent.replace(/,/g, ''))),
	);
	assert.deepEqual(calls, [...calls].sort((a, b) => b - a));
};

/** What the browser notes on its console of an answer that is an error. */
const withoutConsole = async (d, act) => {
	const before = d.faults.length;
	await act();
	d.faults.splice(before);
};

exports.sql_that_is_wrong_or_endless_is_said = async d => {
	await withoutConsole(d, async () => {
		await write(d, 'SELECT nonsense FROM operators');
		await d.until(() => /no such column: nonsense/.test(document.querySelector('.sql [role=alert]')?.textContent));
		await write(d, 'DELETE FROM operators');
		await d.until(() => /may not be modified|read-only/.test(document.querySelector('.sql [role=alert]')?.textContent));
	});
	await write(d, `SELECT '${'€'.repeat(450)}'`);
	await d.until(() => /inftrace query --file/.test(document.querySelector('.sql [role=alert]')?.textContent));
	await write(d, 'WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT max(x) FROM a');
	await d.click('button', 'Stop');
	await d.until(() => document.querySelector('.sql .main').textContent === 'Run');
	await write(d, 'SELECT * FROM operators');
	await d.until(() => /^The first 1,000 rows/.test(document.querySelector('.sql-said')?.textContent));
	await d.tab('Inferences');
};

exports.notes_are_kept_in_the_link = async d => {
	await d.press('0');
	await d.rest();
	await d.page.mouse.move(...(await middle(d)));
	await d.press('m');
	await d.page.waitForSelector('dialog[open] input');
	await d.page.keyboard.type('warm <b>here</b>');
	await d.press('Enter');
	await d.until(() => document.querySelector('.note')?.textContent === 'warm <b>here</b>');
	const { notes } = await d.place();
	const at = () =>
		d.page.evaluate(() => {
			const box = document.querySelector('.note').getBoundingClientRect();
			const { plots, app } = inftrace;
			return Math.abs(box.left - plots.at.events.getBoundingClientRect().left - plots.xOf(app.place.notes[0].time));
		});
	assert.ok((await at()) < 1.5);
	await d.press('w');
	await d.rest();
	assert.ok((await at()) < 1.5);
	// flags of notes that are near each other do not lie on each other
	const flags = await d.page.evaluate(async () => {
		const { app } = inftrace;
		const { notes } = app.place;
		const near = [-30, -20, 0, 60].map((pixels, i) => ({
			time: Math.round(app.view.begin + ((app.view.end - app.view.begin) * (300 + pixels)) / inftrace.plots.width),
			text: `flag ${i} with a long text`,
		}));
		app.go({ notes: near });
		await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
		const boxes = [...document.querySelectorAll('.note button')].map(one => one.getBoundingClientRect());
		app.go({ notes });
		return boxes.map(({ left, right }) => [left, right]);
	});
	assert.equal(flags.length, 4);
	for (let i = 1; i < flags.length; i++) assert.ok(flags[i - 1][1] <= flags[i][0] + 1, JSON.stringify(flags));
	const other = await d.open(await d.page.evaluate(() => location.hash));
	await other.until(() => document.querySelector('.note')?.textContent === 'warm <b>here</b>');
	assert.deepEqual((await other.place()).notes, notes);
	await other.page.close();
	await d.page.click('.note button');
	await d.page.waitForSelector('dialog[open]');
	await d.click('button', 'Remove');
	await d.until(() => !document.querySelector('.note') && !inftrace.app.place.notes.length);
	await d.press('0');
	await d.rest();
};

exports.commands_are_found_by_name = async d => {
	await d.page.focus('canvas.events');
	await d.press('k');
	await d.page.waitForSelector('dialog[open] #commands li');
	await d.page.keyboard.type('table stacks');
	await d.until(() => document.querySelectorAll('#commands li').length === 1);
	await d.press('Enter');
	await d.until(() => inftrace.app.place.tab === 'stacks' && !document.querySelector('dialog'));
	// one that opens a dialog of its own
	await d.press('k');
	await d.page.waitForSelector('dialog[open] #commands li');
	await d.page.keyboard.type('go to a time');
	await d.press('Enter');
	await d.until(() => document.querySelector('dialog[open]')?.ariaLabel === 'Go to a time');
	await d.press('Escape');
	await d.until(() => !document.querySelector('dialog'));
	await d.tab('Inferences');
};
