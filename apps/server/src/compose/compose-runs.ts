import type { Principal } from '@waymark/contract/principal';
import { sqlRunStore, sqlSessionStore } from '@waymark/data';
import { createNotices, type Notices } from '@waymark/outbox';
import { createRunner, type StartableRunner } from '@waymark/runs';
import { watcherToday } from '@waymark/watchers';
import { anonymousScopesOf } from '../declaring/anonymous-scopes.ts';
import type { Declarations } from '../declaring/declarations.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Before the end of a shutdown, milliseconds: runs that were interrupted are given back in this time. */
const leaveMs = 2_000;

const dayMs = 24 * 3_600_000;

/**
 * Puts the engine of durable runs on the database of the application, or on one in memory.
 *
 * @param boot what started this process, where others take its place
 */
export function composeRuns(
  declarations: Declarations,
  lifecycle: Lifecycle,
  boot?: string,
): StartableRunner {
  const { settings, database } = declarations;
  const { state } = database;
  const { ttl, ...limits } = settings.sessions;
  const sessions = { ...limits, ttlMs: ttl * 1000 };
  return createRunner({
    store: sqlRunStore(state, { sessions, keepBytesPerCaller: settings.runs.keepBytesPerCaller }),
    sessions: sqlSessionStore(state, sessions),
    leaseMs: settings.runs.lease * 1000,
    renewMs: (settings.runs.lease * 1000) / 3,
    maxResumed: settings.runs.maxResumed,
    giveUpAfterMs: settings.runs.giveUpAfter * 1000,
    keepMs: settings.runs.keepDays * dayMs,
    keepRuns: settings.runs.keepRuns,
    drainMs: Math.max(0, settings.shutdownTimeout * 1000 - leaveMs),
    failed: () => lifecycle.failed,
    ...(boot !== undefined && { boot }),
    today: (principal) => asOfToday(principal, declarations),
    ...(declarations.declared.outbox.length > 0 && { notices: noticesOf(declarations) }),
  });
}

/** Who is told of questions and of ends of runs. */
function noticesOf({ declared, settings }: Declarations): Notices {
  const { controlPrefix, wire } = settings;
  return createNotices(declared.outbox, { controlPrefix, publicUrl: wire.publicUrl });
}

/**
 * What a caller of an earlier day may still do: a key that is not declared any more is gone, and scopes that were taken
 * away are gone from its runs. So are a watcher, and its scopes. No subject of a token has the id of a key, and a token's
 * scopes are only in the token.
 */
function asOfToday(principal: Principal, { declared }: Declarations): Principal | undefined {
  const { credentials } = declared;
  const watcher = watcherToday(principal, declared.watchers);
  if (watcher) return watcher.declared ? within(principal, watcher.scopes) : undefined;
  if (!principal.authenticated) return within(principal, anonymousScopesOf({ declared }));
  const key = credentials.find(({ kind, name }) => kind === 'apiKey' && name === principal.id);
  if (key?.kind === 'apiKey') return within(principal, key.options.scopes);
  return credentials.some(({ kind }) => kind === 'jwt') ? principal : undefined;
}

function within(principal: Principal, granted: readonly string[]): Principal {
  return { ...principal, scopes: principal.scopes.filter((scope) => granted.includes(scope)) };
}
