import { HTTPError, type Json, type Progress } from '@waymark/contract';
import type { RouteResponse } from '@waymark/contract/engine';
import { type RunStep, toEventId } from '@waymark/contract/runs';
import type { RunPage, RunRecord } from '@waymark/contract/stores';
import { isOpen } from '../journal/run-status.ts';
import { answerLater } from './answer-later.ts';
import type { Feed } from './feed.ts';
import { toPageSteps } from './to-steps.ts';

/** Numbers that are read at once: what a slow reader holds, each with two values of 64 KiB at most. */
const pageSize = 32;

/** Ways to follow a root: to its end, or until its outcome is there. */
export type FollowParts = ReadParts & (ThroughEnd | ThroughOutcome);

/** Feed and pages of a root that is read. */
export interface ReadParts {
  readonly feed: Feed;
  /**
   * Not in the same turn of the event loop, so that a long journal is read piece by piece.
   *
   * @param version two who ask for the same of one version may share the answer
   * @returns undefined: no such root
   */
  page(afterOrd: number, count: number, version: number): Promise<RunPage | undefined>;
  /** Asked once: whose a root is does not change. */
  mayRead(root: RunRecord): boolean;
  /** Asked before the table: nothing is waited for any more, only what is there is told. */
  isOver(): boolean;
}

/** To its end, however often it waits; from anywhere. */
interface ThroughEnd {
  readonly through: 'end';
  /** Of the root, when it has ended. */
  answer(): Promise<RouteResponse>;
  /** What it waits for, told each time it begins to; undefined: it does not any more. */
  waiting(): Promise<Json | undefined>;
}

/**
 * By whoever started it, or asked for it again: they are told how it came out in another way, when it ends or waits. That it
 * waits in the table is no sign: it may have gone on before they were told so.
 */
interface ThroughOutcome {
  readonly through: 'outcome';
}

/**
 * The one way to hear of a root. Its steps come from the table alone, page by page as they are taken, whether they were
 * stored long ago or just now: a slow reader holds a page, and misses nothing. What is being written comes from memory,
 * before the step that it becomes. The first event is `run`; through the end the last one is `result`.
 *
 * @param lastSeq of the step seen last
 * @throws {HTTPError} 404 no such root · 503 through the end: the process ends before the root does
 */
export async function* follow(
  rootId: string,
  lastSeq: number,
  signal: AbortSignal,
  parts: FollowParts,
): AsyncGenerator<Progress> {
  const following = parts.feed.follow(rootId, parts.through === 'end', signal);
  let seen = lastSeq;
  /** Where it waited when that was told. */
  let waitsAt: number | undefined;
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const isOver = parts.isOver();
      following.stale = false;
      const read = await parts.page(seen, pageSize, following.version);
      if (!read || (isFirst && !parts.mayRead(read.root))) throw new HTTPError(404, `no run ${rootId}`);
      if (isFirst) yield { event: 'run', data: { run_id: rootId } };
      const { root, lastOrd } = read;
      if (lastOrd > seen) following.found();
      const upto = Math.max(seen, Math.min(seen + pageSize, lastOrd));
      for (const step of eventsOf(rootId, read, seen, upto)) {
        // What a step wrote comes before it.
        if (following.writes) for (const delta of following.written(seen, step.data)) yield delta;
        seen = step.data.seq;
        yield step;
      }
      seen = upto;
      if (seen < lastOrd) continue;
      if (parts.through === 'end') {
        if (!isOpen(root)) {
          const id = toEventId({ runId: rootId, seq: seen, ended: true });
          yield { event: 'result', data: resultOf(rootId, await parts.answer()), id };
          return;
        }
        if (isOver) throw answerLater(rootId);
        if (root.status !== 'waiting') waitsAt = undefined;
        else if (waitsAt !== seen) {
          waitsAt = seen;
          const waits = await parts.waiting();
          if (waits !== undefined) yield { event: 'waiting', data: waits };
        }
      } else if (isOver || !isOpen(root)) return;
      // Until the table knows more, or might.
      for (;;) {
        for (const delta of following.written(seen)) yield delta;
        if (following.stale || signal.aborted) break;
        await following.wait();
      }
    }
  } finally {
    parts.feed.leave(rootId, following);
  }
}

/** A step as it is told. */
interface StepEvent extends Progress {
  readonly data: RunStep;
}

/** Those who read the same page at the same time share it: what it holds is worked out once for all of them. */
const pageEvents = new WeakMap<RunPage, readonly StepEvent[]>();

function eventsOf(rootId: string, page: RunPage, seen: number, upto: number): readonly StepEvent[] {
  let events = pageEvents.get(page);
  if (!events) {
    events = toPageSteps(page, seen, upto).map((data) => {
      const id = toEventId({ runId: rootId, seq: data.seq, ended: false });
      return { event: 'step', data, id };
    });
    pageEvents.set(page, events);
  }
  return events;
}

/** The same for the answer. */
const results = new WeakMap<RouteResponse, unknown>();

function resultOf(rootId: string, response: RouteResponse): unknown {
  if (!results.has(response)) results.set(response, toData(rootId, response));
  return results.get(response);
}

/** The answer as the last event: a run that failed is a result, too. */
function toData(rootId: string, { status, body }: RouteResponse): unknown {
  if (body.kind === 'json') return JSON.parse(body.text);
  if (body.kind !== 'problem') return { run_id: rootId, status };
  const { kind: _, ...problem } = body;
  return { run_id: rootId, status: 'failed', problem: { status, ...problem } };
}
