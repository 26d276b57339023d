/** A server with watchers, killed at random moments, whose receiver of webhooks fails and goes away. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Insight } from '@waymark/contract/hub';
import { freePort, verifies } from '@waymark/contract/testing';
import { type Conversation, startSimulator } from '@waymark/model-simulator';
import { expect, it } from 'vitest';
import { picture } from '../test/hub-pictures.ts';
import { type Program, startProgram } from '../test/program.ts';
import { randoms } from '../test/runs/sample.ts';
import { startFlakyReceiver } from '../test/yard/flaky-receiver.ts';

const kills = Number(process.env['KILLS'] ?? 100);
const seed = Number(process.env['SEED'] ?? 1 + Math.floor(Math.random() * 1_000_000));
const annKey = 'ann-secret-of-more-than-16-bytes';
const watchers = ['door_a', 'door_b', 'meter_w', 'gate_w'] as const;
const ceiling = 60;

interface ListedRun {
  readonly run_id: string;
  readonly caller: string;
  readonly status: string;
}

it('tells each conclusion, and none twice, however often its process dies', async () => {
  verifies('watcher.max-runs.sliding', 'webhook.outbox', 'state.watcher.publishes');
  const random = randoms(seed);
  const signing = randomBytes(32);
  const models = await startSimulator({ anonymous: true, script: tell, maxRequests: 100_000 });
  const receiver = await startFlakyReceiver(signing, random);
  const folder = mkdtempSync(join(tmpdir(), 'killed-yard-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...{ ANN_KEY: annKey, HOOK_SECRET: `whsec_${signing.toString('base64')}`, LOG_LEVEL: 'error' },
    ...{ MODELS: models.url, HOOK: receiver.url, DATABASE: join(folder, 'yard.db'), PORT: String(port) },
  };
  const start = async (): Promise<Program> => {
    const program = startProgram('e2e/test/programs/killed-yard.ts', { cwd: folder, env });
    await program.saying(/^url/m);
    return program;
  };
  const call = async <T>(path: string, body?: Buffer | object): Promise<T | undefined> => {
    try {
      const response = await fetch(url + path, {
        headers: {
          'x-api-key': annKey,
          'content-type': Buffer.isBuffer(body) ? 'image/png' : 'application/json',
        },
        ...(body && {
          method: 'POST',
          body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
        }),
      });
      if (response.ok) return (await response.json()) as T;
      await response.body?.cancel();
      return undefined;
    } catch {
      return undefined;
    }
  };

  const over = new AbortController();
  const seen = new Map<string, Insight>();
  const play = async (everyMs: number, work: (n: number) => Promise<unknown>): Promise<void> => {
    for (let n = 1; !over.signal.aborted; n++) {
      await work(n);
      await sleep(everyMs);
    }
  };
  // Every picture is sent three times: the same bytes under another number are no change.
  const send = (device: string, n: number) => call(`/devices/${device}/frames`, sign(Math.ceil(n / 3)));
  const playing = Promise.all([
    play(200, (n) => send('door', n)),
    play(500, (n) => send('gate', n)),
    play(150, (n) => call('/devices/meter/telemetry', { n: Math.ceil(n / 3) })),
    play(1_000, async () => {
      const listed = await call<{ approvals: readonly { approval_id: string }[] }>('/_svc/approvals');
      for (const { approval_id: id } of listed?.approvals ?? [])
        await call(`/_svc/approvals/${id}`, { approve: true, note: '' });
    }),
    play(200, async () => {
      for (const device of ['door', 'gate', 'meter']) {
        const told = await call<{ insights: readonly Insight[] }>(`/devices/${device}/insights`);
        for (const one of told?.insights ?? []) if (one.run_id) seen.set(`${one.run_id}:${one.status}`, one);
      }
    }),
  ]);

  receiver.fail(0.3);
  let program = await start();
  for (let n = 0; n < kills; n++) {
    // The next process has the watchers when the lease of the last is over, after 3 s at most.
    await sleep(2_000 + random() * 4_000);
    if (n === Math.floor(kills / 3)) await receiver.goAway();
    if (n === Math.floor(kills / 2)) await receiver.comeBack();
    program.child.kill('SIGKILL');
    await program.ended();
    program = await start();
  }
  await sleep(8_000);
  over.abort();
  await playing;
  receiver.fail(0);

  const ask = async <T>(path: string): Promise<T> => (await call<T>(path)) as T;
  // The line runs dry; what waits for a time that lies further ahead is asked for.
  const queued = async (): Promise<number> => {
    const { webhooks } = await ask<{ webhooks: readonly { id: string; queued: number; failed: number }[] }>(
      '/_svc/webhooks',
    );
    for (const { id } of webhooks) await call(`/_svc/webhooks/${id}/redeliver`, {});
    return webhooks.reduce((sum, one) => sum + one.queued + one.failed, 0);
  };
  const approveAll = async (): Promise<number> => {
    const { approvals } = await ask<{ approvals: readonly { approval_id: string }[] }>('/_svc/approvals');
    for (const { approval_id: id } of approvals)
      await call(`/_svc/approvals/${id}`, { approve: true, note: '' });
    return approvals.length;
  };
  await expect.poll(approveAll, { timeout: 60_000, interval: 1_000 }).toBe(0);
  const runs = async (): Promise<readonly ListedRun[]> => {
    const all: ListedRun[] = [];
    for (let after = ''; ; after = `&after=${all.at(-1)?.run_id}`) {
      const page = (await ask<{ runs: readonly ListedRun[] }>(`/_svc/runs?limit=500${after}`)).runs;
      all.push(...page);
      if (page.length < 500) return all;
    }
  };
  const open = async (): Promise<number> =>
    (await runs()).filter(({ status }) => !['completed', 'failed'].includes(status)).length;
  await expect.poll(open, { timeout: 60_000, interval: 1_000 }).toBe(0);
  await sleep(12_000);
  await expect.poll(queued, { timeout: 120_000, interval: 2_000 }).toBe(0);

  const all = await runs();
  const taken = new Map(receiver.taken.map((one) => [one.id, one]));
  const faults: string[] = [];
  // Each run that ended, and each insight that anybody saw, arrived.
  for (const { run_id: id, status } of all)
    if (!taken.has(`${id}:${status}`)) faults.push(`lost ${id}:${status}`);
  for (const id of seen.keys()) if (!taken.has(id)) faults.push(`lost what was shown: ${id}`);
  // Nothing arrived that there was no run for.
  const known = new Map(all.map((one) => [one.run_id, one]));
  for (const { id, body } of taken.values()) {
    const run = known.get(body.run_id);
    const isEnd = run?.status === body.status || body.status === 'awaiting_approval';
    if (!run || !isEnd || id !== `${body.run_id}:${body.status}`) faults.push(`invented ${id}`);
  }
  // No change was judged to its end twice.
  const byChange = new Map<string, string>();
  for (const { body } of taken.values()) {
    if (body.status !== 'completed') continue;
    const change = `${body.watcher} ${body.output}`;
    const before = byChange.get(change);
    if (before !== undefined && before !== body.run_id)
      faults.push(`twice: ${change}, ${before}, ${body.run_id}`);
    byChange.set(change, body.run_id);
  }
  const begun = Object.fromEntries(
    watchers.map((name) => [name, all.filter(({ caller }) => caller === `watcher:${name}`).length]),
  );
  // The whole lasts less than an hour, so that all runs are in one.
  if ((begun['door_b'] ?? 0) > ceiling) faults.push(`door_b began ${begun['door_b']} runs`);
  // What was recorded is what the models gave, but for calls that were cut off by a death.
  const { total_tokens: recorded } = await ask<{ total_tokens: number }>('/_svc/usage');
  const given = models.requests.reduce(
    (sum, one) => sum + (one.usage ? one.usage.inputTokens + one.usage.outputTokens : 0),
    0,
  );
  const statuses: Record<string, number> = {};
  for (const { status } of all) statuses[status] = (statuses[status] ?? 0) + 1;
  const mostOfOne = Math.max(
    ...models.requests.map(({ usage: one }) => (one ? one.inputTokens + one.outputTokens : 0)),
  );
  process.stdout.write(
    `SEED=${seed}: ${JSON.stringify({ kills, begun, statuses, arrived: receiver.taken.length, ids: taken.size, asked: receiver.asked, recorded, given })}\n`,
  );
  program.child.kill('SIGTERM');
  await program.ended();
  await models.close();
  await receiver.goAway();
  rmSync(folder, { recursive: true, force: true });

  expect(faults).toEqual([]);
  expect(receiver.forged).toBe(0);
  expect(recorded).toBeLessThanOrEqual(given);
  // One call of each watcher at most is cut off by a death.
  expect(given - recorded).toBeLessThanOrEqual(kills * watchers.length * mostOfOne);
  expect((statuses['failed'] ?? 0) + (statuses['completed'] ?? 0)).toBe(all.length);
  for (const name of watchers) expect(begun[name]).toBeGreaterThan(0);
});

/** Says the number that it was shown; who keeps the gate asks to unlock it first. */
function tell({ system, turns }: Conversation): string | undefined {
  const shown = turns.find(({ role }) => role === 'user');
  if (shown?.role !== 'user') return undefined;
  const data = Buffer.from(shown.images[0]?.data ?? '', 'base64').toString('latin1');
  const [, n = '0'] = /#(\d+)#/.exec(data) ?? /"n":(\d+)/.exec(shown.text) ?? [];
  if (!system.includes('You keep the gate')) return `[[latency 60]] [[say ${n}]]`;
  return turns.some(({ role }) => role === 'tool')
    ? `[[latency 60]] [[say ${n}]]`
    : `[[latency 60]] [[call unlock {"n":${n}}]]`;
}

/** A picture with a number in it. */
function sign(n: number): Buffer {
  const png = picture(400);
  png.write(`#${n}#`, 64, 'latin1');
  return png;
}
