// SPDX-License-Identifier: Apache-2.0
// Sizes of texts and targets, and a window as narrow as a phone, of the page of `inftrace view`.
'use strict';
const assert = require('assert/strict');

/** What can be clicked and is smaller than 24 pixels, and texts below 12 pixels. A row of a drawing has its own size. */
const small = page =>
	page.evaluate(() => {
		const shown = element => {
			const box = element.getBoundingClientRect();
			return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility !== 'hidden';
		};
		const name = (element, what) => `${what}: ${element.outerHTML.slice(0, 100)}`;
		const targets = [...document.querySelectorAll('button, select, [role=tab], [role=option], input, summary')]
			.map(one => (one.matches('[type=checkbox]') ? one.closest('label') : one))
			.filter(one => shown(one) && !one.closest('.icicle, .findings b, .skip'))
			.filter(one => one.getBoundingClientRect().height < 23.9 || one.getBoundingClientRect().width < 23.9)
			.map(one => name(one, 'small'));
		const texts = [...document.querySelectorAll('body *')]
			.filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()))
			.filter(one => shown(one) && parseFloat(getComputedStyle(one).fontSize) < 12)
			.map(one => name(one, 'text'));
		return [...targets, ...texts];
	});

exports.texts_can_be_read_and_targets_hit = async d => {
	for (const tab of ['operators', 'icicle', 'stacks', 'models', 'resources', 'losses', 'inferences']) {
		await d.page.click(`#tab-${tab}`);
		await d.until(name => document.querySelector(`#tab-${name}`).ariaSelected === 'true', tab);
		await d.until(() => !document.querySelector('.panel').textContent.includes('Reading …'));
		assert.deepEqual(await small(d.page), [], tab);
	}
	await d.page.waitForSelector('.grid-row[data-line="0"]');
	await d.page.click('.grid-row[data-line="0"]');
	await d.selected();
	await d.page.click('.chooser > button');
	await d.page.waitForSelector('.popover');
	assert.deepEqual(await small(d.page), []);
	await d.click('button', 'Done');
	await d.press('?');
	await d.page.waitForSelector('dialog[open]');
	assert.deepEqual(await small(d.page), []);
	await d.press('Escape');
	await d.until(() => !document.querySelector('dialog'));
	await d.press('Escape');
	await d.until(() => !document.querySelector('.details'));
};

exports.a_narrow_page_has_what_matters_first_and_one_scroller = async d => {
	const narrow = await d.open('#');
	const { page } = narrow;
	await page.setViewport({ width: 420, height: 900 });
	await page.reload({ waitUntil: 'load' });
	await page.waitForSelector('.grid.cards .grid-row[data-line="0"]');
	await narrow.until(() => document.querySelector('.tiles'));
	const { tops, inner, cut } = await page.evaluate(() => {
		const all = [...document.querySelectorAll('#page *')].filter(one => one.getBoundingClientRect().height > 0);
		const scrolls = one => /auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1;
		return {
			tops: ['.tiles', '.findings', '.tables', '.unfold']
				.map(one => document.querySelector(one)?.getBoundingClientRect().top)
				.filter(top => top !== undefined),
			inner: all.filter(scrolls).map(one => one.className),
			// what lies beyond the edge, or is wider than its box
			cut: all
				.filter(one => one.getBoundingClientRect().right > innerWidth + 1 || (one.matches('button, b, small, p') && one.scrollWidth > one.clientWidth + 1))
				.map(one => one.outerHTML.slice(0, 80)),
		};
	});
	assert.deepEqual(tops, [...tops].sort((a, b) => a - b));
	assert.ok(tops[1] < 900 && tops.at(-2) < 900, `the tables begin at ${tops.at(-2)}`);
	assert.deepEqual(inner, []);
	assert.deepEqual(cut, []);
	assert.deepEqual(await small(page), []);
	const rows = () => page.$$eval('.grid-row[data-line]', all => all.length);
	assert.equal(await rows(), 20);
	await page.$eval('.more-rows', button => button.click());
	await narrow.until(() => document.querySelectorAll('.grid-row[data-line]').length > 20);
	await page.select('.order select', 'duration.asc');
	await narrow.until(() => inftrace.app.place.sort === 'duration.asc');
	// the timeline is there when it is asked for
	assert.equal(await page.evaluate(() => document.querySelector('.timeline').getBoundingClientRect().height), 0);
	await page.$eval('.unfold', button => button.click());
	await narrow.until(() => inftrace.plots.width > 200 && inftrace.plots.at.events.width > 200);
	await narrow.rest();
	await page.close();
};
