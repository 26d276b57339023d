import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { distantPort } from './distant-port.ts';
import type { CrowdReadersData, CrowdSights } from './hub-crowd-readers.ts';
import { type HubReader, openReader, type SeenFrame } from './hub-reader.ts';
import { serveHub } from './hub-served.ts';

/** How large a crowd is, and how long it is watched. */
export interface CrowdOptions {
  readonly healthy: number;
  /** Of each of the three scenes: without, with and again without difficult readers. */
  readonly seconds: number;
}

/** What became of a crowd of healthy readers, with three difficult ones among them and without. */
export interface CrowdReport {
  readonly before: Ages;
  readonly after: Ages;
  readonly together: Ages;
  /** What of the frames reached a healthy reader, with the difficult ones there: the worst of all. */
  readonly healthyShare: number;
  /** At the reader that takes 1 MB/s. */
  readonly slow: Ages;
  /** What it got of the 5 frames per second that 1 MB/s are; on a busy machine it does not even read so fast. */
  readonly slowPace: number;
  /** What of the frames reached the reader 250 ms away. */
  readonly farShare: number;
  /** The most that any socket held back in the process of the hub, in frames. */
  readonly heldBackFrames: number;
}

/** Ages of frames when they had been read, milliseconds. */
export interface Ages {
  readonly p50: number;
  readonly p99: number;
}

/** What readers need to find their pace, seconds; not counted. */
const settlingSeconds = 1.5;
const scene = { bytes: 200_000, fps: 20 } as const;

/** Films for a crowd: 200 KB at 20 frames per second. */
export async function watchCrowd({ healthy, seconds }: CrowdOptions): Promise<CrowdReport> {
  const hub = await serveHub();
  await using far = await distantPort(hub.port, 250);
  const crowd = new Worker(new URL('./hub-crowd-readers.ts', import.meta.url), {
    workerData: { port: hub.port, count: healthy } satisfies CrowdReadersData,
  });
  const sights = async (): Promise<CrowdSights> => {
    crowd.postMessage('sights');
    return ((await once(crowd, 'message')) as [CrowdSights])[0];
  };
  const watch = async (): Promise<CrowdSights> => {
    await hub.film({ ...scene, seconds: settlingSeconds });
    await sights();
    await hub.film({ ...scene, seconds });
    return sights();
  };
  const open = (port: number, rate?: number): HubReader =>
    openReader({ port, target: '/devices/door/stream', rate });
  try {
    await once(crowd, 'message');
    const alone = await watch();
    const [stalled, slow, distant] = [open(hub.port), open(hub.port, 1_000), open(far.port)];
    await stalled.until(({ frames }) => frames.length > 0);
    stalled.stop();
    const together = await watch();
    const frames = scene.fps * seconds;
    const earlier = hub.published - frames;
    const later = (reader: HubReader): readonly SeenFrame[] =>
      reader.frames.filter(({ seq }) => seq > earlier);
    const slowFrames = later(slow);
    const spanMs = (slowFrames.at(-1)?.publishedMs ?? 0) - (slowFrames[0]?.publishedMs ?? 0);
    const report = {
      before: toAges(alone.flat()),
      together: toAges(together.flat()),
      healthyShare: Math.min(...together.map(({ length }) => length)) / frames,
      slow: toAges(slowFrames),
      slowPace: (slowFrames.length - 1) / ((5 * spanMs) / 1000),
      farShare: later(distant).length / frames,
      heldBackFrames: hub.mostHeldBack / scene.bytes,
    };
    // What a busy machine does to the crowd by itself is seen in two scenes: one may have been lucky.
    for (const reader of [stalled, slow, distant]) reader.vanish();
    return { ...report, after: toAges((await watch()).flat()) };
  } finally {
    await crowd.terminate();
    await hub.close();
  }
}

function toAges(frames: readonly Pick<SeenFrame, 'ageMs'>[]): Ages {
  const ages = frames.map(({ ageMs }) => ageMs).toSorted((a, b) => a - b);
  const at = (share: number): number =>
    ages[Math.min(ages.length - 1, Math.floor(ages.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
