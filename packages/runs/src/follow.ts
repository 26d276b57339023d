import { HTTPError, type Progress, type RouteResponse } from '@waymark/contract';
import type { Feed } from './feed.ts';
import type { RunTree } from './run-tree.ts';
import { toSteps } from './to-steps.ts';

/** How long to wait before looking at the table when nothing is told: another process may execute the root. */
const lookMs = 1_000;

/** What following a root needs. */
export interface FollowParts {
  readonly feed: Feed;
  load(): Promise<RunTree | undefined>;
  answer(tree: RunTree): Promise<RouteResponse>;
}

const waiting = ['running', 'ready', 'waiting'];

/**
 * The steps of a root after `lastSeq`, then live ones, without a gap: listening begins before reading. A number that
 * does not follow the last one sends back to the table, which alone knows what comes between. The last event is `result`.
 */
export async function* follow(
  rootId: string,
  lastSeq: number,
  signal: AbortSignal,
  { feed, load, answer }: FollowParts,
): AsyncGenerator<Progress> {
  const following = feed.follow(rootId);
  let seen = lastSeq;
  try {
    while (!signal.aborted) {
      following.stale = false;
      following.take();
      const tree = await load();
      if (!tree) throw new HTTPError(404, `no run ${rootId}`);
      for (const step of toSteps(tree)) {
        if (step.seq <= seen) continue;
        seen = step.seq;
        yield { event: 'step', data: step, id: seen };
      }
      if (!waiting.includes(tree.root.status)) {
        yield { event: 'result', data: toData(rootId, await answer(tree)) };
        return;
      }
      for (let live = true; live && !signal.aborted; ) {
        await following.wait(lookMs, signal);
        const events = following.take();
        live = events.length > 0 && !following.stale;
        for (const progress of events) {
          if (progress.id === undefined) yield progress;
          else if (progress.id === seen + 1) {
            seen = progress.id;
            yield progress;
          } else if (progress.id > seen) live = false;
          if (!live) break;
        }
      }
    }
  } finally {
    feed.leave(rootId, following);
  }
}

/** The answer as the last event: a run that failed is a result, too. */
function toData(rootId: string, { status, body }: RouteResponse): unknown {
  if (body.kind === 'json') return JSON.parse(body.text);
  if (body.kind !== 'problem') return { run_id: rootId, status };
  const { kind: _, ...problem } = body;
  return { run_id: rootId, status: 'failed', problem: { status, ...problem } };
}
