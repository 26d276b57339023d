import { type Static, Type } from '@waymark/contract';
import type { DeliveryLine, DeliveryState, KeptDelivery, WebhookEndpoint } from '@waymark/contract/stores';
import { hostOf } from '../notify/notify.ts';
import { troubleAt } from '../sender/schedule.ts';

const states = ['ok', 'retrying', 'failing', 'stopped', 'idle'] as const;

const count = Type.Integer({ minimum: 0 });
const time = Type.Union([Type.Integer(), Type.Null()]);

/** One endpoint, as listings show it. */
export const webhookRow = Type.Object(
  {
    id: Type.String(),
    host: Type.String({ description: 'Of its URL nothing else is shown: it may hold a secret.' }),
    events: Type.Optional(Type.Array(Type.String())),
    state: Type.Enum([...states], {
      description:
        'failing: one message at a time is tried. stopped: it answered 410, and nothing is sent until redeliver.',
    }),
    signed: Type.Boolean(),
    queued: count,
    failed: Type.Integer({ minimum: 0, description: 'Given up, and kept: redeliver sends them again.' }),
    delivered: count,
    dropped: Type.Integer({ minimum: 0, description: 'Went unsent, because too many waited.' }),
    last_status: time,
    last_error: Type.Union([Type.String(), Type.Null()]),
    last_at_ms: time,
    next_attempt_ms: time,
  },
  { additionalProperties: false },
);

/** One message, as the route of its endpoint shows it. */
export const messageRow = Type.Object(
  {
    id: Type.String({ description: 'Its `webhook-id`.' }),
    type: Type.Union([Type.String(), Type.Null()]),
    state: Type.Enum(['waiting', 'delivered', 'failed'] satisfies DeliveryState[]),
    attempts: count,
    last_status: time,
    last_error: Type.Union([Type.String(), Type.Null()]),
    added_at_ms: Type.Integer(),
    next_attempt_ms: time,
  },
  { additionalProperties: false },
);

/** An endpoint at work. @param events that it is told of @param dueMs when the next of its messages is due */
export function toWebhookRow(
  { name, url, secretEnv }: WebhookEndpoint,
  line: DeliveryLine | undefined,
  { events, dueMs }: { readonly events?: readonly string[] | undefined; readonly dueMs?: number | undefined },
): Static<typeof webhookRow> {
  const waits = line !== undefined && line.waiting > 0 && !line.stopped;
  return {
    id: name,
    host: hostOf(url) ?? '',
    ...(events && { events: [...events] }),
    state: stateOf(line),
    signed: secretEnv !== undefined,
    queued: line?.waiting ?? 0,
    failed: line?.failed ?? 0,
    delivered: line?.delivered ?? 0,
    dropped: line?.dropped ?? 0,
    last_status: line?.lastStatus ?? null,
    last_error: line?.lastError ?? null,
    last_at_ms: line?.lastAtMs ?? null,
    next_attempt_ms: waits ? nextOf(line, dueMs) : null,
  };
}

/** A message as it is kept, without its body: that may hold what only its receiver should see. */
export function toMessageRow({
  id,
  body,
  state,
  attempts,
  status,
  error,
  ...kept
}: KeptDelivery): Static<typeof messageRow> {
  const type = typeof body === 'object' && body !== null && 'type' in body ? body.type : null;
  return {
    id,
    type: typeof type === 'string' ? type : null,
    state,
    attempts,
    last_status: status,
    last_error: error,
    added_at_ms: kept.addedMs,
    next_attempt_ms: state === 'waiting' ? kept.dueMs : null,
  };
}

function stateOf(line: DeliveryLine | undefined): (typeof states)[number] {
  if (line?.stopped) return 'stopped';
  if (!line || line.lastAtMs === null) return 'idle';
  if (line.failures >= troubleAt) return 'failing';
  return line.lastError !== null && line.waiting > 0 ? 'retrying' : 'ok';
}

/** A probe waits for the pause alone. */
function nextOf({ failures, pausedUntilMs }: DeliveryLine, dueMs: number | undefined): number | null {
  if (failures >= troubleAt) return pausedUntilMs;
  return dueMs === undefined ? null : Math.max(dueMs, pausedUntilMs ?? 0);
}
