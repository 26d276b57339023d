/** The reference application with as many processes as there are CPUs: whoever asks notices nothing of it. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { docsKeys } from './docs-page-reference.ts';
import { openSocket } from './hub-socket.ts';
import { startProgram } from './program.ts';
import { temporaryFolder } from './started-desk.ts';
import { type Answer, type Asking, askOnce } from './workers/crew.ts';

const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
);
const json = { 'content-type': 'application/json' };
/** More than there are processes, so that each is asked. */
const times = 6;

it('has its pages, console, codes, tools, agents and devices at every process', async () => {
  verifies('scale.workers.start', 'scale.stateless', 'scale.owner', 'scale.sockets');
  const folder = temporaryFolder(onTestFinished);
  const program = startProgram('apps/server/bin/waymark.js', {
    cwd: folder,
    env: { ...docsKeys, WAYMARK_WORKERS: '', DATABASE: join(folder, 'desk.db'), LOG_LEVEL: 'error' },
    argv: ['start', join(import.meta.dirname, 'programs/reference-desk.ts'), '--port', '0'],
  });
  onTestFinished(async () => {
    program.child.kill('SIGTERM');
    expect(await program.ended()).toBe(0);
  });
  const [, url = ''] = await program.saying(/url +(http:\S+)/);
  const cpus = availableParallelism();
  expect(program.stdout()).toContain(cpus === 1 ? 'because there is 1 CPU' : `${cpus} processes`);
  const everywhere = (path: string, asking: Asking = {}): Promise<readonly Answer[]> =>
    Promise.all(Array.from({ length: times }, () => askOnce(new URL(path, url), asking)));
  const key = { 'x-api-key': docsKeys.OPERATOR_KEY };
  const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))];

  for (const path of ['/', '/board', '/_svc/console', '/_svc/health'])
    expect([path, statuses(await everywhere(path, { headers: key }))]).toEqual([path, [200]]);

  // A code is made at one process, used up at another, and its session is good at all.
  const codes = await everywhere('/_svc/session/code', { method: 'POST', headers: key });
  for (const { json: made } of codes) {
    const { code } = made as { readonly code: string };
    const open = () =>
      askOnce(new URL('/_svc/session', url), {
        ...{ method: 'POST', body: JSON.stringify({ credential: code }) },
        headers: { ...json, origin: url, 'sec-fetch-site': 'same-origin' },
      });
    const opened = await open();
    expect([200, 201, 204]).toContain(opened.status);
    const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
    expect(statuses(await everywhere('/_svc/overview', { headers: { cookie } }))).toEqual([200]);
    expect((await open()).status).toBe(401);
  }

  const tools = await everywhere('/_svc/mcp', {
    ...{ method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' },
    headers: { ...key, ...json, accept: 'application/json, text/event-stream' },
  });
  expect(statuses(tools)).toEqual([200]);
  expect(new Set(tools.map(({ text }) => text.length)).size).toBe(1);
  expect(tools[0]?.text).toContain('list_tickets');

  for (const [path, name] of [
    ['/_svc/agents', 'triage'],
    ['/_svc/devices', 'lobby'],
  ] as const)
    for (const { text } of await everywhere(path, { headers: key })) expect(text).toContain(name);

  const viewers = await Promise.all(
    Array.from({ length: times }, () => openSocket(url, '/devices/lobby/stream', docsKeys.READER_KEY)),
  );
  const camera = await openSocket(url, '/devices/lobby/ws', docsKeys.DEVICE_KEY);
  camera.send(jpeg);
  for (const viewer of viewers) expect(await viewer.until('frame')).toMatchObject({ seq: 1 });
  for (const socket of [camera, ...viewers]) socket.close();
});
