import type { FrameRecord, TelemetryRecord } from '@waymark/contract/hub';
import { type FixedClock, fixedClock, type MemoryPeer, memoryPeer } from '@waymark/contract/testing';
import { Audience, type Subscription } from '../../src/stream/audience.ts';
import type { StreamLimits } from '../../src/stream/stream-limits.ts';

/** An audience on a clock that stands still. */
export interface Stage {
  readonly clock: FixedClock;
  readonly audience: Audience;
  /** Takes in a peer, a memory peer of its own unless one is given. */
  join<P extends MemoryPeer>(subscription?: Partial<Subscription>, peer?: P): MemoryPeer;
  /** Publishes the next frame, `bytes` long, and gives its number. */
  frame(bytes?: number): number;
  reading(data: TelemetryRecord['data']): void;
}

/** Makes an audience that nobody has joined. */
export function stage(limits: Partial<StreamLimits> = {}): Stage {
  const clock = fixedClock();
  const audience = new Audience({ monotonic: clock.monotonic, after: clock.after, limits });
  let seq = 0;
  return {
    clock,
    audience,
    join(subscription = {}, peer) {
      const joined = peer ?? memoryPeer();
      audience.add(joined, { meta: false, opening: [], ...subscription });
      return joined;
    },
    frame(bytes = 1_000) {
      audience.publish(frameRecord(++seq, bytes, clock.now()));
      return seq;
    },
    reading: (data) => audience.publish({ kind: 'telemetry', data, atMs: clock.now() }),
  };
}

/** A frame whose bytes all are its number. */
export function frameRecord(seq: number, bytes: number, atMs = 0): FrameRecord {
  return { kind: 'frame', seq, mediaType: 'image/jpeg', bytes: new Uint8Array(bytes).fill(seq), atMs };
}

/** What a peer was sent, short: `frame 3`, `telemetry`, `lagged 2`, and `bytes` for a picture. */
export function received(peer: MemoryPeer): readonly string[] {
  return peer.records.map((record) => {
    if (record instanceof Uint8Array) return 'bytes';
    const { type, seq, skipped, data } = record as Readonly<Record<string, unknown>>;
    return [type, seq ?? skipped ?? data].filter((part) => part !== undefined).join(' ');
  });
}

/** The same without the pictures. */
export function receivedRecords(peer: MemoryPeer): readonly string[] {
  return received(peer).filter((record) => record !== 'bytes');
}

/** Events that a peer was sent or told it missed. */
export function accounted(peer: MemoryPeer): number {
  return receivedRecords(peer).reduce((sum, record) => {
    const [type, value] = record.split(' ');
    if (type === 'lagged') return sum + Number(value);
    return type === 'frame' || type === 'telemetry' ? sum + 1 : sum;
  }, 0);
}
