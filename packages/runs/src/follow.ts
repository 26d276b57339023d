import { HTTPError, type Progress, type RouteResponse, type RunPage, type RunStep } from '@waymark/contract';
import type { Feed, Following } from './feed.ts';
import { goesOn } from './goes-on.ts';
import { isOpen } from './run-status.ts';
import { toPageSteps } from './to-steps.ts';

/** How long to wait before looking at the table when nothing is told: another process may execute the root. */
const lookMs = 1_000;

/** Numbers that are read at once. */
const pageSize = 100;

/** What following a root needs. */
export interface FollowParts {
  readonly feed: Feed;
  /** Not in the same turn of the event loop, so that a long journal is read piece by piece. @returns undefined: no such root, or not for who asks */
  page(afterOrd: number, count: number): Promise<RunPage | undefined>;
  /** Whether this process ends, and nothing happens with the root in it any more. */
  isLeft(): boolean;
  /** Of the root, when it has ended. */
  answer(): Promise<RouteResponse>;
}

/**
 * The steps of a root after `lastSeq`, then live ones, without a gap: listening begins before reading. A number that
 * does not follow the last one sends back to the table, which alone knows what comes between. The last event is `result`.
 *
 * @throws {HTTPError} 404 no such root · 503 the process ends before the root does
 */
export async function* follow(
  rootId: string,
  lastSeq: number,
  signal: AbortSignal,
  { feed, page, isLeft, answer }: FollowParts,
): AsyncGenerator<Progress> {
  const following = feed.follow(rootId);
  let seen = lastSeq;
  try {
    while (!signal.aborted) {
      following.stale = false;
      following.take();
      const read = await page(seen, pageSize);
      if (!read) throw new HTTPError(404, `no run ${rootId}`);
      const upto = Math.max(seen, Math.min(seen + pageSize, read.lastOrd));
      yield* toPageSteps(read, seen, upto).map(toEvent);
      seen = upto;
      if (seen < read.lastOrd) continue;
      if (!isOpen(read.root)) {
        yield { event: 'result', data: toData(rootId, await answer()) };
        return;
      }
      if (isLeft()) throw goesOn(rootId);
      seen = yield* live(following, seen, signal);
    }
  } finally {
    feed.leave(rootId, following);
  }
}

/** What is told, until the table knows more. @returns the number seen last */
async function* live(
  following: Following,
  lastSeq: number,
  signal: AbortSignal,
): AsyncGenerator<Progress, number> {
  for (let seen = lastSeq; ; ) {
    await following.wait(lookMs, signal);
    const events = following.take();
    for (const progress of events) {
      const { id = seen } = progress;
      if (id > seen + 1) return seen;
      // What was read from the table is not told again.
      if (id > seen || progress.id === undefined) yield progress;
      seen = Math.max(seen, id);
    }
    if (events.length === 0 || following.stale || signal.aborted) return seen;
  }
}

function toEvent(step: RunStep): Progress {
  return { event: 'step', data: step, id: step.seq };
}

/** The answer as the last event: a run that failed is a result, too. */
function toData(rootId: string, { status, body }: RouteResponse): unknown {
  if (body.kind === 'json') return JSON.parse(body.text);
  if (body.kind !== 'problem') return { run_id: rootId, status };
  const { kind: _, ...problem } = body;
  return { run_id: rootId, status: 'failed', problem: { status, ...problem } };
}
