import { DeclarationError } from '@waymark/contract';
import { isError } from '@waymark/contract/declaring';
import type { Log } from '@waymark/contract/engine';
import { startPlugins } from '@waymark/core-routes';
import { listen } from '@waymark/http';
import { bootProblems } from '../check/boot-problems.ts';
import { type Composition, compose } from '../compose/compose.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { develop } from '../develop/develop.ts';
import type { Developed } from '../develop/developed.ts';
import type { DevelopmentOptions } from '../develop/development-options.ts';
import type { CallName } from '../watch/current-call.ts';
import type { Post } from '../workers/post.ts';
import { expressListener } from './express-listener.ts';
import { expressUpgrade } from './express-upgrade.ts';
import { lowerHelpers } from './lower-helpers.ts';
import { noticeProxy } from './notice-proxy.ts';
import { refuseOldNode } from './refuse-old-node.ts';
import { assembleServer, type ServerParts } from './server-parts.ts';
import { type StartupReport, startupReport } from './startup-report.ts';

/** Application that listens, as `listen` returns it. */
export interface RunningApplication {
  /** URL that it listens at: `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  readonly report: StartupReport;
  readonly log: Log;
  /** Names the call in whose context this code runs: a handler, or a timer or promise that it left behind. */
  currentCall(): CallName | undefined;
  /** Told that nobody handled a failure, before `close`: the runs under way may be what ends the process. */
  failed(): void;
  /** Drains and stops: requests in flight finish, sockets close with 1001. Resolves within `shutdownTimeout` + 1 s. */
  close(): Promise<void>;
}

/** What is left after `shutdownTimeout` to let go of everything, and of that for the last lines of the log. */
const afterwardsMs = 1_000;
const lastWordsMs = 200;

/** Starts what is declared, with what stands in for what is missing. @throws {DeclarationError} with every problem at once */
export async function startApplication(
  declarations: Declarations,
  development: DevelopmentOptions = {},
  post?: Post,
): Promise<RunningApplication> {
  refuseOldNode();
  const developed = await develop(declarations, development);
  try {
    const running = await startDeclared(developed, development.clock, post);
    const close = async (): Promise<void> => {
      try {
        await running.close();
      } finally {
        await developed.close();
      }
    };
    let closing: Promise<void> | undefined;
    return { ...running, close: () => (closing ??= close()) };
  } catch (error) {
    await developed.close();
    throw error;
  }
}

async function startDeclared(
  { declarations, keys, adminKey, models }: Developed,
  clock: DevelopmentOptions['clock'],
  post: Post | undefined,
): Promise<RunningApplication> {
  const composition = compose(declarations, adminKey, post?.boot);
  const { table, plugins, lifecycle } = composition;
  const problems = await bootProblems(declarations, composition);
  if (problems.some(isError)) throw new DeclarationError(problems.filter(isError));
  table.freeze();

  const parts = await assembleServer(declarations, composition, clock, post);
  const { host, log, draining, stopping } = parts;
  const giveUp = async (error: unknown): Promise<never> => {
    draining.abort(error);
    await parts.release(afterwardsMs);
    throw error;
  };
  const starting = post ? plugins.filter((plugin) => post.starts(plugin)) : plugins;
  const started = await startPlugins(starting, host).catch(giveUp);
  const server = await openPort(declarations, composition, parts, post).catch(async (error: unknown) => {
    await started.stop();
    return giveUp(error);
  });
  const { shutdownTimeout } = declarations.settings;
  const close = async (): Promise<void> => {
    const endsMs = performance.now() + shutdownTimeout * 1000 + afterwardsMs;
    const reason = new DOMException('the server is stopping', 'AbortError');
    lifecycle.draining = true;
    draining.abort(reason);
    await server.close();
    await post?.leave(Math.max(0, endsMs - performance.now() - afterwardsMs));
    stopping.abort(reason);
    await started.stop();
    // What cannot be written is logged while there is time for it.
    for (const watch of parts.watches) watch.stop();
    await parts.release(Math.max(0, endsMs - performance.now() - lastWordsMs));
  };
  if (post?.role !== 'worker')
    await started.ready().catch(async (error: unknown) => {
      await close();
      throw error;
    });
  for (const watch of parts.watches) watch.start();
  lowerHelpers();
  post?.serve({
    adopt: (connection) => server.adopt(connection),
    retire: async (give) => {
      draining.abort(new DOMException('the server is stopping', 'AbortError'));
      void parts.door.closeSockets();
      await server.retire(give, shutdownTimeout * 1000);
    },
  });
  return {
    url: server.url,
    port: server.port,
    report: startupReport({
      declarations,
      composed: composition,
      problems,
      url: server.url,
      bootMs: performance.now(),
      processes: post?.processes,
      because: post?.because,
      keys,
      models,
    }),
    log,
    currentCall: () => parts.currentCall.name,
    failed: () => {
      lifecycle.failed = true;
    },
    close: () => within(close(), shutdownTimeout * 1000 + afterwardsMs),
  };
}

async function openPort(
  { settings, middleware }: Declarations,
  { plugins }: Composition,
  { door, log, newId, postParts }: ServerParts,
  post: Post | undefined,
): ReturnType<typeof listen> {
  await post?.open(postParts);
  const handOver = post?.handOver(postParts.dispatcher, plugins);
  const listener =
    middleware.length > 0 ? expressListener(door, middleware, { newId, log }) : door.listener();
  // Node takes whole milliseconds only.
  const requestTimeoutMs = Math.ceil(settings.requestTimeout * 1000);
  return listen(door, {
    listener: settings.wire.trustProxy === undefined ? noticeProxy(listener, log) : listener,
    ...(middleware.length > 0 && {
      upgrade: expressUpgrade(door, middleware, { newId, log, patienceMs: requestTimeoutMs }),
    }),
    readsAlone: middleware.length === 0,
    ...(handOver && { handOver }),
    ...(post && { heldAt: post.heldAt }),
    host: settings.host,
    port: settings.port,
    requestTimeoutMs,
    shutdownTimeoutMs: Math.ceil(settings.shutdownTimeout * 1000),
  });
}

/** A plugin that does not stop must not keep the process. */
function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
