import type { Broker } from './broker.ts';
import type { Way } from './ways.ts';

/** What a frame costs. */
export interface FrameCost {
  /** Microseconds from one to the next, with four under way. */
  readonly us: number;
  /** Microseconds of CPU of the broker, and of this process, which sends and listens. */
  readonly brokerUs: number;
  readonly ownUs: number;
}

const underWay = 4;

/** Sends so many frames, each when one before it was heard by both who listen. */
export async function costOf(way: Way, broker: Broker, bytes: number, frames: number): Promise<FrameCost> {
  const frame = Buffer.alloc(bytes, 7);
  let heard = 0;
  let sent = 0;
  const startedMs = performance.now();
  const cpuMs = broker.cpuMs();
  const own = process.cpuUsage();
  await new Promise<void>((resolve, reject) => {
    const next = (): void => {
      if (sent === frames) return;
      sent++;
      way.send(frame).catch(reject);
    };
    way.heard = () => {
      if (++heard === 2 * frames) resolve();
      else if (heard % 2 === 0) next();
    };
    for (let i = 0; i < underWay; i++) next();
  });
  const us = ((performance.now() - startedMs) * 1_000) / frames;
  const { user, system } = process.cpuUsage(own);
  return { us, ownUs: (user + system) / frames, brokerUs: ((broker.cpuMs() - cpuMs) * 1_000) / frames };
}
