import { createRouteTable, type Route, type Values } from '@waymark/contract';
import type { Call, Log, RouteResponse } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import type { AuditEvent, RunStore } from '@waymark/contract/stores';
import { createDispatcher, createHost } from '@waymark/core-routes';
import { openDatabase, type SqlDatabase, sqlRunStore, sqlSessionStore } from '@waymark/data';
import { createRunner, type RunnerOptions, type StartableRunner } from '@waymark/runs';
import type { Stage } from './drivers.ts';
import { mortalStore } from './mortal-store.ts';
import { effectTools } from './tools.ts';
import { Life, World } from './world.ts';

/** Who calls. */
export const desk: Principal = { id: 'desk', rootId: 'desk', authenticated: true, scopes: ['use', 'other'] };

/** Who decides. */
export const boss: Principal = { id: 'boss', rootId: 'boss', authenticated: true, scopes: ['svc:admin'] };

/** A database with a table for effects; engines come and go on it. */
export async function openState(url = ':memory:'): Promise<{ database: SqlDatabase; store: RunStore }> {
  const database = await openDatabase(url, { synchronous: 'normal' });
  await database.write([{ sql: 'create table if not exists effect (key text)' }]);
  return { database, store: sqlRunStore(database) };
}

/** How an engine is made. */
export interface EngineOptions extends Partial<RunnerOptions> {
  readonly life?: Life;
  readonly world?: World;
  /** The host's: upkeep by the clock happens only where a test wants it. */
  readonly after?: (ms: number, task: () => unknown) => () => void;
  readonly log?: Log;
  readonly tools?: boolean;
  readonly now?: () => number;
  readonly monotonic?: () => number;
  /** As the table has them. */
  readonly requestTimeoutMs?: number;
  readonly agentTimeoutMs?: number;
}

/** One process, as far as the store can tell. */
export interface Engine {
  readonly life: Life;
  readonly world: World;
  readonly runner: StartableRunner;
  readonly events: AuditEvent[];
  call(tool: string, values?: Values, more?: Partial<Call>): Promise<RouteResponse>;
  shutdown(): void;
  stop(): Promise<void>;
}

/** Starts an engine: what others left behind is taken up. */
export async function startEngine(
  database: SqlDatabase,
  routes: (stage: Stage) => readonly Route[],
  options: EngineOptions = {},
): Promise<Engine> {
  const {
    life = new Life(),
    world = new World(),
    after = shortTimers,
    log = () => {},
    tools = true,
    now,
    monotonic,
    requestTimeoutMs,
    agentTimeoutMs,
    ...rest
  } = options;
  const runner = createRunner({
    store: mortalStore(sqlRunStore(database), life),
    sessions: mortalStore(sqlSessionStore(database), life),
    drainMs: 200,
    ...rest,
  });
  const stage = { world, life };
  const events: AuditEvent[] = [];
  const table = createRouteTable(
    [...(tools ? effectTools(stage, database) : []), ...routes(stage), ...runner.plugin.routes],
    {
      ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
      ...(agentTimeoutMs !== undefined && { agentTimeoutMs }),
    },
  ).freeze();
  const emit = (event: AuditEvent): void => void events.push(event);
  const end = new AbortController();
  const counted = monotonic && { monotonic };
  const dispatcher = createDispatcher(table, {
    ...{ runner, emit, log, ...counted },
    controlRule: () => undefined,
  });
  const clocks = { ...(now && { now }), ...counted };
  const host = createHost({ table, dispatcher, runner, emit, log, signal: end.signal, ...clocks });
  const others = process.listeners('unhandledRejection');
  const { plugin } = runner;
  const begin = async (): Promise<void> => {
    await plugin.start?.({ ...host, after });
    await plugin.ready?.();
  };
  const begun = begin();
  // A dead process listens to nothing any more.
  const own = process.listeners('unhandledRejection').filter((listener) => !others.includes(listener));
  void life.died.then(() => {
    for (const listener of own) process.off('unhandledRejection', listener);
  });
  await Promise.race([begun, life.died]);
  let requests = 0;
  return {
    life,
    world,
    runner,
    events,
    call: async (tool, values = {}, more = {}) => {
      const route = table.get(tool);
      if (!route) throw new Error(`no route ${tool}`);
      return dispatcher.dispatch({
        route,
        input: { by: 'arguments', values },
        principal: desk,
        via: 'http',
        requestId: `r${requests++}`,
        ...more,
      });
    },
    shutdown: () => end.abort(),
    stop: async () => runner.plugin.stop?.(),
  };
}

/** Real timers for what is awaited, none for upkeep and deadlines. */
function shortTimers(ms: number, task: () => unknown): () => void {
  if (ms >= 1_000) return () => {};
  const timer = setTimeout(task, ms);
  return () => clearTimeout(timer);
}

/** The members of a JSON answer. */
export function json<T = Values>({ status, body }: RouteResponse): T {
  if (body.kind === 'json') return JSON.parse(body.text) as T;
  throw new Error(`${status}: ${JSON.stringify(body)}`);
}
