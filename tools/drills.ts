// Runs the long trials of e2e/drills and keeps a log of each run: `npm run drills [-- name…]`.
import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

const folder = 'e2e/drills';
const drills = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.drill.ts')) : [];

if (drills.length === 0) {
  console.log(`no drill in ${folder}`);
} else {
  mkdirSync('drills-logs', { recursive: true });
  const startedAt = new Date().toISOString();
  const path = `drills-logs/${startedAt.replaceAll(':', '-')}.log`;
  const log = createWriteStream(path);
  log.write(`${describeRun(startedAt)}\n\n`);
  const args = ['run', '--config', 'e2e/drills.config.ts', ...process.argv.slice(2)];
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  const child = spawn('vitest', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(log, { end: false });
    stream.pipe(process.stdout, { end: false });
  }
  child.on('close', (code) => {
    log.end();
    console.log(`log: ${path}`);
    process.exitCode = code ?? 1;
  });
}

function describeRun(startedAt: string): string {
  const [cpu] = cpus();
  return [
    `date     ${startedAt}`,
    `commit   ${git('rev-parse', 'HEAD') || 'none'}${git('status', '--porcelain') ? ' with local changes' : ''}`,
    `machine  ${cpus().length} × ${cpu?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}`,
    `node     ${process.version}`,
  ].join('\n');
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return ''; // an exported tree has no history: the log says so
  }
}
