import { createAuthenticate, isAuthenticationConfigured } from '@waymark/auth';
import { type Dispatcher, type Host, type Log, Partners } from '@waymark/contract/engine';
import { controlRule } from '@waymark/control-plane';
import { createAuditLog, createDispatcher, createHost, createIds } from '@waymark/core-routes';
import { createDoor, createLog, type Door, type DoorOptions } from '@waymark/http';
import type { Composition } from '../compose/compose.ts';
import { composeFace } from '../compose/compose-face.ts';
import { rateOverRedis } from '../compose/over-redis.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { CurrentCall } from '../watch/current-call.ts';
import { watchDescriptors } from '../watch/descriptors.ts';
import { EventLoop } from '../watch/event-loop.ts';
import { IdleCollector } from '../watch/idle-collector.ts';
import { TroubleList, type TroubleSource } from '../watch/trouble-list.ts';
import type { Post, PostParts } from '../workers/post.ts';
import { type OpenState, openState } from './open-state.ts';

/** What a server works with, before its plugins start. */
export interface ServerParts {
  readonly door: Door;
  readonly host: Host;
  readonly log: Log;
  readonly newId: () => string;
  readonly currentCall: CurrentCall;
  /** Watches over the process, from when callers are let in until nobody is any more. */
  readonly watches: readonly { start(): void; stop(): void }[];
  /** Aborted when shutdown begins: work that nobody called ends. */
  readonly draining: AbortController;
  /** Aborted when its time is over: so do calls under way. */
  readonly stopping: AbortController;
  /** What the other processes of the server are told of this one. */
  readonly postParts: PostParts;
  /** Writes what is still to be written, as long as there is time, and lets go of connections and of the database. */
  release(withinMs: number): Promise<void>;
}

/** How long the audit log may take for its last events. */
const flushMs = 3_000;

/** Makes the parts of a server, and opens its database. @throws {DeclarationError} a database that cannot be opened */
export async function assembleServer(
  declarations: Declarations,
  composition: Composition,
  clock: Clock = {},
  post?: Post,
): Promise<ServerParts> {
  const { settings } = declarations;
  const { lifecycle, outbound } = composition;
  const newId = createIds();
  const pretty = post?.pretty ?? process.stdout.isTTY;
  const log = ofProcess(createLog({ level: settings.logLevel, pretty }), post);
  lifecycle.log = log;
  declarations.database.log = log;
  const sharedRate = await rateOverRedis(declarations, log);
  const state = await openState(declarations.database, settings);
  const audit = createAuditLog(state.stores.audit, { now: clock.now ?? Date.now, newId, log });
  const currentCall = new CurrentCall();
  declarations.database.callerOf = () => currentCall.caller;
  const eventLoop = new EventLoop({ log, culprit: (...turn) => currentCall.culprit(...turn) });
  const issuers = new Partners('issuer', clock.monotonic ? { monotonic: clock.monotonic } : {});
  // What is wrong with the parts of a server that are no plugins.
  const sources: readonly TroubleSource[] = [
    () => audit.troubles(),
    () => eventLoop.troubles(),
    watchDescriptors(),
    () => sharedRate?.troubles() ?? [],
    () => issuers.troubles(),
    ...composition.plugins.map((plugin) => () => plugin.troubles?.() ?? []),
  ];
  const troubles = new TroubleList(sources, { log });
  const basics: Basics = {
    ...{ newId, log, outbound, currentCall, clock, sharedRate, issuers },
    post,
    emit:
      post?.emit ??
      ((event) => {
        audit.emit(event);
        for (const plugin of composition.plugins) plugin.observe?.(event);
      }),
    rule: controlRule({
      authenticated: isAuthenticationConfigured(declarations.declared.credentials),
      mcpScopes: settings.mcpScopes,
      openapi: settings.openapi,
    }),
    draining: new AbortController(),
    stopping: new AbortController(),
  };
  const { draining, stopping } = basics;
  const own = makeDispatcher(declarations, composition, basics);
  const dispatcher = post?.around(own) ?? own;
  const door = makeDoor(declarations, composition, { ...basics, dispatcher });
  lifecycle.condition = {
    troubles: () => [...troubles.look(), ...(post?.others().troubles ?? [])],
    eventLoopP99Ms: () => Math.max(eventLoop.p99Ms, post?.others().eventLoopP99Ms ?? 0),
    traffic: (windowMs) => door.traffic(windowMs),
  };
  return {
    ...{ log, newId, draining, stopping, currentCall },
    watches: [eventLoop, troubles, new IdleCollector()],
    door,
    host: makeHost(declarations, composition, { ...basics, dispatcher: own, stores: state.stores }),
    postParts: {
      ...{ table: composition.table, dispatcher, door, log, emit: basics.emit },
      sessions: lifecycle.sessions,
      troubles: () => troubles.look(),
      eventLoopP99Ms: () => eventLoop.p99Ms,
    },
    async release(withinMs) {
      await Promise.all([audit.flush(Math.min(withinMs, flushMs)), outbound.close(), sharedRate?.close()]);
      await state.close();
    },
  };
}

