/**
 * A runner in memory, small enough to read in one go: journal, numbering, stored form, gate, park, resume, deadline,
 * sessions, reading and following. It leaves out what needs a database or a model: leases, crashes, budgets.
 */
import {
  type Call,
  type Host,
  HTTPError,
  type Json,
  jsonResponse,
  type OpSpec,
  type Plugin,
  type Principal,
  type Progress,
  problemResponse,
  type RouteResponse,
  type RunEnd,
  type Runner,
  type RunOutcome,
  type RunScope,
  type RunSpec,
  type SessionTurn,
  type Step,
  toToolResult,
  type Values,
} from '@waymark/contract';
import { ApprovalDesk } from './approval-desk.ts';
import { Frame } from './frame.ts';
import { Leg } from './leg.ts';
import { type StoredRun, toOutcome, toReport, toRootId, toText } from './stored-run.ts';
import { TrialSessions } from './trial-sessions.ts';

type Body<T> = (scope: RunScope) => Promise<RunEnd<T>>;

export class TrialRunner implements Runner {
  /** What happened to tool calls, in order: `gate`, `begin`; the tests add what their engines do. */
  readonly trace: string[] = [];
  readonly approvals = new ApprovalDesk();
  readonly sessions = new TrialSessions();
  readonly #runs = new Map<string, StoredRun>();
  readonly #legs = new Map<string, Leg>();
  /** Session key to the run whose turn it is. */
  readonly #holders = new Map<string, StoredRun>();
  /** Roots at work. A decision that comes meanwhile waits for them, so that one root never works twice at once. */
  readonly #working = new Map<string, Promise<'ended' | 'waiting'>>();
  /** Those who want to know when something was written. */
  readonly #followers = new Set<() => void>();
  #host: Host | undefined;

  /** The dispatcher is made with the runner, and the runner resumes through the dispatcher: the host closes the circle. */
  get plugin(): Plugin {
    return {
      name: 'trial-runs',
      routes: [],
      start: (host) => {
        this.#host = host;
      },
    };
  }

  /** What the journal of a run holds, in the order it was asked for. */
  recorded(runId: string): readonly OpSpec['kind'][] {
    const { ops } = this.#run(runId);
    return [...ops.keys()].sort((a, b) => a - b).flatMap((seq) => ops.get(seq)?.kind ?? []);
  }

