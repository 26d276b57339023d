import { createAuthenticate, isAuthenticationConfigured } from '@waymark/auth';
import { DeclarationError, type Log } from '@waymark/contract';
import { controlRule } from '@waymark/control-plane';
import { createAuditLog, createDispatcher, createHost, createIds, startPlugins } from '@waymark/core-routes';
import { createDoor, createLog, createOutbound, listen } from '@waymark/http';
import { checkDeclarations, isError } from '../check/check-declarations.ts';
import { compose } from '../compose/compose.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { expressListener } from './express-listener.ts';
import { noticeProxy } from './notice-proxy.ts';
import { openState } from './open-state.ts';
import { type StartupReport, startupReport } from './startup-report.ts';

/** A listening application. */
export interface RunningApplication {
  /** `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  readonly report: StartupReport;
  readonly log: Log;
  /** Drains and stops: requests in flight finish, sockets close with 1001. Done within `shutdownTimeout` + 1 s, whatever hangs. */
  close(): Promise<void>;
}

/** Starts what is declared. @throws {DeclarationError} with every problem at once */
export async function startApplication(declarations: Declarations): Promise<RunningApplication> {
  const { settings, credentials, policies, middleware } = declarations;
  const { database } = declarations.database;
  const composition = compose(declarations);
  const { table, plugins, lifecycle, models, runner, authorization } = composition;
  const problems = checkDeclarations(declarations, composition);
  if (problems.some(isError)) throw new DeclarationError(problems.filter(isError));
  table.freeze();

  const draining = new AbortController();
  const stopping = new AbortController();
  const newId = createIds();
  const log = createLog({ level: settings.logLevel, pretty: process.stdout.isTTY });
  lifecycle.log = log;
  declarations.database.log = log;
  const state = await openState(declarations.database, settings);
  const { stores } = state;
  const audit = createAuditLog(stores.audit, { now: Date.now, newId, log });
  const rule = controlRule({
    authenticated: isAuthenticationConfigured(credentials),
    mcpScopes: settings.mcpScopes,
  });
  const dispatcher = createDispatcher(table, {
    runner,
    controlRule: rule,
    guards: plugins.flatMap((plugin) => plugin.guards ?? []),
    emit: audit.emit,
    log,
    requestTimeoutMs: settings.requestTimeout * 1000,
    agentTimeoutMs: settings.agentTimeout * 1000,
    strictQuery: settings.strictQuery,
    signal: stopping.signal,
  });
  const outbound = createOutbound();
  const door = createDoor({
    ...{ dispatcher, newId, log },
    emit: audit.emit,
    // The request timeout counts to the first byte of a stream; from then on each piece has as long (decision 2.11).
    streamIdleMs: Math.ceil(settings.requestTimeout * 1000),
    authenticate: createAuthenticate(credentials, settings.env, {
      ...{ outbound, log, resource: authorization.resource },
    }),
    authenticateTimeoutMs: settings.requestTimeout * 1000,
    controlPrefix: settings.controlPrefix,
    controlRule: rule,
    ...{ challenge: authorization.challenge, isOwnPath: authorization.isOwnPath },
    // Without authentication the name in the address bar is all that keeps foreign pages out (decision 2.7).
    hostGuard: isAuthenticationConfigured(credentials) ? 'control' : 'everywhere',
    maxSocketsPerCaller: settings.maxSocketsPerCaller,
    ...settings.wire,
    ...policies,
  });
  const host = createHost({
    ...{ table, dispatcher, stores, newId, log, outbound },
    models: models.client,
    runner,
    ...(database && { database }),
    // Work that nobody called ends when shutdown begins; calls under way have until it ends.
    signal: draining.signal,
    env: settings.env,
    emit: audit.emit,
  });
  const giveUp = async (error: unknown): Promise<never> => {
    draining.abort(error);
    await Promise.all([audit.flush(), outbound.close()]);
    await state.close();
    throw error;
  };
  const started = await startPlugins(plugins, host).catch(giveUp);
  const open = async (): ReturnType<typeof listen> => {
    const listener =
      middleware.length > 0 ? await expressListener(door, middleware, { newId, log }) : door.listener();
    return listen(door, {
      listener: settings.wire.trustProxy === undefined ? noticeProxy(listener, log) : listener,
      readsAlone: middleware.length === 0,
      host: settings.host,
      port: settings.port,
      // Node takes whole milliseconds only.
      requestTimeoutMs: Math.ceil(settings.requestTimeout * 1000),
      shutdownTimeoutMs: Math.ceil(settings.shutdownTimeout * 1000),
    });
  };
  const server = await open().catch(async (error: unknown) => {
    await started.stop();
    return giveUp(error);
  });
  const close = async (): Promise<void> => {
    const reason = new DOMException('the server is stopping', 'AbortError');
    lifecycle.draining = true;
    draining.abort(reason);
    await server.close();
    stopping.abort(reason);
    await started.stop();
    await Promise.all([audit.flush(), outbound.close()]);
    await state.close();
  };
  await started.ready().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  let closing: Promise<void> | undefined;
  return {
    url: server.url,
    port: server.port,
    report: startupReport({ declarations, table, problems, url: server.url, bootMs: performance.now() }),
    log,
    close: () => (closing ??= within(close(), (settings.shutdownTimeout + 1) * 1000)),
  };
}

/** A plugin that does not stop must not keep the process. */
function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
