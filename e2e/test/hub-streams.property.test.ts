import { setTimeout as wait } from 'node:timers/promises';
import { byTier, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HubReader, openReader } from './hub-reader.ts';
import { type ServedHub, serveHub } from './hub-served.ts';

/** A reader that was made up. Times are numbers of frames. */
interface ReaderPlan {
  readonly joins: number;
  readonly query: '' | '&frames=meta' | '&fps=20';
  /** Bytes per millisecond. */
  readonly rate: number | undefined;
  readonly stall: { readonly from: number; readonly for: number } | undefined;
  /** Is gone then, and comes back as somebody new if it does. */
  readonly vanishes: { readonly at: number; readonly backAfter: number | undefined } | undefined;
}

/** What a camera sends, and who watches. */
interface Film {
  readonly frames: readonly { readonly bytes: number; readonly gapMs: number }[];
  readonly readers: readonly ReaderPlan[];
}

const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const often = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });

const readerPlan: fc.Arbitrary<ReaderPlan> = fc.record({
  joins: upTo(20),
  query: fc.constantFrom('', '', '&frames=meta', '&fps=20'),
  rate: often(fc.integer({ min: 200, max: 4_000 })),
  stall: often(fc.record({ from: upTo(50), for: upTo(40) })),
  vanishes: fc.option(fc.record({ at: fc.integer({ min: 10, max: 60 }), backAfter: often(upTo(20)) }), {
    nil: undefined,
    freq: 2,
  }),
});

const film: fc.Arbitrary<Film> = fc.record({
  frames: fc.array(fc.record({ bytes: upTo(150_000), gapMs: upTo(12) }), { minLength: 60, maxLength: 80 }),
  readers: fc.array(readerPlan, { minLength: 1, maxLength: 8 }),
});

/** One reader of a plan at work: each time it comes back it is another. */
class Actor {
  readonly plan: ReaderPlan;
  readonly sessions: HubReader[] = [];
  readonly #port: number;

  constructor(plan: ReaderPlan, port: number) {
    this.plan = plan;
    this.#port = port;
  }

  get live(): HubReader | undefined {
    const last = this.sessions.at(-1);
    return last?.gone ? undefined : last;
  }

  /** Does what is due before the frame of this number. */
  act(frame: number): void {
    const { joins, stall, vanishes } = this.plan;
    const back = vanishes?.backAfter === undefined ? undefined : vanishes.at + vanishes.backAfter;
    if (frame === joins || frame === back) this.join();
    if (frame === vanishes?.at) this.live?.vanish();
    if (frame === stall?.from) this.live?.stop();
    if (stall && frame === stall.from + stall.for) this.live?.go();
  }

  join(): void {
    const { query, rate } = this.plan;
    const target = `/devices/door/stream?replay=0${query}`;
    this.sessions.push(openReader({ port: this.#port, target, rate }));
  }
}

async function withHub<T>(use: (hub: ServedHub) => Promise<T>): Promise<T> {
  const hub = await serveHub();
  try {
    return await use(hub);
  } finally {
    await hub.close();
  }
}

/** Numbers of frames that were published when a reader came in. */
function seenAtHello({ hello }: HubReader): number {
  return Number(hello?.['seq'] ?? 0);
}

/** Whatever it does, a reader knows of each frame until its last: it has it, or was told before the next one. */
function checkAccounts(reader: HubReader): void {
  let before = seenAtHello(reader);
  for (const { seq, told } of reader.frames) {
    expect(seq - before - 1).toBe(told);
    before = seq;
  }
}

describe('what readers of a stream know', () => {
  it('is every frame, received or told before the next one, slow, stalled, vanished or back again', async () => {
    verifies('hub.fan-out.accounted', 'hub.fan-out.told-first', 'event.stream.lagged');
    let told = 0;
    const property = fc.asyncProperty(film, ({ frames, readers }) =>
      withHub(async (hub) => {
        const actors = readers.map((plan) => new Actor(plan, hub.port));
        for (const [i, { bytes, gapMs }] of frames.entries()) {
          for (const actor of actors) actor.act(i);
          await hub.frame(bytes);
          await wait(gapMs);
        }
        for (const { live } of actors) {
          live?.go();
          await live?.until(({ hello }) => hello !== undefined);
          const last = live && seenAtHello(live) === hub.published ? undefined : hub.published;
          if (last !== undefined) await live?.until(({ frames: seen }) => seen.at(-1)?.seq === last);
          if (live) expect(live.frames.length + live.told).toBe(hub.published - seenAtHello(live));
        }
        for (const reader of actors.flatMap(({ sessions }) => sessions)) {
          checkAccounts(reader);
          told += reader.told;
          reader.vanish();
        }
      }),
    );
    await fc.assert(property, { numRuns: byTier({ quick: 2, slow: 3, drill: 8 }), seed: 20_260_301 });
    expect(told).toBeGreaterThan(0);
  });

  it('adds up for readings and frames together', async () => {
    verifies('hub.fan-out.accounted', 'event.stream.telemetry');
    let told = 0;
    const property = fc.asyncProperty(film, ({ frames, readers }) =>
      withHub(async (hub) => {
        const actors = readers.map(
          (plan) => new Actor({ ...plan, joins: -1, vanishes: undefined }, hub.port),
        );
        for (const actor of actors) actor.join();
        for (const { live } of actors) await live?.until(({ hello }) => hello !== undefined);
        for (const [i, { bytes, gapMs }] of frames.entries()) {
          for (const actor of actors) actor.act(i);
          await hub.frame(bytes);
          await hub.reading({ celsius: i });
          await wait(gapMs);
        }
        for (const { live } of actors) {
          live?.go();
          const known = (reader: HubReader): number => reader.frames.length + reader.readings + reader.told;
          await live?.until((reader) => known(reader) >= 2 * frames.length);
          if (live) expect(known(live)).toBe(2 * frames.length);
          told += live?.told ?? 0;
          live?.vanish();
        }
      }),
    );
    await fc.assert(property, { numRuns: byTier({ quick: 1, slow: 2, drill: 6 }), seed: 20_260_302 });
    expect(told).toBeGreaterThan(0);
  });
});
