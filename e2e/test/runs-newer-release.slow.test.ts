/** A rolling update on one file: the instance of the older release is still there while the newer one comes, goes and is killed. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { deskKey, type ServedDesk, serveDesk } from './kills/serve-desk.ts';

/** What steps wait for: each comes and stays until it is let on. */
async function startGate() {
  const held: ServerResponse[] = [];
  let isOpen = false;
  const server = createServer((_, response) => {
    if (isOpen) response.end('noted');
    else held.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: () => held.length,
    set(open: boolean): void {
      isOpen = open;
      if (open) for (const response of held.splice(0)) response.end('noted');
    },
  };
}

interface Told {
  readonly status: number;
  // Its reader knows what it asked for.
  readonly body: Record<string, unknown>;
}

async function ask({ url }: ServedDesk, path: string, body?: unknown): Promise<Told> {
  const response = await fetch(url + path, {
    headers: { 'x-api-key': deskKey, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Told['body'] };
}

it('an instance of the older release ends no run of the newer one, whatever reaches it', async () => {
  verifies('runs.release.newer');
  const folder = mkdtempSync(join(tmpdir(), 'rolled-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const gate = await startGate();
  const start = (RELEASE: string, more = {}) =>
    serveDesk('rolled-desk', folder, { RELEASE, GATE: gate.url, ...more });
  const older = await start('old', { WAYMARK_WORKERS: '2' });
  let newer = await start('new');
  // Whoever takes its place starts later than the newer release, and is as old as it was.
  const ownerPid = async () => (await ask(older, '/owner-pid')).body;
  const first = await ownerPid();
  process.kill(Number(first), 'SIGKILL');
  await expect.poll(() => ownerPid().catch(() => first), { timeout: 20_000 }).not.toBe(first);
  const status = async (at: ServedDesk, id: string) => (await ask(at, `/_svc/runs/${id}`)).body['status'];
  const stop = async ({ program }: ServedDesk): Promise<void> => {
    program.child.kill('SIGTERM');
    await program.ended();
  };
  const question = async () => {
    const { body } = await ask(newer, '/flows/new-flow', { order: 7 });
    const [one] = body['pending_approvals'] as { approval_id: string }[];
    return { id: String(body['run_id']), decide: `/_svc/approvals/${one?.approval_id}` };
  };

  const asked = await question();
  expect(await ask(older, `/_svc/runs/${asked.id}`)).toEqual(await ask(newer, `/_svc/runs/${asked.id}`));
  const detail = 'the run goes on at an instance that has "new_flow"';
  const running = { status: 202, body: { run_id: asked.id, status: 'running', detail } };
  expect(await ask(older, asked.decide, { approve: true })).toEqual(running);
  await expect.poll(() => status(older, asked.id), { timeout: 10_000 }).toBe('completed');

  /** Begins a run at the newer one, ends that in the middle of it, and says what the older one makes of it. */
  const interrupted = async (name: string, end: () => Promise<void>): Promise<string> => {
    gate.set(false);
    const answered = ask(newer, `/behaviours/${name.replace('_', '-')}`, {}).catch(() => undefined);
    await expect.poll(gate.held, { timeout: 10_000 }).toBe(1);
    const { body } = await ask(older, '/_svc/runs?status=running');
    const [{ run_id: id = '' } = {}] = body['runs'] as { run_id?: string }[];
    await end();
    await answered;
    await older.program.saying(new RegExp(`"route":"${name}".*are left to the newer release`));
    expect(await status(older, id)).toBe('running');
    gate.set(true);
    newer = await start('new');
    await expect.poll(() => status(older, id), { timeout: 10_000 }).toBe('completed');
    return id;
  };
  await interrupted('new_work', async () => {
    const stopped = stop(newer);
    // The step under way may end, and no other begins.
    const isReady = () =>
      fetch(`${newer.url}/_svc/health?ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isReady, { timeout: 10_000 }).toBe(false);
    gate.set(true);
    await stopped;
  });
  await interrupted('new_task', () => newer.kill());

  const last = await question();
  await Promise.all([stop(older), stop(newer)]);
  const said = older.program.stdout().match(/are left to the newer release/g);
  expect(said).toHaveLength(3);
  // The same code, started behind whoever had the run: what it lacks was removed.
  const rolledBack = await start('old');
  expect(await ask(rolledBack, last.decide, { approve: true })).toMatchObject({
    ...{ status: 500, body: { code: 'declaration_gone' } },
  });
  expect(await status(rolledBack, last.id)).toBe('failed');
}, 120_000);
