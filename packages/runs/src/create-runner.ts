import { HTTPError } from '@waymark/contract';
import type { Cancel, Host, Plugin } from '@waymark/contract/engine';
import type { Runner } from '@waymark/contract/runs';
import { LongCalls } from './budget/long-calls.ts';
import { Counts } from './counts.ts';
import { DurableRunner } from './durable-runner.ts';
import { runLimits } from './limits.ts';
import { noticedStore } from './noticed-store.ts';
import type { RunnerOptions } from './options.ts';
import { Keeper } from './roots/keeper.ts';
import { Pool } from './roots/pool.ts';
import { Roots } from './roots/roots.ts';
import { StoredRoots } from './roots/stored-roots.ts';
import { approvalRoute, approvalsRoute } from './routes/approvals.ts';
import { forkRoute, retryRoute } from './routes/retry.ts';
import { cancelRoute, runRoute, runsRoute, stepsRoute } from './routes/runs.ts';
import { waitsRoute } from './routes/waits.ts';
import { watchRejections } from './watch-rejections.ts';

/** A runner, and the plugin that starts it: dispatcher and table are known only then. */
export interface StartableRunner extends Runner {
  /**
   * Its routes under the control prefix; its `start` must come before the first call, its `stop` after the last. Stored
   * runs are taken up from `ready` on.
   */
  readonly plugin: Plugin;
  /** The root whose code is running. */
  readonly current: string | undefined;
}

/** Parts that are there once the plugin has started. */
interface Started {
  readonly runner: DurableRunner;
  readonly roots: Roots;
  readonly keeper: Keeper;
  readonly counts: Counts;
  readonly stopDraining: Cancel;
  readonly stopWatching: Cancel;
  now(): number;
}

/** Makes the engine of durable runs over its stores. One for each application. */
export function createRunner(options: RunnerOptions): StartableRunner {
  let started: Started | undefined;
  const opened = (): DurableRunner => {
    if (!started) throw new HTTPError(503, 'the runner was not started');
    return started.runner;
  };
  const routes = [
    runsRoute(options.store),
    runRoute(options.store),
    stepsRoute(options.store),
    cancelRoute(opened),
    retryRoute(opened),
    forkRoute(opened),
    approvalsRoute(options.store, () => started?.now() ?? 0),
    approvalRoute(opened),
    waitsRoute(options.store),
  ];
  return {
    plugin: {
      name: 'runs',
      routes,
      start: async (host) => {
        started = begin(options, host);
        await started.keeper.start();
      },
      // Drivers have started by now: a run that is taken up finds what it works with.
      ready: () => started?.keeper.ready(),
      stop: async () => {
        started?.stopDraining();
        await started?.keeper.stop();
        started?.stopWatching();
      },
      gauges: () => started?.counts.current() ?? {},
      limits: () => runLimits,
    },
    get current() {
      return started?.roots.current;
    },
    open: async (...args) => opened().open(...args),
    decide: async (...args) => opened().decide(...args),
    cancel: async (...args) => opened().cancel(...args),
    cancelOwn: async (...args) => opened().cancelOwn(...args),
    read: async (...args) => opened().read(...args),
    follow: (...args) => opened().follow(...args),
    countRuns: async (...args) => opened().countRuns(...args),
    tailSteps: () => opened().tailSteps(),
    memos: async (...args) => opened().memos(...args),
    newestMemo: async (...args) => opened().newestMemo(...args),
    acknowledge: async (...args) => opened().acknowledge(...args),
  };
}

function begin(options: RunnerOptions, host: Host): Started {
  const { sessions, leaseMs = 30_000, renewMs = 10_000, maxResumed = 256, drainMs = 28_000 } = options;
  const { keepMs = 7 * 24 * 60 * 60_000, keepRuns = 100_000, today = (principal) => principal } = options;
  const { giveUpAfterMs = 60 * 60_000, random = Math.random, failed = () => false, notices } = options;
  const { now, monotonic, newId, after, emit, log, table, dispatcher, signal } = host;
  const counts = new Counts({ store: options.store, sessions, log, monotonic });
  const store = noticedStore(options.store, () => counts.changed());
  const clocks = { now, monotonic, after };
  const waiting = { giveUpAfterMs, random, failed, longCalls: new LongCalls() };
  const parts = { store, sessions, leaseMs, ...waiting, ...clocks, newId, emit, log, notices };
  const holder = newId();
  const { boot = holder } = options;
  const roots = new Roots(parts);
  const stored = new StoredRoots({ ...parts, table, dispatcher, today });
  const pool = new Pool({ ...parts, roots, stored, holder, maxResumed });
  const runner = new DurableRunner({ ...parts, roots, stored, pool, table, holder });
  const keeper = new Keeper({ ...parts, roots, pool, holder, boot, renewMs, drainMs, keepMs, keepRuns });
  // Whoever waits for a run is answered before the doors close, and they wait for those.
  const drain = (): void => void keeper.stop();
  signal.addEventListener('abort', drain, { once: true });
  return {
    ...{ runner, roots, keeper, counts, now },
    stopDraining: () => signal.removeEventListener('abort', drain),
    stopWatching: watchRejections({ current: () => roots.current, log }),
  };
}
