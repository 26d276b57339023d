/**
 * A camera as a plugin that knows the contract only: frames in, one encoded buffer out to every viewer, newest wins for
 * those who are slow, a snapshot as a tool, and a watcher that asks an agent.
 */
import {
  callTool,
  type EncodedMessages,
  encodeMessages,
  type FrameRecord,
  type Host,
  HTTPError,
  type Insight,
  type Json,
  type Peer,
  type Plugin,
  type Principal,
  reply,
  toRoute,
} from '@waymark/contract';

export interface TrialHubOptions {
  readonly maxFps: number;
  readonly maxFrameBytes: number;
  readonly watch?: { readonly agent: string; readonly everyMs: number; readonly maxRunsPerHour: number };
}

export function trialHub(options: TrialHubOptions): Plugin {
  const camera = new Camera(options.maxFps);
  const read = { scopes: ['devices:read'], placement: 'owner' } as const;
  const frames = toRoute(
    'POST',
    '/devices/door/frames',
    {
      kind: 'device',
      answer: async ({ body, route, signal }) => {
        // The rate is asked before the body: a frame that is refused is never read.
        const waitSeconds = camera.admit();
        if (waitSeconds !== undefined)
          throw new HTTPError(429, 'faster than max_fps', {
            headers: { 'retry-after': String(waitSeconds) },
          });
        return reply(202, {
          device: 'door',
          seq: camera.publish(await body.read(route.maxBodyBytes, signal)),
        });
      },
    },
    { body: 'source', maxBodyBytes: options.maxFrameBytes, scopes: ['devices:ingest'], placement: 'owner' },
  );
  const stream = toRoute(
    'GET',
    '/devices/door/stream',
    { kind: 'device', accept: (peer) => camera.view(peer) },
    { ...read, socket: true },
  );
  const snapshot = toRoute(
    'GET',
    '/devices/door/snapshot',
    { kind: 'device', answer: () => ({ device: 'door', seq: camera.newest?.seq, frame: camera.picture() }) },
    { ...read, tool: true, toolName: 'door_snapshot' },
  );
  return {
    name: 'trial-hub',
    routes: [frames, stream, snapshot],
    gauges: () => ({ devices: 1, viewers: camera.viewers, watchers: options.watch ? 1 : 0 }),
    start: (host) => {
      camera.host = host;
      if (options.watch) new Watcher(host, camera, options.watch).tick();
    },
  };
}

class Camera {
  host: Host | undefined;
  newest: FrameRecord | undefined;
  readonly #gapMs: number;
  readonly #viewers = new Set<Viewer>();
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(maxFps: number) {
    this.#gapMs = 1000 / maxFps;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** @returns how long to wait, or undefined when a frame may come */
  admit(): number | undefined {
    const waitMs = this.#lastMs + this.#gapMs - this.#now();
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    this.#lastMs = this.#now();
    return undefined;
  }

  publish(bytes: Uint8Array): number {
    const seq = (this.newest?.seq ?? 0) + 1;
    this.newest = { kind: 'frame', seq, mediaType: 'image/jpeg', bytes, atMs: this.#now() };
    const header = {
      type: 'frame',
      seq,
      media_type: 'image/jpeg',
      bytes: bytes.length,
      at_ms: this.newest.atMs,
    };
    const encoded = encodeMessages([JSON.stringify(header), bytes]);
    for (const viewer of this.#viewers) viewer.offer(encoded);
    return seq;
  }

  view(peer: Peer): void {
    const viewer = new Viewer(peer);
    this.#viewers.add(viewer);
    peer.onClose(() => this.#viewers.delete(viewer));
    peer.send(JSON.stringify({ type: 'hello', device: { name: 'door' }, insights: [] }));
  }

  picture(): Json {
    if (!this.newest) return null;
    const { bytes, mediaType } = this.newest;
    return { $image: { media_type: mediaType, data: Buffer.from(bytes).toString('base64') } };
  }

  #now(): number {
    return this.host?.now() ?? 0;
  }
}

/** A subscriber with room for one frame: while its line is busy the newest waits and the others are counted. */
class Viewer {
  readonly #peer: Peer;
  #waiting: EncodedMessages | undefined;
  #skipped = 0;

  constructor(peer: Peer) {
    this.#peer = peer;
    peer.onDrain(() => this.#flush());
  }

  offer(frame: EncodedMessages): void {
    if (this.#waiting) this.#skipped++;
    this.#waiting = frame;
    if (this.#peer.bufferedAmount === 0) this.#flush();
  }

  #flush(): void {
    const frame = this.#waiting;
    if (!frame) return;
    this.#waiting = undefined;
    if (this.#skipped > 0) this.#peer.send(JSON.stringify({ type: 'lagged', skipped: this.#skipped }));
    this.#skipped = 0;
    this.#peer.sendEncoded(frame);
  }
}

/** Looks at the camera on a timer, and asks its agent about a picture it has not seen. */
class Watcher {
  readonly #host: Host;
  readonly #camera: Camera;
  readonly #options: Required<TrialHubOptions>['watch'];
  #seen: Uint8Array | undefined;

  constructor(host: Host, camera: Camera, options: Required<TrialHubOptions>['watch']) {
    this.#host = host;
    this.#camera = camera;
    this.#options = options;
  }

  tick(): void {
    this.#host.after(this.#options.everyMs, async () => {
      await this.#look();
      this.tick();
    });
  }

  async #look(): Promise<void> {
    const { stores, table, dispatcher } = this.#host;
    const { agent, maxRunsPerHour } = this.#options;
    const frame = this.#camera.newest;
    const route = table.tool(agent);
    if (!route || !frame || frame.bytes === this.#seen) return;
    if (!(await stores.leases.take('watch:calm', maxRunsPerHour, 3_600_000, this.#host.now()))) return;
    this.#seen = frame.bytes;
    const principal: Principal = {
      id: 'watcher:calm',
      rootId: 'watcher:calm',
      authenticated: true,
      scopes: ['devices:read'],
    };
    const result = await callTool(dispatcher, {
      route,
      arguments: { input: 'Anybody there?' },
      principal,
      via: 'watcher',
      requestId: this.#host.newId(),
      signal: this.#host.signal,
    });
    const insight: Insight = {
      type: 'insight',
      watcher: 'calm',
      device: 'door',
      agent,
      seq: frame.seq,
      status: result.ok ? 'completed' : 'failed',
      output: result.ok ? String(result.value) : '',
      error: result.ok ? null : result.message,
      run_id: '',
      tokens: 0,
      at_ms: this.#host.now(),
    };
    await stores.insights.publish(insight);
    this.#host.emit({ kind: 'insight', watcher: 'calm', status: insight.status });
  }
}
