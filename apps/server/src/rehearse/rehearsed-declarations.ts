import { isOptions } from '@waymark/contract/declaring';
import { applicationDatabase } from '../compose/application-database.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { RehearsalError } from './rehearsal.ts';

/** What of an application takes part in a rehearsal. */
export interface RehearsedDeclarations {
  readonly declarations: Declarations;
  readonly watch: Declarations['declared']['watchers'][number];
  /** Contexts that are not read. */
  readonly unread: readonly string[];
}

/**
 * Leaves of an application what cannot reach anybody: one watcher without its webhook, a database of its own in memory, and
 * of the contexts those that are constants.
 *
 * @throws {RehearsalError} it has no such watcher
 */
export function toRehearsed(given: Declarations, name: string): RehearsedDeclarations {
  const { declared, database, settings: declaredSettings } = given;
  const found = declared.watchers.find((one) => one.name === name);
  if (!found) throw unknownWatcher(name, given);
  const watch = isOptions(found.options) ? { ...found, options: withoutWebhook(found.options) } : found;
  const settings = {
    ...declaredSettings,
    database: database.url === undefined ? undefined : ':memory:',
    // A provider that is out of reach is said at once, not waited for.
    runs: { ...declaredSettings.runs, giveUpAfter: 0 },
  };
  const unread: string[] = [];
  const agents = declared.agents.map((one) => {
    if (one.kind !== 'context' || !isOptions(one.options) || 'data' in one.options) return one;
    unread.push(one.name);
    const { description, maxChars } = one.options;
    const options = {
      ...(description !== undefined && { description }),
      ...(maxChars !== undefined && { maxChars }),
      data: 'not read: this is a dry run',
    };
    return { ...one, options };
  });
  return {
    watch,
    unread: unread.filter((context) => isToldTo(watch.options, context, given)),
    declarations: {
      ...given,
      settings,
      database: applicationDatabase(settings),
      declared: { ...declared, agents, watchers: [watch] },
    },
  };
}

function unknownWatcher(name: string, { declared }: Declarations): RehearsalError {
  const names = declared.watchers.map((one) => one.name);
  const there = names.length === 0 ? '; the application declares none' : '';
  return new RehearsalError(`there is no watcher "${name}"${there}`, names);
}

function withoutWebhook<
  T extends { webhook?: unknown; webhookBearerEnv?: unknown; webhookSecretEnv?: unknown },
>(options: T): Omit<T, 'webhook' | 'webhookBearerEnv' | 'webhookSecretEnv'> {
  const { webhook: _url, webhookBearerEnv: _bearer, webhookSecretEnv: _secret, ...rest } = options;
  return rest;
}

/** Whether the agent of the watcher, or one that it may hand over to, is told a context. */
function isToldTo(watch: { readonly agent?: unknown }, context: string, { declared }: Declarations): boolean {
  const agents = new Set([watch.agent]);
  // Grows while it is walked through: whom the agents in it hand over to comes behind them.
  for (const name of agents)
    for (const one of declared.agents)
      if (one.kind === 'agent' && one.name === name)
        for (const next of one.options.handoffs ?? []) agents.add(next);
  return declared.agents.some(
    (one) => one.kind === 'agent' && agents.has(one.name) && one.options.context?.includes(context),
  );
}
