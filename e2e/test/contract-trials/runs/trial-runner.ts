/**
 * A runner in memory, small enough to read in one go: journal, numbering, stored form, gate, park, resume. It leaves
 * out what needs a database or a model: leases, crashes, budgets, sessions.
 */
import {
  type Call,
  type Host,
  HTTPError,
  type Json,
  narrow,
  type OpResult,
  type OpSpec,
  type Plugin,
  type Principal,
  type Progress,
  type RouteResponse,
  type RunEnd,
  type Runner,
  type RunOutcome,
  type RunScope,
  type RunSpec,
  type Step,
} from '@waymark/contract';
import { ApprovalDesk } from './approval-desk.ts';
import { Deliveries } from './deliveries.ts';
import { Leg } from './leg.ts';
import { rebuild, type StoredOp, type StoredRun, toOutcome, toRootId, toText, usage } from './stored-run.ts';

export class TrialRunner implements Runner {
  /** What happened to tool calls, in order: `gate`, `begin`; the tests add what their engines do. */
  readonly trace: string[] = [];
  readonly approvals = new ApprovalDesk();
  readonly #runs = new Map<string, StoredRun>();
  readonly #legs = new Map<string, Leg>();
  /** Roots at work. A decision that comes meanwhile waits for them, so that one root never works twice at once. */
  readonly #working = new Map<string, Promise<'ended' | 'waiting'>>();
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

  async open<T extends Json>(
    spec: RunSpec,
    call: Call,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunOutcome<T>> {
    const run = this.#find(spec, call);
    if (call.step) return this.#openChild(run, call.step, body);
    if (!run.end) {
      const work = this.#openRoot(run, body);
      this.#working.set(run.runId, work);
      const state = await work.finally(() => this.#working.delete(run.runId));
      if (state === 'waiting')
        return {
          status: 'awaiting_approval',
          runId: run.runId,
          approvals: this.approvals.pending(run.runId),
          usage,
        };
    }
    return toOutcome(run);
  }

  async decide(
    approvalId: string,
    { approve, note, by }: { readonly approve: boolean; readonly note: string; readonly by: Principal },
  ): Promise<RouteResponse> {
    const status = approve ? 'approved' : 'denied';
    const root = this.#run(
      this.approvals.decide(approvalId, { status, note, decidedBy: by.id }, this.#now()),
    );
    root.wakes++;
    await this.#working.get(root.runId);
    return this.#resume(root);
  }

  async cancel(rootId: string): Promise<void> {
    const run = this.#run(rootId);
    if (run.end) throw new HTTPError(409, 'the run has ended');
    run.end = 'cancelled';
    for (const { approvalId } of this.approvals.pending(rootId)) this.approvals.withdraw(approvalId);
    this.#legs.get(rootId)?.cancel();
  }

  async *follow(): AsyncIterable<Progress> {}

  /** Runs the root again, from its stored call, through the one door. */
  async #resume(root: StoredRun): Promise<RouteResponse> {
    const host = this.#started();
    const route = root.call && host.table.get(root.call.route);
    if (!root.call || !route) throw new HTTPError(500, 'declaration_gone');
    const { values, via } = root.call;
    return host.dispatcher.dispatch({
      route,
      input: { by: 'arguments', values },
      principal: root.principal,
      via,
      requestId: host.newId(),
      resume: root.runId,
    });
  }

  async #openRoot<T extends Json>(
    run: StoredRun,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<'ended' | 'waiting'> {
    for (;;) {
      const leg = new Leg();
      this.#legs.set(run.runId, leg);
      const { wakes } = run;
      const stopped = await Promise.race([this.#work(run, leg, body), leg.stopped]);
      leg.drop();
      this.#legs.delete(run.runId);
      if (stopped !== 'held') return 'ended';
      if (run.wakes === wakes) return 'waiting';
    }
  }

  async #openChild<T extends Json>(
    run: StoredRun,
    step: Step,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunOutcome<T>> {
    const leg = this.#legs.get(toRootId(run.runId));
    if (!leg) throw new Error('a child without a working root');
    leg.leaves(step.key);
    if (!run.end) await this.#work(run, leg, body);
    leg.works(step.key);
    return toOutcome(run);
  }

  async #work<T extends Json>(
    run: StoredRun,
    leg: Leg,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<void> {
    const end = await body(this.#scope(run, leg)).then(
      ({ status, value }) => ({ status, ok: true, text: JSON.stringify(value) }),
      (error: unknown) => ({ status: 'failed' as const, ok: false, text: toText(error) }),
    );
    if (leg.live) run.end ??= end;
  }

  #scope(run: StoredRun, leg: Leg): RunScope {
    const { runId, spec } = run;
    const deliveries = new Deliveries([...run.ops.values()].map(({ order }) => order));
    const recorded = run.ops.size;
    let seq = 0;
    return {
      runId,
      rootId: toRootId(runId),
      depth: run.path.length - 1,
      principal: narrow(run.principal, `${spec.kind}:${spec.name}`, spec.scopes),
      signal: new AbortController().signal,
      get replaying() {
        return seq < recorded;
      },
      usage: () => usage,
      op: (spec, body) => this.#op(run, leg, deliveries, ++seq, spec, body),
      emit: () => {},
      onDrop: (release) => leg.onDrop(release),
    };
  }

  #op<T extends Json>(
    run: StoredRun,
    leg: Leg,
    deliveries: Deliveries,
    seq: number,
    spec: OpSpec,
    body: (step: Step) => Promise<OpResult<T>>,
  ): Promise<T> {
    const fingerprint = JSON.stringify([spec.kind, spec.name, spec.input]);
    const key = `${run.runId}.${seq}`;
    const stored = run.ops.get(seq);
    if (stored && stored.fingerprint !== fingerprint)
      throw new HTTPError(500, `${key} asked ${stored.fingerprint} and now asks ${fingerprint}`, {
        code: 'replay_mismatch',
      });
    const promise = new Promise<T>((resolve, reject) => {
      const deliver = ({ ok, text, order }: StoredOp): void =>
        deliveries.add(order, () => {
          leg.leaves(key);
          if (ok) resolve(JSON.parse(text) as T);
          else reject(rebuild(text));
        });
      if (stored) return deliver(stored);
      leg.works(key);
      void this.#execute(body, this.#step(run, leg, seq, spec)).then((result) => {
        // A result of a dropped frame is nobody's: the run has gone on without it.
        if (!leg.live) return;
        const op = { ...result, fingerprint, order: ++this.#run(toRootId(run.runId)).lastOrder };
        run.ops.set(seq, op);
        // It may have held until now; with a result that nobody was given yet the run is not parked.
        leg.works(key);
        deliver(op);
      });
    });
    promise.catch(() => {});
    return promise;
  }

