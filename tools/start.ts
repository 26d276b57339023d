// Runs the reference application: `npm start`. On what was built of the packages, brought up to their sources; with `--source`
// on the sources themselves, which takes four times as long to start and needs no build.
import { spawnSync } from 'node:child_process';
import module from 'node:module';
import { join } from 'node:path';
import { bringUp } from './lib/bring-up.ts';
import { repositoryRoot } from './lib/workspace.ts';

module.enableCompileCache();
const example = join(repositoryRoot, 'apps/server/example/main.ts');
if (process.argv.includes('--source')) runSource(process.argv.slice(2).filter((word) => word !== '--source'));
else if (await isBuilt()) await import(example);

async function isBuilt(): Promise<boolean> {
  try {
    await bringUp(repositoryRoot, (line) => console.log(line));
    return true;
  } catch (error) {
    console.error(`the packages cannot be built\n${(error as Error).message}`);
    process.exitCode = 1;
    return false;
  }
}

function runSource(words: readonly string[]): void {
  const args = ['--conditions=@waymark/source', example, ...words];
  if (process.execve) process.execve(process.execPath, [process.execPath, ...args], process.env);
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
