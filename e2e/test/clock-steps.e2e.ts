/** A started server whose clock is set by an hour while cameras, readers and agents are at work. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Values } from '@waymark/contract';
import { describe, it, type TestContext } from 'vitest';
import { picture } from './hub-pictures.ts';
import { type HubSocket, openSocket } from './hub-socket.ts';
import { startProgram } from './program.ts';

const hourMs = 3_600_000;
const key = 'ann-secret-of-more-than-16-bytes';

async function openDoor({ onTestFinished }: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'clock-steps-'));
  const clock = join(folder, 'clock');
  const env = { ANN_KEY: key, DATABASE: join(folder, 'door.db'), CLOCK: clock };
  const program = startProgram('e2e/test/programs/clocked-door.ts', { cwd: folder, env });
  onTestFinished(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true, force: true });
  });
  const [, url = ''] = await program.saying(/^url (\S+)$/m);
  const send = async (path: string, body?: string | Uint8Array) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(url + path, {
      headers,
      ...(body !== undefined && { method: 'POST', body: Buffer.from(body) }),
    });
    return { status: response.status, value: (await response.json()) as Values };
  };
  return {
    url,
    send,
    async set(byMs: number): Promise<void> {
      writeFileSync(clock, String(byMs));
      program.child.kill('SIGUSR2');
      await program.saying(new RegExp(`^clock ${byMs}$`, 'm'));
    },
    row: async () => (await send('/_svc/devices')).value['devices'] as readonly [Values],
  };
}

/** Sends 20 frames a second for two seconds. */
async function film(device: HubSocket): Promise<void> {
  for (let i = 0; i < 40; i++) {
    device.send(picture());
    await sleep(50);
  }
}

// Each waits for seconds until a device has gone stale.
describe.concurrent.each([hourMs, -hourMs])('a server whose clock is set by %i ms', (byMs) => {
  it('goes on as before: cameras, readers, runs and listings', async (test) => {
    const { expect } = test;
    const { url, send, set, row } = await openDoor(test);
    const viewer = await openSocket(url, '/devices/door/stream?frames=meta', key);
    const device = await openSocket(url, '/devices/door/ws', key);
    await viewer.until('hello');
    await film(device);
    const [before] = await row();
    await send('/devices/door/telemetry', '{"lux":3}');
    const run = send(
      '/agents/guard',
      JSON.stringify({ input: '[[latency 1500]] [[call door_snapshot {}]] [[say Seen.]]' }),
    );
    await sleep(300);

    await set(byMs);
    await film(device);

    const [after] = await row();
    expect(after).toMatchObject({ status: 'online' });
    // All of 40, as before, but for what a busy machine sends at once; none if the rate were of the clock that was set.
    expect(Number(before['frames_in'])).toBeGreaterThan(20);
    expect(Number(after['frames_in']) - Number(before['frames_in'])).toBeGreaterThan(20);
    expect(Math.abs(Number((after['latest'] as Values)['at_ms']) - Date.now() - byMs)).toBeLessThan(60_000);
    const { value: reading } = await send('/devices/door/telemetry');
    expect(reading).toMatchObject({ telemetry: { lux: 3 } });
    expect(Number(reading['age_ms'])).toBeGreaterThan(1_000);
    expect(Number(reading['age_ms'])).toBeLessThan(60_000);

    const { status, value: answer } = await run;
    expect([status, answer['output']]).toEqual([200, 'Seen.']);
    const { value: shown } = await send(`/_svc/runs/${String(answer['run_id'])}`);
    const steps = shown['steps'] as readonly Values[];
    expect(steps.length).toBeGreaterThanOrEqual(3);
    for (const { duration_ms: ms } of steps) {
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThan(60_000);
    }
    const { value: health } = await send('/_svc/health');
    expect(Number(health['uptime_ms'])).toBeGreaterThan(3_000);
    expect(Number(health['uptime_ms'])).toBeLessThan(60_000);

    // A reader is told of frames from after the step, and then that no more come.
    const seq = Number((after['latest'] as Values)['seq']);
    for (let newest = 0; newest < seq; ) newest = Number((await viewer.until('frame'))['seq']);
    expect(await viewer.until('status')).toMatchObject({ status: 'stale' });
    expect(await row()).toMatchObject([{ status: 'stale' }]);
  });
});
