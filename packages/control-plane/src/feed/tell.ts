import { HTTPError, type Progress } from '@waymark/contract';
import type { AuditPlace, AuditStore } from '@waymark/contract/stores';
import { toEventId } from './event-place.ts';
import { type MissedEvents, type RingPlace, toMissed } from './event-ring.ts';
import { type FeedEvent, type FeedType, isLost, toAuditEvent } from './feed-event.ts';
import type { FeedFilter } from './feed-filter.ts';
import { heldEvents, type Listener, type Tail } from './tail.ts';

/** Records that are read at once for one who comes back: what a slow reader holds. */
const pageSize = 32;

/** Somebody who is told. */
export interface TellParts {
  readonly tail: Tail;
  readonly audit: AuditStore;
  readonly filter: FeedFilter;
  /** What was seen last: a place, or an id that says nothing here; undefined: somebody new. */
  readonly seen: AuditPlace | 'unknown' | undefined;
  readonly now: () => number;
  /** Fires when the reader has gone. */
  readonly signal: AbortSignal;
  /** Fires when shutdown begins. */
  readonly draining: AbortSignal;
}

/**
 * Tells events as they are taken: `ready` first; to one who comes back what it has not seen, as far as that is kept; then what
 * happens. In place of what cannot be told stands `missed`.
 *
 * @throws {HTTPError} 503 shutdown began
 */
export async function* tell(parts: TellParts): AsyncGenerator<Progress> {
  const { tail, filter, signal, draining } = parts;
  let wake = (): void => {};
  const listener: Listener = { steps: filter.types.includes('step'), wake: () => wake() };
  const onAbort = (): void => wake();
  for (const one of [signal, draining]) one.addEventListener('abort', onAbort);
  try {
    const { place, head } = await tail.enter(listener);
    const told = yield* catchUp(parts, head);
    while (!signal.aborted) {
      if (draining.aborted) throw new HTTPError(503, 'the server is shutting down');
      yield* tellRing(parts, place, told);
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (signal.aborted || draining.aborted || !tail.ring.isRead(place)) resolve();
      });
    }
  } finally {
    for (const one of [signal, draining]) one.removeEventListener('abort', onAbort);
    tail.leave(listener);
  }
}

/** What is there already, up to where the tail begins. @returns the number up to which everything is told */
async function* catchUp(parts: TellParts, head: AuditPlace): AsyncGenerator<Progress, number> {
  const { filter, seen, now, audit } = parts;
  const begins = seen === undefined || seen === 'unknown' ? head : seen;
  const at = { type: 'ready', at_ms: now() };
  if (seen === undefined) {
    yield { event: 'ready', data: at, id: toEventId(begins) };
    return head.n;
  }
  const start = await startOf(seen, audit);
  yield { event: 'ready', data: at, ...(start.known && { id: toEventId(begins) }) };
  if (!start.known) yield missed(filter.types, null, now());
  else {
    // Steps are in the journals of their runs alone.
    if (filter.types.includes('step')) yield missed(['step'], null, now());
    yield* missedOf(start.skipped, parts);
  }
  let { n } = start;
  while (n < head.n) {
    const page = await audit.following(n, Math.min(pageSize, head.n - n));
    if (page.records.length === 0) break;
    for (const { n: at, record } of page.records) {
      const event = toAuditEvent(record, at);
      if (filter.wants(event.type, event.kind)) yield toProgress(event);
    }
    n = page.records.at(-1)?.n ?? head.n;
  }
  return Math.max(n, head.n);
}

/** Where what is told again begins. */
type Start = { readonly n: number } & (
  | { readonly known: true; readonly skipped: readonly MissedEvents[] }
  | { readonly known: false }
);

/** From the place that was seen on, if it is there and not too far back. */
async function startOf(seen: AuditPlace | 'unknown', audit: AuditStore): Promise<Start> {
  const asked = seen === 'unknown' ? 0 : seen.n;
  const { at, newest, oldest } = await audit.following(asked, 0);
  const known = seen !== 'unknown' && (seen.n === 0 ? oldest <= 1 : at === seen.id);
  const earliest = newest.n - heldEvents.events;
  if (!known) return { n: Math.max(0, earliest), known };
  if (asked >= earliest) return { n: asked, known, skipped: [] };
  return { n: earliest, known, skipped: toMissed(await audit.countKinds(asked, earliest)) };
}

function* tellRing(parts: TellParts, place: RingPlace, told: number): Generator<Progress> {
  const { tail, filter } = parts;
  for (;;) {
    yield* missedOf(tail.ring.catchUp(place) ?? [], parts);
    const event = tail.ring.take(place);
    if (!event) return;
    if (isLost(event)) {
      if (filter.types.includes('step')) yield missed(['step'], null, parts.now());
      continue;
    }
    // Another process may have told it before this one had read it.
    const isNew = event.place.n > told || event.type === 'step';
    if (isNew && filter.wants(event.type, event.kind)) yield toProgress(event);
  }
}

/** Who missed nothing of what it wants is told nothing. */
function* missedOf(all: readonly MissedEvents[], { filter, now }: TellParts): Generator<Progress> {
  const wanted = all.filter(({ type, kind }) => filter.wants(type, kind));
  if (wanted.length === 0) return;
  const types = [...new Set(wanted.map(({ type }) => type))];
  const count = wanted.reduce((sum, one) => sum + one.count, 0);
  yield missed(types, count, now());
}

function missed(types: readonly FeedType[], count: number | null, atMs: number): Progress {
  return { event: 'missed', data: { type: 'missed', at_ms: atMs, count, types } };
}

function toProgress({ type, data, place }: FeedEvent): Progress {
  return { event: type, data, id: toEventId(place) };
}
