import { HTTPError, listing, type Route, Type, toRoute } from '@waymark/contract';
import type { Host } from '@waymark/contract/engine';
import type { WebhookEndpoint } from '@waymark/contract/stores';
import { messageRow, toMessageRow, toWebhookRow, webhookRow } from './webhook-rows.ts';

/** Of the messages of an endpoint the newest are shown. */
const shownMessages = 100;

/** What the routes work with. */
export interface WebhookRouteParts {
  /** @throws {Error} before the plugin has started */
  readonly host: () => Host;
  readonly endpoints: () => readonly WebhookEndpoint[];
  /** What an endpoint is told of, where it was declared by that. */
  readonly eventsOf: (name: string) => readonly string[] | undefined;
  /** There is something to send. */
  readonly wake: () => void;
}

/** The routes of the control plane: who is sent messages, which, and once more. */
export function webhookRoutes(parts: WebhookRouteParts): readonly Route[] {
  return [listRoute(parts), readRoute(parts), redeliverRoute(parts)];
}

function listRoute({ host, endpoints, eventsOf }: WebhookRouteParts): Route {
  return listing(
    'webhooks',
    async () => {
      const { outbox } = host().stores;
      const [lines, soonest] = await Promise.all([outbox.lines(), outbox.soonest()]);
      return endpoints().map((one) =>
        toWebhookRow(
          one,
          lines.find(({ endpoint }) => endpoint === one.name),
          {
            events: eventsOf(one.name),
            dueMs: soonest.find(({ endpoint }) => endpoint === one.name)?.dueMs,
          },
        ),
      );
    },
    { summary: 'Lists who is sent webhook messages, and how that goes.', row: webhookRow },
  );
}

function readRoute({ host, endpoints }: WebhookRouteParts): Route {
  return toRoute(
    'GET',
    '/webhooks/{id}',
    {
      kind: 'control',
      async answer({ input: { id } }) {
        const { name } = find(endpoints(), id);
        const kept = await host().stores.outbox.kept(name, shownMessages);
        return { id: name, messages: kept.map(toMessageRow) };
      },
    },
    {
      plane: 'control',
      summary: 'Lists the messages of an endpoint that are kept, newest first, without their bodies.',
      output: Type.Object(
        { id: Type.String(), messages: Type.Array(messageRow) },
        { additionalProperties: false },
      ),
      facts: { fails: [404], client: 'webhooks.read' },
    },
  );
}

function redeliverRoute({ host, endpoints, wake }: WebhookRouteParts): Route {
  return toRoute(
    'POST',
    '/webhooks/{id}/redeliver',
    {
      kind: 'control',
      async answer({ input: { id, message_id: messageId } }) {
        const { name } = find(endpoints(), id);
        const { stores, now } = host();
        const message = messageId === undefined ? undefined : String(messageId);
        const redelivered = await stores.outbox.redeliver(name, now(), message);
        if (message !== undefined && redelivered === 0) throw new HTTPError(404, 'no such message is kept');
        wake();
        return { redelivered };
      },
    },
    {
      plane: 'control',
      summary: 'Sends again what waits or was given up, or one message, and lifts a stop.',
      input: {
        message_id: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description: 'one message alone, also one that was delivered',
          }),
        ),
      },
      output: Type.Object(
        { redelivered: Type.Integer({ minimum: 0, description: 'How many are due now.' }) },
        { additionalProperties: false },
      ),
      facts: { fails: [404], client: 'webhooks.redeliver' },
    },
  );
}

function find(endpoints: readonly WebhookEndpoint[], id: unknown): WebhookEndpoint {
  const found = endpoints.find(({ name }) => name === id);
  if (!found) throw new HTTPError(404, 'no such webhook is declared');
  return found;
}
