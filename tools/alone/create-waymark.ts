// `create-waymark` and nothing else: an application in an empty folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { templateNames, writeApplication } from 'create-waymark';

assert.deepEqual(
  readdirSync('node_modules').filter((name) => !name.startsWith('.')),
  ['create-waymark'],
);
for (const template of templateNames) {
  const files = writeApplication(`${template}-app`, { template });
  assert.ok(files.includes('.gitignore') && files.includes('.vscode/launch.json'));
}
const bin = 'node_modules/create-waymark/bin/create-waymark.js';
const said = execFileSync(process.execPath, [bin, 'my-app'], { encoding: 'utf8' });
assert.match(said, /^my-app is ready\. Next:\n/);
assert.match(readFileSync('my-app/application.ts', 'utf8'), /createApplication\('my-app'/);
