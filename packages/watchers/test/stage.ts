import { createRouteTable, type Json, Type, toRoute } from '@waymark/contract';
import {
  type Call,
  type Dispatcher,
  jsonResponse,
  type Plugin,
  problemResponse,
  type RouteResponse,
} from '@waymark/contract/engine';
import type { Devices, FrameRecord, Insight, Sight, TelemetryRecord } from '@waymark/contract/hub';
import { memoryStores } from '@waymark/contract/memory';
import type { MemoedRun, Runner, RunStatus, WaitingStatus } from '@waymark/contract/runs';
import type { Publication, Stores } from '@waymark/contract/stores';
import { type FixedClock, fixedClock, type TestHost, testHost } from '@waymark/contract/testing';
import { onTestFinished } from 'vitest';
import { createWatchers, type WatchDeclaration } from '../src/index.ts';

/** What a run of the staged agent comes to. */
export interface Ending {
  readonly status: RunStatus;
  readonly output?: string;
  readonly error?: string;
  readonly code?: string;
}

/** A run as the staged runner keeps it. */
interface StoredRun {
  run: MemoedRun;
  ending: Ending | undefined;
}

/** What survives a process: the database, the devices and the clock. */
export class World {
  readonly clock: FixedClock = fixedClock();
  readonly stores: Stores = memoryStores();
  readonly runs = new Map<string, StoredRun>();
  /** The input of each run that was asked for, oldest first. */
  readonly calls: Call[] = [];
  readonly published: { readonly insight: Insight; readonly more: Publication | undefined }[] = [];
  readonly processes: Process[] = [];
  /** The camera that is declared. */
  camera = 'door';
  sight: Sight = { status: 'online' };
  looks = 0;
  /** A camera that gives no picture throws. */
  look: () => Promise<Sight> | Sight = () => this.sight;
  /** What the agent answers; a run that never ends by default. */
  agent: (call: Call, runId: string) => Promise<Ending> | Ending = () => new Promise(() => {});
  /** Before open runs are told. */
  asked: () => Promise<void> | void = () => {};
  /** Instead of a run. */
  refusal: RouteResponse | undefined;
  /** The process dies in this one of the moments that are passed, from 1: around each commit that watchers make. */
  dieAt = 0;
  moments = 0;
  #ids = 0;
  #seq = 0;

  newId(): string {
    return String(++this.#ids).padStart(26, '0');
  }

  show({ frame, telemetry }: { readonly frame?: string; readonly telemetry?: Json }): void {
    const atMs = this.clock.now();
    this.sight = {
      ...this.sight,
      ...(frame !== undefined && {
        frame: {
          kind: 'frame',
          ...{ seq: ++this.#seq, mediaType: 'image/png', atMs },
          bytes: new TextEncoder().encode(frame),
        } satisfies FrameRecord,
      }),
      ...(telemetry !== undefined && {
        telemetry: { kind: 'telemetry', data: telemetry, atMs } satisfies TelemetryRecord,
      }),
    };
  }

  /** How a run goes on. */
  set(runId: string, ending: Ending): void {
    const stored = this.runs.get(runId);
    if (!stored) throw new Error(`no run ${runId}`);
    const waitsFor = isWaiting(ending.status) ? ending.status : null;
    stored.run = {
      ...stored.run,
      status: waitsFor ? 'waiting' : (ending.status as 'completed'),
      waitsFor,
    };
    stored.ending = ending;
  }

  get insights(): readonly Insight[] {
    return this.published.map(({ insight }) => insight);
  }

  /** Starts a process that runs watchers; it is there until the test is over, or killed. */
  async start(...declarations: readonly WatchDeclaration[]): Promise<Process> {
    const process = new Process(this, declarations);
    this.processes.push(process);
    onTestFinished(() => (process.killed ? undefined : process.plugin.stop?.()));
    await process.start();
    return process;
  }
}

/** One process of a world. */
export class Process {
  readonly plugin: Plugin;
  readonly host: TestHost;
  readonly named: string[] = [];
  readonly #clock: FixedClock;
  /** Nothing of it happens any more. */
  killed = false;

  constructor(world: World, declarations: readonly WatchDeclaration[]) {
    const { clock, stores } = world;
    this.#clock = clock;
    const table = createRouteTable([agentRoute]).freeze();
    this.plugin = createWatchers(declarations, { publicUrl: 'https://yard.example.com/' });
    this.host = testHost({
      ...{ table, stores, now: clock.now, monotonic: clock.monotonic },
      after: (ms, task) => clock.after(ms, () => (this.killed ? undefined : task())),
      newId: () => world.newId(),
      dispatcher: this.#dispatcher(world),
      runner: this.#runner(world),
      devices: this.#devices(world),
    });
  }

  async start(): Promise<void> {
    await this.plugin.start?.(this.host);
    await this.plugin.ready?.();
    // The first tick is a timer like all others.
    await this.#clock.advance(0);
    await settle();
  }

  #dispatcher(world: World): Dispatcher {
    return {
      upgrade: () => Promise.reject(new Error('no sockets here')),
      dispatch: async (call) => {
        world.calls.push(call);
        if (world.refusal) return world.refusal;
        const runId = world.newId();
        world.runs.set(runId, {
          run: {
            rootId: runId,
            route: call.route.name,
            principal: call.principal.id,
            memo: call.memo ?? null,
            ...{ status: 'running', waitsFor: null, acknowledged: null },
            createdMs: world.clock.now(),
          },
          ending: undefined,
        });
        call.onRun?.(runId);
        const ending = await world.agent(call, runId);
        if (this.killed) return new Promise<never>(() => {});
        world.set(runId, ending);
        return answerOf(world, runId);
      },
    };
  }

  #devices(world: World): Devices {
    return {
      declared: [{ name: world.camera, kind: 'camera', pulled: false, maxFps: 30 }],
      look: async () => {
        world.looks += 1;
        return world.look();
      },
      publish: async (insight, more) => {
        await this.#moment(world);
        if (insight.device !== world.camera) throw new Error(`no device "${insight.device}" is declared`);
        const isNew = await world.stores.insights.publish(insight, more);
        if (isNew) world.published.push({ insight, more });
        await this.#moment(world);
        return isNew;
      },
      nameWatcher: (device, watcher) => {
        this.named.push(`${device}: ${watcher}`);
        return () => {};
      },
    };
  }

