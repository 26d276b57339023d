import { type Route, Type, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { idPattern } from '@waymark/contract/schema';
import { type AuditStore, auditKinds } from '@waymark/contract/stores';
import { checkKinds } from './feed/check-kinds.ts';

/** Events in one answer when the caller does not say. */
const defaultLimit = 200;

/** The most events in one answer, however many are asked for. */
const maxLimit = 1000;

/**
 * Lists the audit events, newest first, as they are kept. An event of the last 100 ms may still wait in its batch. Where
 * events are missing stands one of the kind `audit_gap`, with `events`, `from_ms` and `to_ms`.
 *
 * @param store asked at each request; may throw what the caller is to read
 * @param kinds those of plugins, asked at each request
 */
export function auditRoute(store: () => AuditStore, kinds: () => readonly string[]): Route {
  const answer = async ({ input }: EngineContext): Promise<object> => {
    const {
      kind,
      run_id,
      principal,
      route,
      since_ms,
      until_ms,
      before,
      limit = defaultLimit,
    } = input as AuditQuery;
    if (kind !== undefined) await checkKinds([kind], [...auditKinds, ...kinds()], store());
    const most = Math.min(limit, maxLimit);
    const filter = {
      ...(kind !== undefined && { kind }),
      ...(run_id !== undefined && { runId: run_id }),
      ...(principal !== undefined && { principal }),
      ...(route !== undefined && { route }),
      ...(since_ms !== undefined && { sinceMs: since_ms }),
      ...(until_ms !== undefined && { untilMs: until_ms }),
      ...(before !== undefined && { before }),
    };
    // One more than asked for tells whether there is more.
    const found = await store().list({ ...filter, limit: most + 1 });
    const events = found.slice(0, most);
    const last = found.length > most ? events.at(-1) : undefined;
    return { events, ...(last && { next: last.id }) };
  };
  return toRoute(
    'GET',
    '/audit',
    { kind: 'control', answer },
    {
      plane: 'control',
      placement: 'owner',
      summary: 'Lists audit events, newest first.',
      input: auditQuery,
      // A misspelt filter would show everything.
      strictQuery: true,
      output: auditAnswer,
      facts: { client: 'audit' },
    },
  );
}

/** What the dispatcher has validated against `auditQuery`. */
interface AuditQuery {
  readonly kind?: string;
  readonly run_id?: string;
  readonly principal?: string;
  readonly route?: string;
  readonly since_ms?: number;
  readonly until_ms?: number;
  readonly before?: string;
  readonly limit?: number;
}

/** A root, or one below it: `<root>.<seq>`, and so on. */
const runIdPattern = idPattern.replace('$', '(\\.[0-9]+)*$');

const auditQuery = {
  // Plugins have kinds of their own.
  kind: Type.Optional(
    Type.String({ pattern: '^[a-z][a-z0-9_]*$', description: 'Only events of this kind.' }),
  ),
  run_id: Type.Optional(Type.String({ pattern: runIdPattern, description: 'Only events of this run.' })),
  principal: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Only events of this caller, or decider.' }),
  ),
  route: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Only uses of the route of this name.' }),
  ),
  since_ms: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only events of this time or later, epoch milliseconds.' }),
  ),
  until_ms: Type.Optional(Type.Integer({ minimum: 0, description: 'Only events before this time.' })),
  before: Type.Optional(
    Type.String({
      pattern: idPattern,
      description: 'Only events older than this id: `next` of the answer before.',
    }),
  ),
  // No maximum in the schema: more is clamped, not refused.
  limit: Type.Integer({
    minimum: 1,
    default: defaultLimit,
    description: `How many events, ${maxLimit} at most.`,
  }),
};

const auditEvent = Type.Object(
  {
    id: Type.String({ description: 'Sorts by time.' }),
    at_ms: Type.Integer({ minimum: 0, description: 'Epoch milliseconds.' }),
    kind: Type.String(),
    run_id: Type.Optional(Type.String()),
  },
  // Each kind has members of its own.
  { additionalProperties: true },
);

const auditAnswer = Type.Object(
  {
    events: Type.Array(auditEvent),
    next: Type.Optional(Type.String({ description: 'Present when there is more: ask again with `before`.' })),
  },
  { additionalProperties: false },
);
