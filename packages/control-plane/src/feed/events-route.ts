import { type Route, Type, toRoute } from '@waymark/contract';
import type { EngineContext, Host } from '@waymark/contract/engine';
import { wantsEvents } from '@waymark/contract/http';
import { relay } from '@waymark/contract/runs';
import type { AuditPlace } from '@waymark/contract/stores';
import { checkKinds } from './check-kinds.ts';
import { toEventId, toPlace } from './event-place.ts';
import { feedTypes, toAuditEvent } from './feed-event.ts';
import { kindsPattern, knownWords, toFilter } from './feed-filter.ts';
import { Tail } from './tail.ts';
import { tell } from './tell.ts';

/** Events in one answer that is no stream, when the caller does not say; and the most. */
const defaultLimit = 200;
const maxLimit = 1_000;

/**
 * Makes `GET /events`: what happens, as server-sent events; or, for who asks for JSON, what has happened since the last event.
 *
 * @param host asked at each request; may throw what the caller is to read
 * @param ofPlugins kinds of audit events that plugins have, asked at each request
 */
export function eventsRoute(host: () => Host, ofPlugins: () => readonly string[]): Route {
  let tail: Tail | undefined;
  const stream = async (context: EngineContext): Promise<undefined> => {
    const { stores, runner, after, log, now, signal: draining } = host();
    const { audit } = stores;
    const steps = runner && { steps: () => runner.tailSteps() };
    if (!tail || tail.stopped) tail = new Tail({ ...{ audit, after, log }, ...steps });
    const own = tail;
    const { kinds } = context.input as EventsQuery;
    const { signal } = context;
    try {
      const parts = { tail: own, audit, now, signal, draining, filter: toFilter(kinds) };
      await relay(tell({ ...parts, seen: seenBy(context) }), context);
    } finally {
      if (own.stopped && tail === own) tail = undefined;
    }
    return undefined;
  };
  const answer = async (context: EngineContext): Promise<unknown> => {
    const { headers, method } = context.request;
    const { kinds } = context.input as EventsQuery;
    if (kinds !== undefined)
      await checkKinds(kinds.split(','), [...knownWords, ...ofPlugins()], host().stores.audit);
    // A HEAD is told nothing, and is not to wait for it.
    if (method !== 'HEAD' && wantsEvents(headers['accept'])) return stream(context);
    return toPage(context, host());
  };
  return toRoute(
    'GET',
    '/events',
    // Whoever listens has as long as both sides stay.
    { kind: 'control', durability: 'run', answer },
    {
      plane: 'control',
      placement: 'owner',
      progress: true,
      summary: 'Tells what happens: runs, steps, approvals, devices, insights, webhooks, audit events.',
      input: eventsQuery,
      // A misspelt filter would tell everything.
      strictQuery: true,
      output: eventsAnswer,
      facts: {
        client: 'events.list',
        feed: true,
        reads: { 'Last-Event-ID': 'The id of the last event that was seen: what followed is told first.' },
      },
    },
  );
}

/** What has happened since the last event, without waiting for more. */
async function toPage(context: EngineContext, { stores: { audit } }: Host): Promise<object> {
  const { kinds, limit = defaultLimit } = context.input as EventsQuery;
  const filter = toFilter(kinds);
  const seen = seenBy(context);
  const known = seen === 'unknown' ? undefined : seen;
  const newest = Number.MAX_SAFE_INTEGER;
  const page = await audit.following(
    seen === undefined ? newest : (known?.n ?? 0),
    Math.min(limit, maxLimit),
  );
  if (seen === undefined) return { events: [], next: toEventId(page.newest), missed: false };
  const isKept = known !== undefined && (known.n === 0 ? page.oldest <= 1 : page.at === known.id);
  // The numbers of another log say nothing of this one.
  const { records } = isKept ? page : await audit.following(0, Math.min(limit, maxLimit));
  const events = records
    .map(({ n, record }) => toAuditEvent(record, n))
    .filter(({ type, kind }) => filter.wants(type, kind));
  const last = records.at(-1);
  const next = last ? { n: last.n, id: last.record.id } : page.newest;
  return { events: events.map(({ data }) => data), next: toEventId(next), missed: !isKept };
}

function seenBy({ request }: EngineContext): AuditPlace | 'unknown' | undefined {
  const id = request.headers['last-event-id'];
  return id === undefined || id === '' ? undefined : (toPlace(id) ?? 'unknown');
}

/** What the dispatcher has validated against `eventsQuery`. */
interface EventsQuery {
  readonly kinds?: string;
  readonly limit?: number;
}

const eventsQuery = {
  kinds: Type.Optional(
    Type.String({
      pattern: kindsPattern,
      description: `Only these, with commas: types (${feedTypes.join(', ')}), or kinds of audit events and of steps.`,
    }),
  ),
  limit: Type.Integer({
    minimum: 1,
    default: defaultLimit,
    description: `How many audit events are looked at for an answer that is no stream, ${maxLimit} at most.`,
  }),
};

const feedEvent = Type.Object(
  {
    type: Type.Union(feedTypes.map((type) => Type.Literal(type))),
    kind: Type.String(),
    at_ms: Type.Integer({ minimum: 0, description: 'Epoch milliseconds.' }),
    id: Type.Optional(Type.String({ description: 'Of an audit event.' })),
    run_id: Type.Optional(Type.String()),
  },
  // Each kind has members of its own.
  { additionalProperties: true, title: 'FeedEvent' },
);

const eventsAnswer = Type.Object(
  {
    events: Type.Array(feedEvent),
    next: Type.String({ description: 'To be said as `Last-Event-ID`: what follows is answered then.' }),
    missed: Type.Boolean({
      description: 'What was seen last is not kept any more: there may have been others.',
    }),
  },
  { additionalProperties: false },
);
