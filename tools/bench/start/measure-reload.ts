import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryRoot } from '../../lib/workspace.ts';

/** Milliseconds after a start until the process that stands by has loaded everything. */
const standByMs = 1500;

/** @returns the least milliseconds from saving a file to serving what it says, under `waymark dev` */
export async function measureReload(rounds: number): Promise<number> {
  const cwd = await mkdtemp(join(tmpdir(), 'waymark-reload-'));
  await symlink(join(repositoryRoot, 'node_modules'), join(cwd, 'node_modules'));
  await writeFile(join(cwd, 'package.json'), '{"type":"module"}');
  const file = join(cwd, 'application.ts');
  await writeFile(file, application(0));
  const env = { PATH: process.env['PATH'], LOG_LEVEL: 'silent' };
  const command = [join(repositoryRoot, 'apps/server/bin/waymark.js'), 'dev', '--port', '0'];
  const child = spawn(process.execPath, command, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const urlOf = async (n: number): Promise<string> => {
    for (;;) {
      const urls = [...said.matchAll(/url +(http:\S+)/g)];
      if (urls[n]?.[1] !== undefined) return urls[n][1];
      await once(child.stdout, 'data');
    }
  };
  const took: number[] = [];
  try {
    await urlOf(0);
    for (let i = 1; i <= rounds; i++) {
      await pause(standByMs);
      const savedMs = performance.now();
      await writeFile(file, application(i));
      const response = await fetch(`${await urlOf(i)}/round`);
      took.push(performance.now() - savedMs);
      if ((await response.json()) !== i) throw new Error(`round ${i} served something else`);
    }
    return Math.min(...took);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
    await rm(cwd, { recursive: true });
  }
}

function application(round: number): string {
  return `import { createApplication } from '@waymark/server';
const app = createApplication('reload');
app.get('/round', {}, () => ${round});
export default app;
`;
}
