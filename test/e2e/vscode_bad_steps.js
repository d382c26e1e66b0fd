// SPDX-License-Identifier: Apache-2.0
// What the extension makes of a folder that is not trusted, of hostile names, and of recordings that are cut off or empty:
// see test_vscode.py for what is there.
'use strict';
const assert = require('assert/strict');
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
	await w.page.locator('.notifications-toasts').getByText(/the editor would replace .* rename it/).first().waitFor();
	await w.command('Notifications: Clear All Notifications');
};

exports.the_name_of_a_program_leads_nowhere = async w => {
	await w.command('inftrace: Record Running Program');
	await w.pick('serve');
	const toast = w.page.locator('.notifications-toasts .notification-toast').filter({ hasText: / inferences in/ }).first();
	await toast.waitFor();
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

exports.a_file_that_is_none_is_refused_in_words = async w => {
	fs.writeFileSync(path.join(folder, 'empty.pftrace'), '');
	await w.tree('empty.pftrace').click();
	await w.frame(() => /cannot be shown[^]*it is empty/.test(document.querySelector('#trouble')?.textContent));
	// no name has become a part of a document
	assert.deepEqual(dialogs, []);
};