  /** The part of a runner that watchers use. */
  #runner(world: World): Runner {
    const all = (): readonly MemoedRun[] => [...world.runs.values()].map(({ run }) => run);
    const part: Pick<Runner, 'read' | 'memos' | 'newestMemo' | 'acknowledge'> = {
      read: async (runId) => answerOf(world, runId),
      memos: async ({ principal, after = '', limit }) => {
        await world.asked();
        return all()
          .filter((run) => run.acknowledged === null || run.acknowledged !== run.status)
          .filter((run) => (principal === undefined || run.principal === principal) && run.rootId > after)
          .slice(0, limit);
      },
      newestMemo: async (principal) => all().findLast((run) => run.principal === principal),
      acknowledge: async (runId, status) => {
        await this.#moment(world);
        const stored = world.runs.get(runId);
        if (stored) stored.run = { ...stored.run, acknowledged: status };
        await this.#moment(world);
      },
    };
    // Nothing else of it is asked for.
    return part as Runner;
  }

  /** What a process does when it has died never ends. */
  async #moment(world: World): Promise<void> {
    if (++world.moments === world.dieAt) this.killed = true;
    if (this.killed) await new Promise<never>(() => {});
  }
}

/** Lets what is under way without timers go on. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

const agentRoute = toRoute(
  'POST',
  '/agents/guard',
  { kind: 'agent', durability: 'run', answer: () => undefined },
  {
    ...{ tool: true, toolName: 'guard', scopes: [], summary: 'Looks.' },
    input: { input: Type.String({ maxLength: 1_000 }), images: Type.Optional(Type.Array(Type.Unknown())) },
    facts: { startsRun: 'agent' },
  },
);

function answerOf({ runs }: World, runId: string): RouteResponse {
  const { ending } = runs.get(runId) ?? {};
  if (!runs.has(runId)) return problemResponse(404, `no run ${runId}`);
  if (!ending) return jsonResponse({ run_id: runId, status: 'running' }, 202);
  const { status, output = '', error, code } = ending;
  const envelope = { run_id: runId, status, output, usage: { tree_tokens: 42, cost_usd: 0.000_5 } };
  if (status === 'failed')
    return problemResponse(502, error ?? 'it failed', { ...(code !== undefined && { code }), run: envelope });
  return jsonResponse(envelope, isWaiting(status) ? 202 : 200);
}

function isWaiting(status: RunStatus): status is WaitingStatus {
  return status === 'awaiting_approval' || status === 'waiting_provider';
}
