// `create-waymark` and nothing else: an application in an empty folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { templateNames, writeApplication } from 'create-waymark';

assert.deepEqual(
  readdirSync('node_modules').filter((name) => !name.startsWith('.')),
  ['create-waymark'],
);
// It runs on several versions of Node in this one project.
const folder = mkdtempSync('./apps-');
for (const template of templateNames) {
  const files = writeApplication(`${folder}/${template}-app`, { template });
  assert.ok(files.includes('.gitignore') && files.includes('.vscode/launch.json'));
}
const bin = 'node_modules/create-waymark/bin/create-waymark.js';
const said = execFileSync(process.execPath, [bin, `${folder}/my-app`], { encoding: 'utf8' });
assert.match(said, /my-app is ready\. Next:\n/);
assert.match(readFileSync(`${folder}/my-app/application.ts`, 'utf8'), /createApplication\('my-app'/);
rmSync(folder, { recursive: true });
