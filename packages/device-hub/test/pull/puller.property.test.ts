import type { Host } from '@waymark/contract/engine';
import type { OutboundRequest, OutboundResponse } from '@waymark/contract/http';
import { byTier, fixedClock, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { camera } from '../../src/index.ts';
import { png } from '../pictures.ts';
import { serveHub } from '../serve-hub.ts';

/** What the camera does with a request, and for how long. */
const behaviour = fc.record({
  kind: fc.constantFrom('picture', 'picture', 'same', 'failure', 'nothing', 'stream', 'broken stream'),
  ms: fc.constantFrom(0, 1, 7, 40, 150, 900, 9_990, 12_000),
});

const step = fc.record({
  what: fc.constantFrom('ask', 'ask', 'ask', 'ask as new as', 'watch', 'leave', 'wait'),
  ms: fc.constantFrom(0, 0, 1, 20, 100, 500, 999, 1_000, 3_000, 11_000, 31_000),
  maxAgeMs: fc.constantFrom(0, 1, 50, 100, 1_000, 20_000),
});

/** So few that several ask between two pictures. */
const maxFps = 1;
const everyMs = 1_000 / maxFps;
const settled = (): Promise<void> => new Promise(setImmediate);

/** A camera that goes through its behaviours, on a clock that stands still. */
function stage(behaviours: readonly { readonly kind: string; readonly ms: number }[]) {
  const clock = fixedClock();
  let pictures = 0;
  const seen = { open: 0, mostOpen: 0, starts: [] as { atMs: number; kind: string; endMs?: number }[] };
  const next = (): Uint8Array => {
    const bytes = Uint8Array.from(png());
    return Buffer.concat([bytes, Uint8Array.of(++pictures >> 8, pictures & 0xff)]);
  };
  let last = next();
  const request = ({ signal }: OutboundRequest): Promise<OutboundResponse> => {
    const { kind, ms } = behaviours[seen.starts.length % behaviours.length] ?? { kind: 'picture', ms: 0 };
    const start: { atMs: number; kind: string; endMs?: number } = { atMs: clock.monotonic(), kind };
    seen.starts.push(start);
    seen.mostOpen = Math.max(seen.mostOpen, ++seen.open);
    const end = (): void => {
      if (start.endMs !== undefined) return;
      start.endMs = clock.monotonic();
      seen.open--;
    };
    signal.addEventListener('abort', end);
    const later = (delayMs: number, task: () => void): void => {
      const cancel = clock.after(delayMs, task);
      signal.addEventListener('abort', cancel);
    };
    if (kind.endsWith('stream')) {
      const head = Buffer.from('--cut\r\ncontent-type: image/png\r\n\r\n');
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          let left = 5;
          const give = (): void => {
            if (signal.aborted) return;
            controller.enqueue(Buffer.concat([head, next(), Buffer.from('\r\n--cut')]));
            if (--left > 0) later(ms, give);
            else if (kind === 'stream') controller.close();
            else controller.error(new Error('broken'));
          };
          signal.addEventListener('abort', () => controller.error(signal.reason));
          later(ms, give);
        },
      });
      const headers = { 'content-type': 'multipart/x-mixed-replace; boundary=cut' };
      return Promise.resolve({ status: 200, headers, body });
    }
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      if (kind === 'nothing') return;
      later(ms, () => {
        if (kind === 'failure') reject(new Error('refused'));
        if (kind === 'picture') last = next();
        const headers = { 'content-length': String(last.length) };
        resolve({ status: 200, headers, body: ReadableStream.from([last]) });
      });
    });
  };
  return { clock, seen, outbound: { request } };
}

/** Reads whatever comes, until it is cancelled. */
function readOn(stream: ReadableStream): ReadableStreamDefaultReader {
  const reader = stream.getReader();
  const next = (): unknown => reader.read().then(({ done }) => done || next());
  next();
  return reader;
}

