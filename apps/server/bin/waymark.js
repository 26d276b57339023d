#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// What is new brings a Node of its own, so that an older one may make it.
const isNew = process.argv[2] === 'new' && major >= 20;
// Before anything is loaded that an older one does not know.
if (!isNew && (major < 22 || (major === 22 && minor < 18))) {
  console.error(`waymark: Node ${process.versions.node} is too old; take Node 22.18 or newer`);
  process.exit(1);
}
// Halves the time to the first line.
module.enableCompileCache?.();
const isSource = process.execArgv.some((flag) => flag.includes('@waymark/source'));
if (isSource || existsSync(new URL('../dist/cli/index.js', import.meta.url))) {
  const { main } = await import('@waymark/server/cli');
  await main(process.argv.slice(2));
} else if (process.execve) {
  // A clone that was not built: the same once more, from its sources.
  process.execve(
    process.execPath,
    [process.execPath, ...process.execArgv, '--conditions=@waymark/source', ...process.argv.slice(1)],
    process.env,
  );
} else {
  console.error('waymark is not built in this clone; npm run build');
  process.exitCode = 1;
}
