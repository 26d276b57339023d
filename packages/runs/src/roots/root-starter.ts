import { HTTPError, type Json, type Values } from '@waymark/contract';
import type { Call } from '@waymark/contract/engine';
import type { RunOutcome, RunSpec } from '@waymark/contract/runs';
import type { RunRecord } from '@waymark/contract/stores';
import { RunTree } from '../journal/run-tree.ts';
import type { Body } from '../leg/body-end.ts';
import { toOutcome } from '../told/report.ts';
import { cancel } from './cancel.ts';
import { noRoom } from './no-room.ts';
import type { RunnerParts } from './runner-parts.ts';
import { SessionTurns } from './session-turns.ts';
import { toRoot } from './to-root.ts';

/** Starts roots: their row first, then their code. */
export class RootStarter {
  readonly #parts: RunnerParts;
  readonly #turns: SessionTurns;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#turns = new SessionTurns(parts);
  }

  async start(spec: RunSpec, call: Call, input: Values, body: Body): Promise<RunOutcome<Json>> {
    if (!spec.session) return this.#start(spec, call, input, body);
    const leave = await this.#turns.enter(spec.session.key, call);
    try {
      return await this.#start(spec, call, input, body);
    } finally {
      leave();
    }
  }

  async #start(spec: RunSpec, call: Call, input: Values, body: Body): Promise<RunOutcome<Json>> {
    const { roots, store, holder, leaseMs, newId, now, monotonic } = this.#parts;
    const untilMs = call.deadlineMs ?? Number.POSITIVE_INFINITY;
    for (;;) {
      if (roots.draining) throw new HTTPError(503, 'the server is shutting down');
      const run = toRoot(spec, call, input, newId(), now());
      const start = await store.start(run, holder, leaseMs);
      if (start.outcome === 'repeated') return this.#joined(start.run, run, call, untilMs);
      if (start.outcome === 'full') throw noRoom(start.limit);
      if (start.outcome === 'busy')
        await this.#turns.makeWay(start.holder.rootId, spec.session?.reset === true, untilMs);
      else {
        const { fence } = start;
        return this.#drive(
          { tree: new RunTree(run), fence, ...callerOf(spec, call, monotonic()) },
          call,
          body,
        );
      }
    }
  }

  async #drive(
    start: Parameters<RunnerParts['roots']['drive']>[0],
    call: Call,
    body: Body,
  ): Promise<RunOutcome<Json>> {
    const { emit, roots } = this.#parts;
    const { runId, principal, spec } = start.tree.root;
    emit({ kind: 'run_started', run_id: runId, name: spec.name, principal: principal.id, via: call.via });
    call.onRun?.(runId);
    // It is executed from here on, so that it can be ended.
    const driven = roots.drive(start, body);
    const stopListening = this.#cancelWithCaller(runId, call);
    try {
      return await driven;
    } finally {
      stopListening();
    }
  }

  /** The answer of the run that the same key started before. @throws {HTTPError} 422 it was called with something else */
  async #joined(
    { rootId, inputHash }: RunRecord,
    asked: RunRecord,
    call: Call,
    untilMs: number,
  ): Promise<RunOutcome<Json>> {
    // A run of an earlier release has none.
    if (inputHash !== null && inputHash !== asked.inputHash)
      throw new HTTPError(422, 'this idempotency-key was used before, with another input');
    call.onRun?.(rootId);
    // Who only goes away ends no run that somebody else began.
    const stopListening = call.cancel ? this.#cancelWithCaller(rootId, call) : () => {};
    const tree = await this.#parts.roots.settled(rootId, untilMs).finally(stopListening);
    if (!tree) throw new HTTPError(404, `no run ${rootId}`);
    return toOutcome(tree, rootId);
  }

  /** Ends the run when its caller says so; a stream of the newest MCP revision does by closing, unless the run waits already. */
  #cancelWithCaller(rootId: string, { via, signal, principal, cancel: given }: Call): () => void {
    const wish = given ?? (via === 'mcp' ? signal : undefined);
    if (!wish) return () => {};
    const { log, roots } = this.#parts;
    const onAbort = (): void => {
      // A wish that was said counts wherever the run is; who only went away ends none that waits.
      if (given || roots.has(rootId))
        void cancel(this.#parts, rootId, principal).catch((error: unknown) =>
          log('info', 'a run outlived its caller', { run_id: rootId, error }),
        );
    };
    if (wish.aborted) onAbort();
    wish.addEventListener('abort', onAbort, { once: true });
    return () => wish.removeEventListener('abort', onAbort);
  }
}

/** Reads from today's call who asks, what its declaration allows, and how long a leg may take. */
export function callerOf({ scopes }: RunSpec, { principal, deadlineMs }: Call, nowMs: number) {
  const legMs = deadlineMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, deadlineMs - nowMs);
  return { caller: principal, scopes, legMs };
}
