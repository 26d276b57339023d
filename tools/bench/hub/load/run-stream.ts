import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFrame, writeStamp } from '../frame.ts';
import { type HubAddress, type JobResult, mostPerSecond, type ReaderKind, type StreamJob } from '../jobs.ts';
import { openDelayProxy } from './delay-proxy.ts';
import { connectFeeder, type Feeder } from './feeder.ts';
import { Group } from './group.ts';
import { InFlight } from './in-flight.ts';
import { Reader } from './reader.ts';

/** For the last frames to arrive. */
const patienceMs = 5000;

/** Sends frames to a hub and reads them, as the job says. @param begin told when measuring begins */
export async function runStream(job: StreamJob, begin: () => void): Promise<JobResult> {
  const { hub, pace, warmUpMs, measureMs } = job;
  const load = randomInt(2 ** 32);
  const inFlight = new InFlight(job.readers.healthy ?? 0);
  const groups = new Map<ReaderKind, Group>();
  const proxy = job.readers.far === undefined ? undefined : await openDelayProxy(hub.url);
  const readers: Reader[] = [];
  const feeder = await connectFeeder(hub);
  try {
    for (const [kind, count] of Object.entries(job.readers) as [ReaderKind, number][]) {
      const group = new Group(load);
      groups.set(kind, group);
      const port = kind === 'far' ? proxy?.port : undefined;
      for (let one = 0; one < count; one++)
        readers.push(await openReader(hub, kind, port, group, kind === 'healthy' ? inFlight : undefined));
    }
    const camera = new Camera(feeder, { load, frame: makeFrame(job.frameBytes), inFlight });
    const send = (ms: number): Promise<number> =>
      'inFlight' in pace ? camera.sendAsTaken(ms, pace.inFlight) : camera.sendByClock(ms, pace.perSecond);
    await send(warmUpMs);
    begin();
    for (const group of groups.values()) group.begin();
    const startedMs = performance.now();
    const published = await send(measureMs);
    const seconds = (performance.now() - startedMs) / 1000;
    const results = [...groups].map(([kind, group]) => [kind, group.end()]);
    return { seconds, published, groups: Object.fromEntries(results) as JobResult['groups'] };
  } finally {
    feeder.close();
    await Promise.all(readers.map((reader) => reader.close()));
    proxy?.close();
  }
}

function openReader(
  hub: HubAddress,
  kind: ReaderKind,
  port: number | undefined,
  group: Group,
  inFlight: InFlight | undefined,
): Promise<Reader> {
  let newest = 0;
  return Reader.open(hub, port === undefined ? { kind } : { kind, port }, {
    onFrame(head) {
      const id = group.took(head);
      inFlight?.arrived(newest, id);
      newest = Math.max(newest, id);
    },
    onText: (text) => group.heard(text),
  });
}

interface CameraOptions {
  readonly load: number;
  readonly frame: Buffer;
  readonly inFlight: InFlight;
}

/** Sends one frame after the other, each with its number and the time. */
class Camera {
  readonly #feeder: Feeder;
  readonly #load: number;
  readonly #frame: Buffer;
  readonly #inFlight: InFlight;
  #id = 0;

  constructor(feeder: Feeder, { load, frame, inFlight }: CameraOptions) {
    this.#feeder = feeder;
    this.#load = load;
    this.#frame = frame;
    this.#inFlight = inFlight;
  }

  /** Sends the next frame as soon as fewer than so many are on their way; gives how many it sent. */
  async sendAsTaken(ms: number, most: number): Promise<number> {
    const first = this.#id;
    const startMs = performance.now();
    while (performance.now() < startMs + ms) {
      while (this.#id - first > ((performance.now() - startMs) * mostPerSecond) / 1000) await sleep(1);
      await this.#send();
      await within(this.#inFlight.fewerThan(most));
    }
    await within(this.#inFlight.fewerThan(1));
    return this.#id - first;
  }

  /** Sends so many each second, whether they arrive or not. */
  async sendByClock(ms: number, perSecond: number): Promise<number> {
    const first = this.#id;
    const startMs = performance.now();
    for (let dueMs = 0; dueMs < ms; dueMs += 1000 / perSecond) {
      await sleep(Math.max(0, startMs + dueMs - performance.now()));
      await this.#send();
    }
    return this.#id - first;
  }

  async #send(): Promise<void> {
    this.#inFlight.add();
    writeStamp(this.#frame, { load: this.#load, id: ++this.#id, sentMs: performance.now() });
    await this.#feeder.send(this.#frame);
  }
}

/** @throws {Error} when frames do not arrive, so that a hub that loses some does not hang the benchmark */
async function within(arrived: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = sleep(patienceMs, undefined, over).then(() => {
    throw new Error(`frames did not arrive within ${patienceMs} ms`);
  });
  try {
    await Promise.race([arrived, late]);
  } finally {
    over.abort();
    late.catch(() => {});
  }
}