/** Clocks of the host; those of the machine where they are left out. */
type Clock = Partial<Pick<Host, 'now' | 'monotonic' | 'after'>>;

/** Of several processes that write one log, each line says which. */
function ofProcess(log: Log, post: Post | undefined): Log {
  if (!post) return log;
  const { index } = post;
  return (level, message, fields) => log(level, message, { ...fields, process: index });
}

/** What several parts are made with. */
interface Basics {
  readonly post: Post | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Log;
  readonly emit: Host['emit'];
  readonly currentCall: CurrentCall;
  readonly outbound: Composition['outbound'];
  readonly sharedRate: DoorOptions['sharedRate'];
  readonly issuers: Partners;
  readonly rule: ReturnType<typeof controlRule>;
  readonly draining: AbortController;
  readonly stopping: AbortController;
}

function makeDispatcher(
  { settings }: Declarations,
  { table, plugins, runner }: Composition,
  { rule, emit, log, currentCall, stopping, post }: Basics,
): ReturnType<typeof createDispatcher> {
  const owner = post?.ownerOf(plugins);
  return createDispatcher(table, {
    ...(owner && { owner }),
    ...{ runner, emit, log, controlRule: rule },
    guards: plugins.flatMap((plugin) => plugin.guards ?? []),
    strictQuery: settings.strictQuery,
    trace: currentCall,
    signal: stopping.signal,
  });
}

function makeDoor(
  declarations: Declarations,
  { authorization, lifecycle, table }: Composition,
  {
    dispatcher,
    newId,
    log,
    emit,
    outbound,
    rule,
    post,
    sharedRate,
    issuers,
    clock: { now, monotonic },
  }: Basics & { readonly dispatcher: ReturnType<typeof createDispatcher> },
): Door {
  const { name, settings, policies, declared } = declarations;
  const { credentials } = declared;
  const { resource, challenge, isOwnPath } = authorization;
  const authenticate = createAuthenticate(credentials, settings.env, {
    ...{ outbound, log, resource, issuers, application: name },
    maxEndedSessions: settings.limits.endedSignIns,
    ...(now && { now }),
    ...(monotonic && { monotonic }),
  });
  lifecycle.sessions = post ? post.share(authenticate.sessions) : authenticate.sessions;
  return createDoor({
    ...post?.door,
    sharedRate,
    ...{ dispatcher, newId, log, emit, challenge, isOwnPath, authenticate },
    problemPage: composeFace(declarations, table, rule),
    // The request timeout counts to the first byte of a stream; from then on each piece has as long (decision 2.11).
    streamIdleMs: Math.ceil(settings.requestTimeout * 1000),
    authenticateTimeoutMs: settings.requestTimeout * 1000,
    controlPrefix: settings.controlPrefix,
    controlRule: rule,
    // Without authentication the name in the address bar is all that keeps foreign pages out (decision 2.7).
    hostGuard: isAuthenticationConfigured(credentials) ? 'control' : 'everywhere',
    maxSocketsPerCaller: settings.maxSocketsPerCaller,
    limits: settings.limits,
    ...settings.wire,
    ...policies,
  });
}

function makeHost(
  { settings, database: { database } }: Declarations,
  { table, runner, models, hub }: Composition,
  {
    draining,
    newId,
    log,
    emit,
    outbound,
    dispatcher,
    stores,
    clock,
  }: Basics & { readonly dispatcher: Dispatcher } & Pick<OpenState, 'stores'>,
): Host {
  const host = createHost({
    ...{ table, dispatcher, stores, newId, log, emit, outbound, runner },
    ...(clock.now && { now: clock.now }),
    ...(clock.monotonic && { monotonic: clock.monotonic }),
    models: models.client,
    devices: hub.devices,
    ...(database && { database }),
    // Work that nobody called ends when shutdown begins; calls under way have until it ends.
    signal: draining.signal,
    env: settings.env,
  });
  return clock.after ? { ...host, after: clock.after } : host;
}
