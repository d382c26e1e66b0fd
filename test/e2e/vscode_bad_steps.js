// SPDX-License-Identifier: Apache-2.0
// What the extension makes of a folder that is not trusted, of hostile names, of recordings that are cut off, grow, vanish or
// are empty, of two windows, and of programs that are no usable inftrace: see test_vscode.py for what is there.
'use strict';
const assert = require('assert/strict');
const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');

const folder = process.env.VSCODE_FOLDER;
const dialogs = [];

exports.nothing_is_recorded_in_a_folder_that_is_not_trusted = async w => {
	w.page.on('dialog', dialog => dialogs.push(dialog.message()) && dialog.dismiss());
	await w.show();
	await w.page.getByText('This workspace is not trusted').first().waitFor();
	await w.tree('first.pftrace').click();
	await w.timeline('first.pftrace');
	await w.page.keyboard.press('F1');
	await w.page.locator('.quick-input-widget input.input').fill('>inftrace: ');
	await w.row('inftrace: Open Report', true).waitFor();
	assert.ok(!(await w.row('inftrace: Record Command Line', true).isVisible()));
	await w.page.keyboard.press('Escape');
};

exports.once_it_is_trusted_programs_are_offered = async w => {
	await w.command('Workspaces: Manage Workspace Trust');
	await w.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
	await w.page.locator('.workspace-trust-editor').getByText('You trust this folder').first().waitFor();
	await w.page.locator('.monaco-modal-editor-block .codicon-close').first().click();
	await w.show();
	await w.tree('serve').waitFor();
};

exports.names_of_recordings_are_text = async w => {
	for (const name of JSON.parse(process.env.VSCODE_NAMES)) {
		await w.tree(name.slice(0, 4)).click();
		// the server shows what would turn text round
		await w.frame(start => {
			const { app } = globalThis.inftrace ?? {};
			return app?.recording.file.includes(start) && app.gate.busy === 0;
		}, name.slice(0, 4));
	}
	await w.command('inftrace: Open Report');
	await w.frame(() => /inferences of/.test(document.body.textContent) && document.querySelector('h1') !== null);
};

exports.a_name_that_the_editor_would_change_is_refused = async w => {
	await w.command('inftrace: Profile Model');
	await w.pick('odd');
	await w.pick('CPUExecutionProvider');
	await w.type('100ms');
	await w.notice(/the editor would replace .* rename it/);
	await w.command('Notifications: Clear All Notifications');
};

exports.the_name_of_a_program_leads_nowhere = async w => {
	await w.command('inftrace: Record Running Program');
	await w.pick('serve');
	const toast = await w.notice(/ inferences in/);
	assert.equal(await toast.locator('.notification-list-item-message a').count(), 0);
	await w.command('Notifications: Clear All Notifications');
};

exports.a_recording_that_is_cut_off_is_shown_up_to_there = async w => {
	const whole = fs.readFileSync(path.join(folder, 'first.pftrace'));
	fs.writeFileSync(path.join(folder, 'cut.pftrace'), whole.subarray(0, Math.floor(whole.length * 0.7)));
	await w.tree('cut.pftrace').click();
	const frame = await w.timeline('cut.pftrace');
	await frame.waitForFunction(() => /cut off at byte/.test(document.body.textContent));
};

/** While it is written, the page follows; when it is removed, what was read stays, and its row goes. */
exports.a_recording_that_grows_is_followed_and_outlives_its_file = async w => {
	const file = path.join(folder, 'grows.pftrace');
	const recorder = spawn('sh', ['-c', process.env.VSCODE_RECORD, 'sh', file], { stdio: 'ignore', cwd: folder });
	const over = new Promise(done => recorder.on('close', done));
	await w.tree('grows.pftrace').click();
	const frame = await w.timeline('grows.pftrace');
	const before = await frame.evaluate(() => inftrace.app.end);
	await frame.waitForFunction(was => inftrace.app.end > was + 5e8, before);
	recorder.kill('SIGINT');
	await over;
	await frame.waitForFunction(() => !inftrace.app.recording.growing && inftrace.app.gate.busy === 0);
	fs.unlinkSync(file);
	await w.tree('grows.pftrace').waitFor({ state: 'detached' });
	const tile = () => inftrace.app.slices.load({ level: 12, index: 3 }, '0-1').then(one => one.begin);
	assert.ok((await frame.evaluate(tile)) > 0);
};

/** Each has a page and a server of its own: closing one ends nothing of the other. */
exports.two_windows_show_one_recording = async w => {
	const page = await w.page.context().newPage();
	await page.goto(w.page.url());
	const other = new w.constructor(page);
	await other.show();
	await other.tree('first.pftrace').click();
	await other.timeline('first.pftrace');
	await w.page.bringToFront();
	await w.tree('first.pftrace').click();
	const frame = await w.timeline('first.pftrace');
	await page.close();
	const tile = () => inftrace.app.slices.load({ level: 12, index: 3 }, '0-1').then(one => one.begin);
	assert.ok((await frame.evaluate(tile)) > 0);
	assert.ok(await frame.evaluate(() => document.querySelector('.gone') === null));
};

const settings = JSON.parse(fs.readFileSync(process.env.VSCODE_SETTINGS, 'utf8'));
const use = file => fs.writeFileSync(process.env.VSCODE_SETTINGS, JSON.stringify({ ...settings, 'inftrace.path': file }));
const { missing, old, other, few, later } = JSON.parse(process.env.VSCODE_PROGRAMS);

/** By sudo for once, or by a command line that the reader runs. */
exports.rights_that_are_missing_are_offered = async w => {
	await w.show();
	use(few);
	await w.page.locator('.pane-body .codicon-lock').first().waitFor();
	// of which it is not known what it runs
	await w.command('inftrace: Record Running Program');
	await w.page.locator('.quick-input-widget input.input').fill(process.env.VSCODE_PID);
	await w.pick('Another program');
	await w.page.getByRole('button', { name: 'Only Now, by sudo' }).click();
	await w.notice(/ inferences in/);
	await w.command('Notifications: Clear All Notifications');
	await w.command('inftrace: Live');
	await w.frame(() => /CAP_BPF/.test(document.body.textContent));
	await w.answer(/needs rights/, 'Allow It Once for All');
	await w.page.locator('.xterm-rows').filter({ hasText: 'setcap' }).waitFor();
	await w.command('Notifications: Clear All Notifications');
};

exports.a_program_that_cannot_be_used_is_said = async w => {
	await w.show();
	use(missing);
	await w.page.getByText('The program inftrace is not installed on this machine.').first().waitFor();
	use(old);
	await w.page.getByText('The program inftrace on this machine is too old').first().waitFor();
	use(other);
	await w.page.getByText('It may be for another processor').first().waitFor();
	use(settings['inftrace.path']);
	await w.tree('serve').waitFor();
	// it is installed while the window is open
	use(later);
	await w.page.getByText('The program inftrace is not installed on this machine.').first().waitFor();
	fs.symlinkSync(settings['inftrace.path'], later);
	await w.tree('serve').waitFor();
};

exports.a_file_that_is_none_is_refused_in_words = async w => {
	fs.writeFileSync(path.join(folder, 'empty.pftrace'), '');
	await w.tree('empty.pftrace').click();
	await w.frame(() => /cannot be shown[^]*it is empty/.test(document.querySelector('#trouble')?.textContent));
	// no name has become a part of a document
	assert.deepEqual(dialogs, []);
};
