import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openAgentSocket } from './agent-socket.ts';
import { logLines } from './log-lines.ts';
import { startProgram } from './program.ts';

const key = 'a-key-of-the-desk-of-more-than-16';

it('is no failure of the service when sockets close before their messages are read', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'waymark-left-'));
  const env = { DESK_KEY: key, LOG_LEVEL: 'info' };
  const program = startProgram('e2e/test/programs/left-desk.ts', { cwd, env });
  onTestFinished(async () => {
    program.child.kill('SIGKILL');
    await program.ended();
    rmSync(cwd, { recursive: true, force: true });
  });
  const [, url = ''] = await program.saying(/^url (.*)$/m);
  const message = JSON.stringify({ input: 'a', images: Array(90_000).fill(0) });
  for (let round = 0; round < 3; round++) {
    const open = () => openAgentSocket(url, '/agents/clerk', { 'x-api-key': key });
    const sockets = await Promise.all(Array.from({ length: 20 }, open));
    await Promise.all(sockets.map(({ ws }) => new Promise((sent) => ws.send(message, sent))));
    for (const { ws } of sockets) ws.terminate();
    await Promise.all(sockets.map(({ closed }) => closed));
  }
  // One that stays is read after all of them.
  const last = await openAgentSocket(url, '/agents/clerk', { 'x-api-key': key });
  last.send(message);
  expect((await last.until('error'))['status']).toBe(422);
  expect(logLines(program).filter(({ level }) => level === 'error')).toEqual([]);
});