  async open<T extends Json>(
    spec: RunSpec,
    call: Call,
    input: Values,
    body: Body<T>,
  ): Promise<RunOutcome<T>> {
    const run = this.#find(spec, call, input);
    if (call.step) return this.#openChild(run, call.step, body);
    // Asked again while nobody has decided anything, it is where it was.
    if (!run.end && run.parkedAt !== run.wakes) {
      const work = this.#openRoot(run, call, body);
      this.#working.set(run.runId, work);
      await work.finally(() => this.#working.delete(run.runId));
    }
    if (run.end) return toOutcome(run);
    const approvals = this.approvals.pending(run.runId);
    return { status: 'awaiting_approval', approvals, ...toReport(run.runId) };
  }

  async decide(
    approvalId: string,
    decision: { readonly approve: boolean; readonly note: string; readonly by: Principal },
  ): Promise<RouteResponse> {
    const { table } = this.#started();
    const { approver = {} } = table.tool(this.approvals.find(approvalId).tool) ?? {};
    const root = this.#run(this.approvals.decide(approvalId, decision, approver, this.#now()));
    root.wakes++;
    await this.#working.get(root.runId);
    return this.#resume(root);
  }

  async cancel(rootId: string): Promise<void> {
    const run = this.#run(rootId);
    if (run.end) throw new HTTPError(409, 'the run has ended');
    this.#end(run, 'cancelled');
    this.#legs.get(rootId)?.stop('cancelled', new DOMException('the run was cancelled', 'AbortError'));
  }

  async read(rootId: string, route: string, principal: Principal): Promise<RouteResponse> {
    const run = this.#runs.get(rootId);
    if (run?.call?.route !== route || run.principal.rootId !== principal.rootId)
      return problemResponse(404, `no run ${rootId}`);
    if (this.#working.has(rootId)) return jsonResponse({ run_id: rootId, status: 'running' }, 202);
    return this.#resume(run);
  }

  /** Steps that are recorded, leg by leg; a run that waits is followed on. */
  async *follow(
    rootId: string,
    route: string,
    lastSeq: number,
    principal: Principal,
    signal: AbortSignal,
  ): AsyncIterable<Progress> {
    const root = this.#runs.get(rootId);
    if (root?.call?.route !== route || root.principal.rootId !== principal.rootId)
      throw new HTTPError(404, `no run ${rootId}`);
    for (let last = lastSeq; !signal.aborted; ) {
      const { end } = root;
      const steps = [...this.#runs.values()]
        .filter(({ runId }) => toRootId(runId) === rootId)
        .flatMap(({ runId, ops }) => [...ops.values()].map((op) => ({ runId, ...op })))
        .filter(({ kind, order }) => kind !== 'value' && order > last)
        .toSorted((a, b) => a.order - b.order);
      for (const { runId, kind, order } of steps) {
        last = order;
        yield { event: 'step', id: order, data: { run_id: runId, seq: order, kind } };
      }
      if (end) {
        yield { event: 'result', data: await toToolResult(await this.#resume(root)) };
        return;
      }
      await new Promise<void>((resolve) => {
        this.#followers.add(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  #wake(): void {
    for (const resolve of this.#followers) resolve();
    this.#followers.clear();
  }

  /** Runs the root again, from its stored call, through the one door. */
  async #resume(root: StoredRun): Promise<RouteResponse> {
    const host = this.#started();
    const route = root.call && host.table.get(root.call.route);
    if (!root.call || !route) throw new HTTPError(500, 'declaration_gone');
    const { values, via } = root.call;
    return host.dispatcher.dispatch({
      route,
      // The validated input of a route is an object.
      input: { by: 'arguments', values: values as Values },
      principal: root.principal,
      via,
      requestId: host.newId(),
      resume: root.runId,
    });
  }

  async #openRoot<T extends Json>(run: StoredRun, call: Call, body: Body<T>): Promise<'ended' | 'waiting'> {
    for (;;) {
      const leg = new Leg(call.deadlineMs ?? Number.POSITIVE_INFINITY, (progress) => {
        this.#wake();
        call.observe?.(progress);
      });
      this.#legs.set(run.runId, leg);
      const { wakes } = run;
      const cancel = this.#endAt(call.deadlineMs, run, leg);
      const stopped = await Promise.race([this.#work(run, leg, body), leg.stopped]);
      cancel();
      leg.drop();
      this.#legs.delete(run.runId);
      if (stopped !== 'held') return 'ended';
      if (run.wakes === wakes) {
        run.parkedAt = wakes;
        return 'waiting';
      }
    }
  }

  /** Time runs while a leg does; what is left of the run's tree then is told by the signal. */
  #endAt(deadlineMs: number | undefined, run: StoredRun, leg: Leg): () => void {
    if (deadlineMs === undefined) return () => {};
    const startedMs = this.#now();
    return this.#started().after(deadlineMs - startedMs, () => {
      const error = new HTTPError(504, `timed out after ${(deadlineMs - startedMs) / 1000} s`, {
        code: 'timeout',
        run: { run_id: run.runId, status: 'failed' },
      });
      this.#end(run, { status: 'failed', ok: false, text: toText(error) });
      leg.stop('late', error);
    });
  }

  async #openChild<T extends Json>(run: StoredRun, step: Step, body: Body<T>): Promise<RunOutcome<T>> {
    const leg = this.#legs.get(toRootId(run.runId));
    if (!leg) throw new Error('a child without a working root');
    leg.leaves(step.key);
    if (!run.end) await this.#work(run, leg, body);
    leg.works(step.key);
    return toOutcome(run);
  }

  async #work<T extends Json>(run: StoredRun, leg: Leg, body: Body<T>): Promise<void> {
    const frame = new Frame(run, this.#run(toRootId(run.runId)), leg, {
      approvals: this.approvals,
      sessions: this.sessions,
      trace: this.trace,
      now: () => this.#now(),
    });
    try {
      const { status, value, session } = await body(frame);
      if (!leg.live || run.end) return;
      if (session && run.spec.session && status !== 'failed')
        this.sessions.append(run.spec.session.key, session);
      this.#end(run, { status, ok: true, text: JSON.stringify(value) });
    } catch (error) {
      if (leg.live && !run.end) this.#end(run, { status: 'failed', ok: false, text: toText(error) });
    }
  }

  /** What ends with a run: those below it, what they ask, and the turn it holds. */
  #end(run: StoredRun, end: NonNullable<StoredRun['end']>): void {
    run.end = end;
    this.#wake();
    this.approvals.withdrawOf(run.runId);
    const { session } = run.spec;
    if (session && this.#holders.get(session.key) === run) this.#holders.delete(session.key);
    for (const child of this.#runs.values())
      if (child.runId.startsWith(`${run.runId}.`) && !child.end) this.#end(child, 'cancelled');
  }

  #find(spec: RunSpec, call: Call, input: Values): StoredRun {
    const runId = call.step?.key ?? call.resume ?? this.#started().newId();
    const known = this.#runs.get(runId);
    if (known) return known;
    const parent = call.step && this.#run(call.step.runId);
    const run: StoredRun = {
      runId,
      spec,
      principal: call.principal,
      // Input is validated against a JSON schema, and a body that is no JSON opens no run.
      call: parent ? undefined : { route: call.route.name, values: input as Json, via: call.via },
      path: [...(parent?.path ?? []), spec.name],
      ops: new Map(),
      end: undefined,
      wakes: 0,
      parkedAt: undefined,
      lastOrder: 0,
    };
    if (spec.session) this.#takeTurn(spec.session, run);
    this.#runs.set(runId, run);
    return run;
  }

  #takeTurn({ key, reset }: SessionTurn, run: StoredRun): void {
    const holder = this.#holders.get(key);
    const rootId = holder && toRootId(holder.runId);
    if (rootId !== undefined) {
      if (!reset || this.#working.has(rootId))
        throw new HTTPError(409, `run ${rootId} holds the session`, { code: 'session_busy' });
      void this.cancel(rootId);
    }
    if (reset) void this.sessions.forget(key);
    this.#holders.set(key, run);
  }

  #run(runId: string): StoredRun {
    const run = this.#runs.get(runId);
    if (!run) throw new HTTPError(404, `no run ${runId}`);
    return run;
  }

  #now(): number {
    return this.#started().now();
  }

  #started(): Host {
    if (!this.#host) throw new Error('the runner was not started');
    return this.#host;
  }
}
