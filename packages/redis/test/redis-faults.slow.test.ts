import type { FrameRecord, HubBackend, HubRecord } from '@waymark/contract/hub';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { createRedisBackend } from '../src/index.ts';
import { type Failure, failures, openWay } from './failing-redis.ts';
import { hasRedis, startRedis } from './redis-server.ts';

/** Questions of a play, those of a second connection that listens among them. */
const most = 8;
/** Within which everybody has an answer, and health says what is wrong, and is well again: three times what is promised. */
const withinMs = 15_000;

interface Fault {
  readonly failure: Failure;
  readonly nth: number;
}

/** Plays once on a way of its own. @returns what is not as it should be */
async function play(port: number, { failure, nth }: Fault): Promise<readonly string[]> {
  const device = `${failure}-${nth}`;
  const wrong: string[] = [];
  const way = await openWay(port, failure, nth);
  const here = createRedisBackend({ url: way.url });
  const there = createRedisBackend({ url: `redis://127.0.0.1:${port}` });
  try {
    await Promise.all([here.open?.(() => {}), there.open?.(() => {})]);
    const heard: Record<'here' | 'there', HubRecord[]> = { here: [], there: [] };
    await here.subscribe(device, (record) => heard.here.push(record)).ready;
    await there.subscribe(device, (record) => heard.there.push(record)).ready;
    way.begin();
    const told = watchTroubles(here);
    let last = 0;
    for (let i = 0; i < most; i++) {
      const seq = await publish(here, device, wrong, told.look);
      if (seq !== undefined && seq <= last) wrong.push(`number ${seq} came after ${last}`);
      last = Math.max(last, seq ?? 0);
    }
    if (!way.hasFailed) wrong.push('nothing failed');
    // Who listens alone may be the one that is not answered: nobody else notices.
    const isTold = isOrdinary(failure) || (await until(() => told.codes.has('hub-redis-gone'), withinMs));
    if (!isTold) wrong.push(`health has told ${[...told.codes].join(', ') || 'nothing'}`);
    const isWell = await until(() => here.troubles?.().length === 0, withinMs);
    if (!isWell) wrong.push(`health: ${JSON.stringify(here.troubles?.())}`);
    told.end();
    last = Math.max(last, (await publish(here, device, wrong)) ?? 0);
    if (((await there.newest(device))?.seq ?? 0) < last) wrong.push('what was taken is not there');
    for (const [where, records] of Object.entries(heard))
      if (!(await until(() => newestOf(records) === last, withinMs)))
        wrong.push(`${where} was told up to ${newestOf(records)} of ${last}`);
  } finally {
    await Promise.all([here.close(), there.close()]);
    way.close();
  }
  return wrong.map((one) => `${device}: ${one}`);
}

/** Answers that are none leave the connection as it is. */
function isOrdinary(failure: Failure): boolean {
  return failure === 'error' || failure === 'junk';
}

const picture: Omit<FrameRecord, 'kind' | 'seq'> = {
  mediaType: 'image/jpeg',
  bytes: new Uint8Array(2_000),
  atMs: 1,
};

/** @param refused called in the moment in which it is @returns undefined where it was refused */
async function publish(
  backend: HubBackend,
  device: string,
  wrong: string[],
  refused = (): void => {},
): Promise<number | undefined> {
  const startMs = performance.now();
  try {
    return await backend.publishFrame(device, picture);
  } catch (error) {
    // Where a machine has much else to do, all may be well again before the next look.
    refused();
    const { status, message } = error as { readonly status?: number; readonly message: string };
    if (status !== 503) wrong.push(`it was answered ${status}: ${message}`);
    // As a device does that is told to come again.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return undefined;
  } finally {
    const tookMs = performance.now() - startMs;
    if (tookMs > withinMs) wrong.push(`it waited ${Math.round(tookMs)} ms`);
  }
}

function watchTroubles(backend: HubBackend): {
  readonly codes: ReadonlySet<string>;
  look(): void;
  end(): void;
} {
  const codes = new Set<string>();
  const look = (): void => {
    for (const { code } of backend.troubles?.() ?? []) codes.add(code);
  };
  const timer = setInterval(look, 5);
  return { codes, look, end: () => clearInterval(timer) };
}

function newestOf(records: readonly HubRecord[]): number {
  return Math.max(0, ...records.map((record) => (record.kind === 'frame' ? record.seq : 0)));
}

async function until(holds: () => boolean, ms: number): Promise<boolean> {
  const untilMs = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > untilMs) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

it.skipIf(!hasRedis)(
  'the nth question to a Redis fails, for every n, and nothing hangs or is lost in silence',
  async () => {
    verifies('scale.redis.faults');
    const redis = await startRedis();
    try {
      const faults = failures.flatMap((failure) =>
        Array.from({ length: most }, (_, i) => ({ failure, nth: i + 1 })),
      );
      const wrong = await Promise.all(faults.map((fault) => play(redis.port, fault)));
      expect(wrong.flat()).toEqual([]);
    } finally {
      await redis.stop();
    }
  },
);
