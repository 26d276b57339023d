import { HTTPError } from '@waymark/contract';
import { problemResponse, type RouteResponse } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import type { Retried } from '@waymark/contract/stores';
import type { RunnerParts } from './runner-parts.ts';

/** How long whoever retries waits for what comes of it, when another process works on it. */
const waitMs = 600_000;

/**
 * Makes a root that has failed go on, and waits for what comes of it.
 *
 * @returns the answer of the root's route
 * @throws {HTTPError} 404 unknown · 409 it did not fail, or cannot go on
 */
export async function retry(
  { store, emit, roots, stored, pool, monotonic }: RunnerParts,
  rootId: string,
  by: Principal,
): Promise<RouteResponse> {
  const { outcome } = await store.retry(rootId, by.rootId);
  if (outcome !== 'retried' && outcome !== 'hurried') throw refusal(rootId, outcome);
  emit({ kind: 'run_retried', run_id: rootId, by: by.id });
  roots.feed.turn(rootId);
  const untilMs = monotonic() + waitMs;
  await roots.idle(rootId);
  const response = await pool.resume(rootId);
  if (response) return response;
  const tree = await roots.settled(rootId, untilMs);
  return tree ? stored.answer(tree) : problemResponse(404, `no run ${rootId}`);
}

/**
 * Begins another root with what one had recorded before a step.
 *
 * @returns its id @throws {HTTPError} 404 unknown · 409 a child, or what it needs is gone · 422 no such step
 */
export async function fork(
  { store, emit, pool, newId, log }: RunnerParts,
  rootId: string,
  at: number,
  by: Principal,
): Promise<string> {
  const forkId = newId();
  const { outcome } = await store.fork(rootId, at, forkId, by.rootId);
  if (outcome === 'beyond')
    throw new HTTPError(422, `/at: run ${rootId} has no step ${at}`, {
      errors: [{ path: '/at', message: 'is no number of a step of the run' }],
    });
  if (outcome !== 'forked') throw refusal(rootId, outcome);
  emit({ kind: 'run_forked', run_id: forkId, from: rootId, at, by: by.id });
  void pool.fill().catch((error: unknown) => log('error', 'runs could not be taken up', { error }));
  return forkId;
}

function refusal(rootId: string, outcome: Exclude<Retried['outcome'], 'retried' | 'hurried'>): HTTPError {
  if (outcome === 'unknown') return new HTTPError(404, `no run ${rootId}`);
  return new HTTPError(409, `run ${rootId} ${reasons[outcome]}`, { code: `run_${outcome}` });
}

/** Reasons for which a run does not go on. */
const reasons = {
  child: 'is part of another one: name its root',
  runs: 'has not ended',
  waits: 'waits for a human to decide',
  ended: 'did not fail',
  session: 'belongs to a session that another run holds, or that is not kept any more',
  gone: 'needs large values that are not kept any more',
} as const;
