import type { Problem } from '@waymark/contract';
import { type Finding, isOptions } from '@waymark/contract/declaring';
import type { Host, Plugin } from '@waymark/contract/engine';
import type { AuditEvent, WebhookEndpoint } from '@waymark/contract/stores';
import { outboxLimits } from './limits.ts';
import { checkNotify } from './notify/check-notify.ts';
import { endpointName, eventDeliveries } from './notify/notices.ts';
import { hostOf, type NotifyDeclaration } from './notify/notify.ts';
import { webhookRoutes } from './routes/webhook-routes.ts';
import { Sender } from './sender/sender.ts';
import { WaitingCount } from './waiting-count.ts';

/** What the plugin of an outbox has to know of others. */
export interface OutboxOptions {
  /** The endpoints of all plugins, its own included; by default its own alone. Asked once all plugins are made. */
  readonly endpoints?: () => readonly WebhookEndpoint[];
}

/**
 * Makes the plugin that sends webhook messages: those of declared `notify`, and whatever other plugins put into the outbox
 * for endpoints of theirs. It sends in one process of those on a database, from when callers are let in until it is stopped.
 */
export function createOutbox(
  declarations: readonly NotifyDeclaration[],
  options: OutboxOptions = {},
): Plugin {
  const sound = declarations.filter(isUsable);
  const own = sound.map(toEndpoint);
  const { endpoints = () => own } = options;
  let host: Host | undefined;
  let sender: Sender | undefined;
  const count = new WaitingCount();
  const started = (): Host => {
    if (!host) throw new Error('the plugin of the outbox has not started');
    return host;
  };
  const wake = (): void => {
    // What goes wrong is said by the next look that nobody asked for.
    sender?.wake().catch(() => {});
  };
  return {
    name: 'outbox',
    routes: webhookRoutes({
      ...{ host: started, endpoints, wake },
      eventsOf: (name) => sound.find((one) => endpointName(one.name) === name)?.options.given.events,
    }),
    needs: own.length > 0 ? ['outbound'] : [],
    check: ({ env }): readonly Problem[] =>
      declarations.flatMap((one, i) => checkNotify(one, declarations.slice(0, i), env)),
    start(given) {
      host = given;
    },
    ready() {
      if (endpoints().length === 0) return;
      sender = new Sender(started(), endpoints());
      sender.start();
    },
    async stop() {
      await sender?.stop();
    },
    observe(event) {
      if (host) put(sound, event, host, wake);
    },
    async gauges(): Promise<Readonly<Record<string, number>>> {
      if (!host || endpoints().length === 0) return {};
      return { webhooks_waiting: await count.current(host, endpoints()) };
    },
    troubles: () => sender?.troubles ?? [],
    webhooks: () => own,
    findings: () => endpoints().map(toFinding),
    limits: () => (endpoints().length === 0 ? [] : outboxLimits()),
  };
}

function put(
  declarations: readonly NotifyDeclaration[],
  event: AuditEvent,
  host: Host,
  wake: () => void,
): void {
  const { now, newId, stores, log } = host;
  const deliveries = eventDeliveries(declarations, event, { atMs: now(), newId });
  if (deliveries.length === 0) return;
  Promise.all(deliveries.map((one) => stores.outbox.add(one, now()))).then(wake, (error: unknown) => {
    log('error', 'a webhook message could not be stored', { event: event.kind, error });
  });
}

function isUsable({ name, options: { url, given } }: NotifyDeclaration): boolean {
  return name !== '' && hostOf(url) !== undefined && isOptions(given) && Array.isArray(given.events);
}

function toEndpoint({ name, options: { url, given } }: NotifyDeclaration): WebhookEndpoint {
  const { secretEnv, bearerEnv } = given;
  return {
    name: endpointName(name),
    url,
    ...(secretEnv !== undefined && { secretEnv }),
    ...(bearerEnv !== undefined && { bearerEnv }),
  };
}

/** Who is told what goes on here is part of what is exposed. */
function toFinding({ name, url, secretEnv }: WebhookEndpoint): Finding {
  const signed = secretEnv === undefined ? 'not signed' : 'signed';
  return { severity: 'info', text: `webhook messages of "${name}" go to ${hostOf(url) ?? ''}, ${signed}` };
}