  async #execute<T extends Json>(
    body: (step: Step) => Promise<OpResult<T>>,
    step: Step,
  ): Promise<Pick<StoredOp, 'ok' | 'text'>> {
    try {
      const { value } = await body(step);
      return { ok: true, text: JSON.stringify(value) };
    } catch (error) {
      return { ok: false, text: toText(error) };
    }
  }

  #step(run: StoredRun, leg: Leg, seq: number, spec: OpSpec): Step {
    const key = `${run.runId}.${seq}`;
    return {
      runId: run.runId,
      seq,
      key,
      grantedTokens: null,
      gate: async (request) => {
        this.trace.push(`gate ${request.tool}`);
        const decision = this.approvals.ask(run, seq, request, this.#now());
        if (decision) return decision;
        leg.holds(key);
        return new Promise((_, reject) => {
          // The call this one waits for came to nothing, so nobody needs to be asked any more.
          spec.after?.catch((error: unknown) => {
            this.approvals.withdraw(`${key}:1`);
            leg.works(key);
            reject(error);
          });
        });
      },
      begin: async () => {
        if (spec.after) {
          leg.holds(key);
          await spec.after.finally(() => leg.works(key));
        }
        this.trace.push(`begin ${spec.name}`);
      },
      record: () => Promise.reject(new Error('this trial has no database')),
    };
  }

  #find(spec: RunSpec, call: Call): StoredRun {
    const runId = call.step?.key ?? call.resume ?? this.#started().newId();
    const known = this.#runs.get(runId);
    if (known) return known;
    if (call.input.by === 'request')
      throw new Error('a run is stored with its validated input, which no call by request holds');
    const parent = call.step && this.#run(call.step.runId);
    const run: StoredRun = {
      runId,
      spec,
      principal: call.principal,
      call: parent ? undefined : { route: call.route.name, values: call.input.values, via: call.via },
      path: [...(parent?.path ?? []), spec.name],
      ops: new Map(),
      end: undefined,
      wakes: 0,
      lastOrder: 0,
    };
    this.#runs.set(runId, run);
    return run;
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
