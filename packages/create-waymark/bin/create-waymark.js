#!/usr/bin/env node
import { existsSync } from 'node:fs';

const isSource = process.execArgv.some((flag) => flag.includes('@waymark/source'));
if (isSource || existsSync(new URL('../dist/index.js', import.meta.url))) {
  const { create } = await import('create-waymark');
  process.exitCode = await create(process.argv.slice(2));
} else if (process.execve) {
  // A clone that was not built: the same once more, from its sources.
  process.execve(
    process.execPath,
    [process.execPath, ...process.execArgv, '--conditions=@waymark/source', ...process.argv.slice(1)],
    process.env,
  );
} else {
  console.error('create-waymark is not built in this clone; npm run build');
  process.exitCode = 1;
}