describe('a camera that is pulled', () => {
  it('is asked by one at a time and no more often than it may send, and leaves nobody waiting', async () => {
    verifies('hub.pull.fresh', 'hub.pull.shared', 'hub.pull.bounded');
    let given = 0;
    let tooOld = 0;
    const property = fc.asyncProperty(
      fc.array(behaviour, { minLength: 1, maxLength: 12 }),
      fc.array(step, { maxLength: 40, size: 'max' }),
      async (behaviours, steps) => {
        const { clock, seen, outbound } = stage(behaviours);
        const door = camera('door', { source: 'http://camera.lan/', maxFps });
        // A timer whose task waits for the camera does not hold up the others.
        const after: Host['after'] = (ms, task) => clock.after(ms, () => void task());
        const hub = await serveHub(
          [door],
          {},
          {
            ...{ outbound, after, now: () => clock.now(), monotonic: () => clock.monotonic() },
          },
        );
        const waiting = new Set<Promise<void>>();
        const faults: unknown[] = [];
        const readers: AbortController[] = [];
        const streams: ReadableStreamDefaultReader[] = [];
        for (const { what, ms, maxAgeMs } of steps) {
          const askedMs = clock.monotonic();
          if (what.startsWith('ask')) {
            const input = what === 'ask' ? {} : { max_age_ms: maxAgeMs };
            const judge = async (): Promise<void> => {
              const answer = await hub.ask('GET', '/devices/door/latest', { input });
              const tookMs = clock.monotonic() - askedMs;
              // A stream may end just when somebody asked, and the next pull have all its time.
              expect(tookMs).toBeLessThanOrEqual(20_000);
              expect([200, 502, 504]).toContain(answer.status);
              if (answer.status === 504 && what !== 'ask') tooOld++;
              if (answer.status !== 200) return;
              given++;
              const ageMs = Number(answer.headers['x-frame-age']) - tookMs;
              if (what !== 'ask') expect(ageMs).toBeLessThanOrEqual(maxAgeMs);
            };
            const entry = judge()
              .catch((error: unknown) => void faults.push(error))
              .finally(() => waiting.delete(entry));
            waiting.add(entry);
          } else if (what === 'watch') {
            const reader = new AbortController();
            readers.push(reader);
            const entry = hub
              .ask('GET', '/devices/door/stream.mjpeg', { signal: reader.signal })
              .then(({ body }) => {
                if (body.kind === 'stream') streams.push(readOn(body.stream as ReadableStream));
              })
              .catch(() => {})
              .finally(() => waiting.delete(entry));
            waiting.add(entry);
          } else if (what === 'leave') await streams.shift()?.cancel();
          for (let left = ms; left >= 0; left -= 50) {
            await clock.advance(Math.min(50, left));
            await settled();
          }
        }
        for (const reader of readers) reader.abort();
        for (let ms = 0; waiting.size > 0 && ms < 45_000; ms += 50) {
          await clock.advance(50);
          await settled();
        }
        expect(faults).toEqual([]);
        expect(waiting.size).toBe(0);
        expect(seen.mostOpen).toBeLessThanOrEqual(1);
        for (const [i, { atMs, kind, endMs }] of seen.starts.entries()) {
          const after = seen.starts[i + 1];
          if (!after) continue;
          expect(after.atMs).toBeGreaterThanOrEqual(endMs ?? Number.POSITIVE_INFINITY);
          const leastMs = kind === 'failure' || kind === 'nothing' ? 750 : 0;
          expect(after.atMs - (endMs ?? 0)).toBeGreaterThanOrEqual(leastMs);
          expect(after.atMs - atMs).toBeGreaterThanOrEqual(kind.endsWith('stream') ? 0 : everyMs - 1);
        }
        for (const stream of streams) await stream.cancel();
        await hub.plugin.stop?.();
        await settled();
        expect(seen.open).toBe(0);
        expect(clock.pending).toBe(0);
      },
    );
    await fc.assert(property, { numRuns: byTier({ quick: 40, slow: 80, drill: 600 }) });
    expect(given).toBeGreaterThan(20);
    expect(tooOld).toBeGreaterThan(0);
  });
});
