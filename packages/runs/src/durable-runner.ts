import {
  type Call,
  HTTPError,
  holds,
  type Json,
  type Principal,
  type Progress,
  problemResponse,
  type RouteResponse,
  type RouteTable,
  type RunEnd,
  type Runner,
  type RunOutcome,
  type RunRecord,
  type RunScope,
  type RunSpec,
  type RunStart,
  type Values,
} from '@waymark/contract';
import type { EngineParts } from './engine-parts.ts';
import { follow } from './follow.ts';
import { JournalStep } from './journal-step.ts';
import type { Body } from './leg.ts';
import type { Pool } from './pool.ts';
import { toOutcome } from './report.ts';
import type { Roots } from './roots.ts';
import { RunTree } from './run-tree.ts';
import { SessionQueue } from './session-queue.ts';
import type { StoredRoots } from './stored-roots.ts';

/** What a started runner works with. */
export interface RunnerParts extends EngineParts {
  readonly roots: Roots;
  readonly stored: StoredRoots;
  readonly pool: Pool;
  readonly table: RouteTable;
  /** This process. */
  readonly holder: string;
}

/** Runs that survive their process, over a store. */
export class DurableRunner implements Runner {
  readonly #parts: RunnerParts;
  readonly #turns = new SessionQueue();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  async open<T extends Json>(
    spec: RunSpec,
    call: Call,
    input: Values,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunOutcome<T>> {
    // A driver's function gives the JSON it says, and rows give back what it gave.
    const outcome = await this.#open(spec, call, input, body);
    return outcome as RunOutcome<T>;
  }

  async decide(
    approvalId: string,
    { approve, note, by }: { readonly approve: boolean; readonly note: string; readonly by: Principal },
  ): Promise<RouteResponse> {
    const { store, table, emit, roots, stored, pool, now } = this.#parts;
    const approval = await store.approval(approvalId);
    if (!approval) throw new HTTPError(404, `no approval ${approvalId}`);
    const { scope, fourEyes } = table.get(approval.tool)?.approver ?? {};
    if (scope !== undefined && !holds(by, [scope]))
      throw new HTTPError(403, `missing scope "${scope}" to decide`);
    if (fourEyes && by.rootId === approval.caller)
      throw new HTTPError(403, 'whoever started the run must not decide on it');
    const status = approve ? 'approved' : 'denied';
    const { outcome } = await store.decide(approvalId, { status, note, by: by.id });
    if (outcome === 'unknown') throw new HTTPError(404, `no approval ${approvalId}`);
    if (outcome === 'expired') throw new HTTPError(410, 'the approval expired');
    if (outcome === 'already') throw new HTTPError(409, 'the approval is decided already');
    const { rootId, runId, tool } = approval;
    emit({ kind: 'approval_decided', run_id: runId, approval_id: approvalId, tool, status, by: by.id });
    roots.feed.turn(rootId);
    const untilMs = now() + waitMs;
    // A leg under way takes the decision up by itself, unless it had parked right before.
    await roots.idle(rootId);
    const response = await pool.resume(rootId);
    if (response) return response;
    const tree = await roots.settled(rootId, untilMs);
    return tree ? stored.answer(tree) : problemResponse(404, `no run ${rootId}`);
  }

  async cancel(rootId: string, by: Principal): Promise<void> {
    const { store, roots, emit } = this.#parts;
    const outcome = await store.cancel(rootId);
    if (outcome === 'terminal') throw new HTTPError(409, `run ${rootId} has ended`);
    if (outcome === 'unknown') {
      const above = rootId.split('.', 1)[0] ?? rootId;
      if (above !== rootId && (await this.#load(above)))
        throw new HTTPError(409, `run ${rootId} is part of run ${above}: cancel that`);
      throw new HTTPError(404, `no run ${rootId}`);
    }
    roots.cancel(rootId);
    roots.feed.turn(rootId);
    emit({ kind: 'run_finished', run_id: rootId, status: 'cancelled', by: by.id });
  }

  async read(rootId: string, route: string, principal: Principal): Promise<RouteResponse> {
    const tree = await this.#own(rootId, route, principal);
    return tree ? this.#parts.stored.answer(tree) : problemResponse(404, `no run ${rootId}`);
  }

  follow(
    rootId: string,
    route: string,
    lastSeq: number,
    principal: Principal,
    signal: AbortSignal,
  ): AsyncIterable<Progress> {
    const { roots, stored } = this.#parts;
    return follow(rootId, lastSeq, signal, {
      feed: roots.feed,
      load: () => this.#own(rootId, route, principal),
      answer: (tree) => stored.answer(tree),
    });
  }

  async #open(spec: RunSpec, call: Call, input: Values, body: Body): Promise<RunOutcome<Json>> {
    const { stored, roots } = this.#parts;
    if (call.step) return openChild(spec, call, body);
    if (call.resume === undefined) return this.#openRoot(spec, call, input, body);
    const { tree, fence } = stored.take(call.requestId) ?? { tree: await this.#load(call.resume) };
    if (!tree) throw new HTTPError(404, `no run ${call.resume}`);
    if (!fence) return toOutcome(tree, tree.rootId);
    const start = { tree, fence, caller: call.principal, scopes: spec.scopes, legMs: this.#legMs(call) };
    return roots.drive(start, body, call.observe);
  }

  async #openRoot(spec: RunSpec, call: Call, input: Values, body: Body): Promise<RunOutcome<Json>> {
    if (!spec.session) return this.#startRoot(spec, call, input, body);
    const leave = await this.#turn(spec.session.key, call);
    try {
      return await this.#startRoot(spec, call, input, body);
    } finally {
      leave();
    }
  }

  async #startRoot(spec: RunSpec, call: Call, input: Values, body: Body): Promise<RunOutcome<Json>> {
    const { roots, emit } = this.#parts;
    const untilMs = call.deadlineMs ?? Number.POSITIVE_INFINITY;
    for (;;) {
      if (roots.draining) throw new HTTPError(503, 'the server is shutting down');
      const run = this.#toRoot(spec, call, input);
      const start = await this.#store(run);
      if (start.outcome === 'repeated') return this.#joined(start.run, untilMs);
      if (start.outcome === 'busy') {
        await this.#makeWay(start.holder.rootId, spec.session?.reset === true, untilMs);
        continue;
      }
      const { runId, principal } = run;
      emit({ kind: 'run_started', run_id: runId, name: spec.name, principal: principal.id, via: call.via });
      const cancel = this.#cancelWithCaller(runId, call);
      const legMs = this.#legMs(call);
      const { fence } = start;
      try {
        const begun = { tree: new RunTree(run), fence, caller: call.principal, scopes: spec.scopes, legMs };
        return await roots.drive(begun, body, call.observe);
      } finally {
        cancel();
      }
    }
  }

  /** Waits for the run that holds the session; one that waits for a human only goes for a turn that begins anew. */
  async #makeWay(holderId: string, reset: boolean, untilMs: number): Promise<void> {
    const { roots, store } = this.#parts;
    const holder = await roots.settled(holderId, untilMs);
    if (holder?.root.status !== 'waiting') return;
    if (!reset) throw sessionWaits(holder);
    await store.cancel(holderId);
    roots.feed.turn(holderId);
  }

