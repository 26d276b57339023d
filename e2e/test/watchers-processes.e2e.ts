import { setTimeout as sleep } from 'node:timers/promises';
import type { Insight } from '@waymark/contract/hub';
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { picture } from './hub-pictures.ts';
import { deskKey, type ServedDesk, serveDesk } from './kills/serve-desk.ts';
import { temporaryFolder } from './started-desk.ts';

interface Row {
  readonly name: string;
  readonly runs_here: boolean;
  readonly parked: number;
}

/** Processes on one database, which all are sent the same pictures. */
async function yards() {
  const simulator = await startSimulator({ anonymous: true });
  onTestFinished(simulator.close);
  const folder = temporaryFolder(onTestFinished);
  const ask = async <T>({ url }: ServedDesk, path: string, body?: object): Promise<T> => {
    const response = await fetch(url + path, {
      headers: { 'x-api-key': deskKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return (await response.json()) as T;
  };
  return {
    simulator,
    ask,
    start: () => serveDesk('watched-cameras', folder, { MODELS: simulator.url }),
    async show(desks: readonly ServedDesk[], size: number, device = 'door') {
      for (const { url } of desks) {
        const headers = { 'x-api-key': deskKey };
        const body = new Uint8Array(picture(size));
        await fetch(`${url}/devices/${device}/frames`, { method: 'POST', headers, body });
      }
    },
    insights: async (desk: ServedDesk, device = 'door') =>
      (await ask<{ readonly insights: readonly Insight[] }>(desk, `/devices/${device}/insights`)).insights,
    rows: async (desk: ServedDesk) =>
      (await ask<{ readonly watchers: readonly Row[] }>(desk, '/_svc/watchers')).watchers,
  };
}

/** Two hundred ticks take 20 s; a second has ten. */
const fewTicksMs = 1_000;

describe('watchers of several processes on one database', () => {
  it('run in one of them, and within seconds in the other when that is killed', async () => {
    verifies('watcher.leader', 'watcher.restart');
    const { simulator, start, show, insights, rows } = await yards();
    const [one, other] = [await start(), await start()];
    await expect.poll(async () => (await rows(one))[0]?.runs_here).toBe(true);
    expect((await rows(other))[0]?.runs_here).toBe(false);
    await show([one, other], 40);
    await expect.poll(async () => (await insights(other)).length).toBe(1);
    await sleep(fewTicksMs);
    expect(simulator.requests).toHaveLength(1);

    await one.kill();
    const killedMs = performance.now();
    await expect.poll(async () => (await rows(other))[0]?.runs_here).toBe(true);
    // Promised are five seconds.
    expect(performance.now() - killedMs).toBeLessThan(15_000);
    await sleep(fewTicksMs);
    // It has seen the same picture, which was judged.
    expect(simulator.requests).toHaveLength(1);
    await show([other], 41);
    await expect.poll(async () => (await insights(other)).length).toBe(2);
    expect(simulator.requests).toHaveLength(2);
  });

  it('judge a picture again whose run a kill cut off, and tell both', async () => {
    verifies('watcher.interrupted');
    const { simulator, start, show, insights } = await yards();
    const first = await start();
    await show([first], 40);
    await expect.poll(() => simulator.requests.length).toBe(1);
    await first.kill();
    const second = await start();
    await show([second], 40);
    await expect
      .poll(async () => (await insights(second)).map(({ status }) => status))
      .toEqual(['failed', 'completed']);
    const [cut, whole] = await insights(second);
    expect(cut?.error).toMatch(/\S/);
    expect(whole?.output).toBe('Seen.');
    await sleep(fewTicksMs);
    expect(await insights(second)).toHaveLength(2);
  });

  it('tell the end of a run that waited for a human while its process was killed', async () => {
    verifies('watcher.parked', 'watcher.restart');
    const { start, show, insights, rows, ask } = await yards();
    const first = await start();
    await show([first], 40, 'gate');
    await expect.poll(async () => (await insights(first, 'gate')).length).toBe(1);
    const [waiting] = await insights(first, 'gate');
    expect(waiting?.status).toBe('awaiting_approval');
    await first.kill();
    const second = await start();
    await expect.poll(async () => (await rows(second)).find(({ name }) => name === 'asking')?.parked).toBe(1);
    const { approvals } = await ask<{ readonly approvals: readonly { readonly approval_id: string }[] }>(
      second,
      '/_svc/approvals',
    );
    await ask(second, `/_svc/approvals/${approvals[0]?.approval_id}`, { approve: true, note: '' });
    await expect.poll(async () => (await insights(second, 'gate'))[0]?.status).toBe('completed');
    expect(await insights(second, 'gate')).toMatchObject([
      { run_id: waiting?.run_id, seq: waiting?.seq, output: 'Opened.' },
    ]);
  });
});
