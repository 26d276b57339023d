import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { heldPort } from './held-port.ts';
import { keys, loadYardClient, markOf, openYard, picture } from './hub-client-yard.ts';

let generated: Awaited<ReturnType<typeof loadYardClient>>;
beforeAll(async () => {
  generated = await loadYardClient();
});
afterAll(() => generated.remove());

/** When a frame was made and when somebody saw it, milliseconds of one clock. */
interface Seen {
  readonly madeMs: number;
  readonly seenMs: number;
}

/** A camera that films with 30 fps over a line that can be pulled, and somebody who looks at it beside that line. */
async function filming() {
  const yard = await openYard();
  const line = await heldPort(yard.port);
  const apiKey = keys.operator;
  const camera = generated.create({ baseUrl: `http://127.0.0.1:${line.port}`, apiKey }).devices.door;
  const viewer = generated.create({ baseUrl: yard.url, apiKey }).devices.door;
  const nowMs = (): number => Math.round(performance.now());
  const states: string[] = [];
  const publisher = camera.publish({ onState: (state: string) => states.push(state) });
  const events = viewer.stream();
  const seen: Seen[] = [];
  const looking = (async () => {
    for await (const { type, bytes } of events)
      if (type === 'frame') seen.push({ madeMs: markOf(bytes), seenMs: nowMs() });
  })();
  const film = setInterval(() => publisher.frame(picture(nowMs(), 20_000)), 33);
  onTestFinished(async () => {
    clearInterval(film);
    publisher.close();
    await events.return?.();
    await looking;
    await line[Symbol.asyncDispose]();
    await yard.close();
  });
  await expect.poll(() => seen.length).toBeGreaterThan(30);
  return { line, publisher, seen, nowMs, states };
}

/** What was seen since a time. */
const since = (seen: readonly Seen[], ms: number): readonly Seen[] =>
  seen.filter(({ seenMs }) => seenMs >= ms);

describe('a camera whose line is pulled', () => {
  it('for 10 s: what was sent before is not seen afterwards, and it goes on by itself', async () => {
    verifies('hub.receipts.silence', 'client.publish.receipts');
    const { line, publisher, seen, nowMs, states } = await filming();
    line.hold();
    const heldMs = nowMs();
    await sleep(10_000);
    expect(since(seen, heldMs + 1_000)).toEqual([]);
    expect(states).toContain('waiting');
    const releasedMs = nowMs();
    line.release();
    await expect.poll(() => since(seen, releasedMs).length).toBeGreaterThan(60);
    const later = since(seen, releasedMs);
    // A frame may have waited for the connection for 2 s.
    expect(Math.min(...later.map(({ madeMs }) => madeMs))).toBeGreaterThan(releasedMs - 2_000);
    // Another connection is tried after 15 s at most.
    expect(later[0]?.seenMs).toBeLessThan(releasedMs + 3 * 15_000);
    expect(later.map(({ madeMs }) => madeMs)).toEqual(
      later.map(({ madeMs }) => madeMs).sort((a, b) => a - b),
    );
    expect(publisher.taken).toBeGreaterThan(90);
  });

  it('for 3 s: of what was sent before, no more is seen than was on its way', async () => {
    verifies('client.publish.receipts');
    const { line, seen, nowMs } = await filming();
    line.hold();
    const heldMs = nowMs();
    await sleep(3_000);
    const releasedMs = nowMs();
    line.release();
    await expect.poll(() => since(seen, releasedMs).length).toBeGreaterThan(60);
    const later = since(seen, releasedMs);
    const old = later.filter(({ madeMs }) => madeMs < releasedMs - 2_000);
    expect(old.length).toBeLessThanOrEqual(8);
    expect(Math.max(0, ...old.map(({ madeMs }) => madeMs))).toBeLessThan(heldMs + 400 * 3);
    expect(later[0]?.seenMs).toBeLessThan(releasedMs + 3 * 15_000);
  });
});