  #store(run: RunRecord): Promise<RunStart> {
    const { store, holder, leaseMs } = this.#parts;
    return store.start(run, holder, leaseMs);
  }

  /** The answer of the run that the same key started before. */
  async #joined(run: RunRecord, untilMs: number): Promise<RunOutcome<Json>> {
    const tree = await this.#parts.roots.settled(run.rootId, untilMs);
    if (!tree) throw new HTTPError(404, `no run ${run.rootId}`);
    return toOutcome(tree, tree.rootId);
  }

  /** Waits for the turns of the session that were asked for before. @throws {HTTPError} 504 not until the deadline */
  async #turn(key: string, { deadlineMs }: Call): Promise<() => void> {
    const { after, now } = this.#parts;
    const entered = this.#turns.enter(key);
    if (deadlineMs === undefined || !Number.isFinite(deadlineMs)) return entered;
    return new Promise((resolve, reject) => {
      let late = false;
      const cancel = after(Math.max(0, deadlineMs - now()), () => {
        late = true;
        reject(
          new HTTPError(504, 'the turns of the session before this one took too long', { code: 'timeout' }),
        );
      });
      void entered.then((leave) => {
        cancel();
        if (late) leave();
        else resolve(leave);
      });
    });
  }

  /** A stream of the newest MCP revision that closes takes its run with it, unless that waits already. */
  #cancelWithCaller(rootId: string, { via, signal, principal }: Call): () => void {
    if (via !== 'mcp' || !signal) return () => {};
    const { log, roots } = this.#parts;
    const onAbort = (): void => {
      if (roots.has(rootId))
        void this.cancel(rootId, principal).catch((error: unknown) =>
          log('info', 'a run outlived its caller', { run_id: rootId, error }),
        );
    };
    signal.addEventListener('abort', onAbort, { once: true });
    return () => signal.removeEventListener('abort', onAbort);
  }

  #toRoot(spec: RunSpec, call: Call, input: Values): RunRecord {
    const runId = this.#parts.newId();
    const { id, rootId, authenticated, scopes } = call.principal;
    const key = call.input.by === 'request' ? call.input.headers['idempotency-key'] : undefined;
    return {
      runId,
      rootId: runId,
      parentId: null,
      spec,
      // When the credential ends is no matter of the run's.
      principal: { id, rootId, authenticated, scopes },
      // Durable routes take JSON only.
      call: { route: call.route.name, values: input as Json, via: call.via },
      idempotencyKey: authenticated ? (key ?? null) : null,
      depth: 0,
      status: 'running',
      output: null,
      error: null,
      createdMs: this.#parts.now(),
      endedMs: null,
    };
  }

  #legMs({ deadlineMs }: Call): number {
    return deadlineMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, deadlineMs - this.#parts.now());
  }

  /** A root as its caller may see it: anonymous callers share one principal, so they see none. */
  async #own(rootId: string, route: string, principal: Principal): Promise<RunTree | undefined> {
    if (!principal.authenticated) return undefined;
    const tree = await this.#load(rootId);
    const { call, principal: starter } = tree?.root ?? {};
    return call?.route === route && starter?.rootId === principal.rootId ? tree : undefined;
  }

  async #load(rootId: string): Promise<RunTree | undefined> {
    return RunTree.from(rootId, await this.#parts.store.load(rootId));
  }
}

/** How long whoever decided waits for what comes of it, when another process works on it. */
const waitMs = 600_000;

async function openChild(spec: RunSpec, call: Call, body: Body): Promise<RunOutcome<Json>> {
  const { step } = call;
  if (!(step instanceof JournalStep)) throw new Error('a run can only be opened in a step of this runner');
  const { frame, op } = step;
  const run = await frame.leg.child(frame, op, spec, call, body);
  return toOutcome(frame.leg.tree, run.runId);
}

function sessionWaits({ rootId, pending }: RunTree): HTTPError {
  return new HTTPError(409, 'the session waits for a human to decide', {
    code: 'session_waits',
    run: {
      run_id: rootId,
      status: 'awaiting_approval',
      pending_approvals: pending.map(({ approvalId, tool }) => ({ approval_id: approvalId, tool })),
    },
  });
}
