/** Two instances on one libsql server and one Redis: what one of the two has lost is not the other's loss. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { picture } from './hub-pictures.ts';
import { openReader } from './hub-reader.ts';
import { startRedis } from './instances/redis-server.ts';
import { Fleet, keys } from './servers/fleet.ts';
import { type Machine, startMachine } from './servers/machine.ts';
import { startOutside } from './servers/outside.ts';
import { findSqld, type Sqld } from './servers/sqld.ts';

const sqld = await findSqld();
/** Promised of health, milliseconds. */
const toldMs = 5_000;

/** What two machines stand on, and what happened outside. */
async function startAll(state: Sqld) {
  const folder = mkdtempSync(join(tmpdir(), 'together-'));
  const redis = await startRedis(inject('redis'));
  const outside = await startOutside();
  await state.start();
  onTestFinished(async () => {
    await outside.close();
    await state.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const start = async (name: string): Promise<Machine> => {
    const machine = await startMachine(
      new Fleet({
        ...{ sqld: state, outside: outside.url, folder: mkdtempSync(join(folder, name)) },
        application: join(import.meta.dirname, 'programs/machine-desk.ts'),
        env: {
          ...{ DATABASE: state.url, LEASE: '3', HOOK: `${outside.url}/hook` },
          ...{ WAYMARK_HUB_REDIS: redis.url, WAYMARK_WORKERS: '2' },
        },
      }),
    );
    onTestFinished(() => void machine.server.program.child.kill('SIGKILL'));
    return machine;
  };
  const [a, b] = await Promise.all([start('a'), start('b')]);
  return { redis, outside, a, b };
}

/** Sends a picture of the door. @returns its number, or the code of its refusal */
async function send({ server }: Machine): Promise<number | string | undefined> {
  const response = await fetch(`${server.url}/devices/door/frames`, {
    method: 'POST',
    headers: { 'x-api-key': keys.DESK_KEY, 'content-type': 'image/png' },
    body: new Uint8Array(picture()),
  });
  const { seq, code } = (await response.json()) as { readonly seq?: number; readonly code?: string };
  return response.ok ? seq : code;
}

async function firstApproval({ ask }: Machine): Promise<string> {
  const { approvals } = (await ask('GET /_svc/approvals')).body as {
    readonly approvals: readonly { readonly approval_id: string }[];
  };
  return approvals[0]?.approval_id ?? '';
}

describe.skipIf(!sqld || inject('redis') === '')('a libsql server and a Redis', { timeout: 120_000 }, () => {
  it('die one after the other, and neither takes with it what the other keeps', async () => {
    verifies('scale.machines.state', 'scale.machines.hub', 'scale.machines.outage', 'scale.redis.away');
    const state = sqld as Sqld;
    const { redis, outside, a, b } = await startAll(state);
    const port = Number(new URL(b.server.url).port);
    const reader = openReader({ port, target: `/devices/door/stream?access_token=${keys.DESK_KEY}` });
    onTestFinished(() => reader.vanish());
    await reader.until(({ hello }) => hello !== undefined);
    expect(await send(a)).toBe(1);
    await reader.until(({ frames }) => frames.length === 1);
    const refund = (job: string) => ({
      input: `${job} [[call refund ${JSON.stringify({ job, n: 1 })}]] [[say done ${job}]]`,
    });
    const effects = (): readonly string[] =>
      outside.happened.flatMap((one) => (one.what === 'effect' ? [one.job] : []));

    // Without Redis runs begin here, and are decided there.
    await redis.kill();
    await expect.poll(() => b.troubles(), { timeout: toldMs * 3 }).toContain('hub-redis-gone');
    expect(await send(a)).toBe('redis_unreachable');
    expect((await a.ask('POST /agents/desk', refund('first'))).status).toBe(202);
    const decision = { approve: true, note: '' };
    expect((await b.ask(`POST /_svc/approvals/${await firstApproval(b)}`, decision)).status).toBe(200);
    expect(effects()).toEqual(['first']);
    await redis.start();
    await expect.poll(() => b.troubles(), { timeout: toldMs * 3 }).toEqual([]);

    // Without the database what a device sends here is seen there.
    expect((await b.ask('POST /agents/desk', refund('second'))).status).toBe(202);
    await state.stop();
    await expect.poll(() => a.troubles(), { timeout: toldMs * 3 }).toContain('database-unreachable');
    const number = Number(await send(a));
    expect(number).toBeGreaterThan(1);
    await reader.until(({ frames }) => frames.at(-1)?.seq === number);
    await state.start();
    for (const one of [a, b]) await expect.poll(() => one.troubles(), { timeout: toldMs * 3 }).toEqual([]);

    // And whoever began the second run is gone: the other one brings it to its end.
    b.server.program.child.kill('SIGKILL');
    expect((await a.ask(`POST /_svc/approvals/${await firstApproval(a)}`, decision)).status).toBe(200);
    await expect.poll(effects, { timeout: 30_000 }).toEqual(['first', 'second']);
  });
});
