import {
  type Decision,
  type GateRequest,
  HTTPError,
  type Json,
  narrow,
  type OpResult,
  type OpSpec,
  type Principal,
  type Progress,
  type RunScope,
  type RunUsage,
  type SessionStore,
  type Step,
} from '@waymark/contract';
import type { ApprovalDesk } from './approval-desk.ts';
import { Deliveries } from './deliveries.ts';
import type { Leg } from './leg.ts';
import { rebuild, type StoredOp, type StoredRun, toRootId, toText, usage } from './stored-run.ts';

/** What frames share. */
export interface Surroundings {
  readonly approvals: ApprovalDesk;
  readonly sessions: SessionStore;
  /** What happened to tool calls, in order. */
  readonly trace: string[];
  now(): number;
}

/** The journal as the code of one run sees it during one leg: what is recorded is given again, the rest happens. */
export class Frame implements RunScope {
  readonly runId: string;
  readonly rootId: string;
  readonly depth: number;
  readonly maxSteps = null;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly definition: Json;
  readonly #run: StoredRun;
  readonly #root: StoredRun;
  readonly #leg: Leg;
  readonly #surroundings: Surroundings;
  readonly #deliveries: Deliveries;
  readonly #recorded: number;
  /** Values that go out with the next write. */
  readonly #queued: (readonly [seq: number, op: Omit<StoredOp, 'order'>])[] = [];
  #range: Promise<Range> | undefined;
  #seq = 0;

  constructor(run: StoredRun, root: StoredRun, leg: Leg, surroundings: Surroundings) {
    const { kind, name, scopes, definition = null } = run.spec;
    this.runId = run.runId;
    this.rootId = toRootId(run.runId);
    this.depth = run.path.length - 1;
    this.principal = narrow(run.principal, `${kind}:${name}`, scopes);
    this.signal = leg.signal;
    this.deadlineMs = leg.deadlineMs;
    this.definition = definition;
    this.#run = run;
    this.#root = root;
    this.#leg = leg;
    this.#surroundings = surroundings;
    this.#recorded = run.ops.size;
    // Values are there at once, so nothing waits for their turn.
    const delivered = [...run.ops.values()].filter(({ kind }) => kind !== 'value');
    this.#deliveries = new Deliveries(delivered.map(({ order }) => order));
  }

  get replaying(): boolean {
    return this.#seq < this.#recorded;
  }

  usage(): RunUsage {
    return usage;
  }

  peek(): OpSpec['kind'] | undefined {
    return this.#run.ops.get(this.#seq + 1)?.kind;
  }

  value<T extends Json>(name: 'now' | 'random' | 'uuid' | 'log', make: () => T): T {
    const seq = ++this.#seq;
    const asked = { kind: 'value', fingerprint: JSON.stringify(['value', name]) } as const;
    const stored = this.#find(seq, asked.fingerprint);
    const text = stored?.text ?? JSON.stringify(make());
    if (!stored) this.#queued.push([seq, { ...asked, ok: true, text }]);
    // What `make` of this very place once made.
    return JSON.parse(text) as T;
  }

  async history(): Promise<readonly Json[]> {
    const { session } = this.#run.spec;
    if (!session) return [];
    const { sessions } = this.#surroundings;
    this.#range ??= this.op({ kind: 'history', name: session.key, input: null, repeat: 'safe' }, async () => {
      const { fromN, uptoN } = (await sessions.load(session.key)) ?? { fromN: 0, uptoN: 0 };
      return { value: { fromN, uptoN } };
    });
    return (await sessions.load(session.key, await this.#range))?.messages ?? [];
  }

  op<T extends Json>(spec: OpSpec, body: (step: Step) => Promise<OpResult<T>>): Promise<T> {
    const seq = ++this.#seq;
    const asked = { kind: spec.kind, fingerprint: JSON.stringify([spec.kind, spec.name, spec.input]) };
    const key = `${this.runId}.${seq}`;
    const stored = this.#find(seq, asked.fingerprint);
    const promise = new Promise<T>((resolve, reject) => {
      const deliver = ({ ok, text, order }: StoredOp): void =>
        this.#deliveries.add(order, () => {
          this.#leg.leaves(key);
          if (ok) resolve(JSON.parse(text) as T);
          else reject(rebuild(text));
        });
      if (stored) return deliver(stored);
      this.#leg.works(key);
      // An effect may depend on a value, so the values go out before it.
      this.#write();
      void execute(body, this.#step(seq, spec)).then((result) => {
        // A result of a dropped frame is nobody's: the run has gone on without it.
        if (!this.#leg.live) return;
        const op = this.#write([seq, { ...asked, ...result }]);
        // It may have held until now; with a result that nobody was given yet the run is not parked.
        this.#leg.works(key);
        if (op) deliver(op);
      });
    });
    promise.catch(() => {});
    return promise;
  }

  emit(progress: Progress): void {
    if (!this.replaying && this.#leg.live) this.#leg.observe?.(progress);
  }

  onDrop(release: () => void): void {
    this.#leg.onDrop(release);
  }

  #find(seq: number, fingerprint: string): StoredOp | undefined {
    const stored = this.#run.ops.get(seq);
    if (stored && stored.fingerprint !== fingerprint)
      throw new HTTPError(500, `${this.runId}.${seq}: ${stored.fingerprint} became ${fingerprint}`, {
        code: 'replay_mismatch',
      });
    return stored;
  }

  /** One commit: the values queued so far, then the step. @returns the last one written */
  #write(...steps: readonly (readonly [seq: number, op: Omit<StoredOp, 'order'>])[]): StoredOp | undefined {
    let last: StoredOp | undefined;
    for (const [seq, op] of [...this.#queued.splice(0), ...steps]) {
      last = { ...op, order: ++this.#root.lastOrder };
      this.#run.ops.set(seq, last);
      const data = { run_id: this.runId, seq: last.order, kind: op.kind };
      if (op.kind !== 'value') this.#leg.observe?.({ event: 'step', id: last.order, data });
    }
    return last;
  }

  #step(seq: number, spec: OpSpec): Step {
    const key = `${this.runId}.${seq}`;
    return {
      runId: this.runId,
      seq,
      key,
      grantedTokens: null,
      gate: (request) => this.#ask(seq, spec, request),
      begin: async () => {
        if (spec.after) {
          this.#leg.holds(key);
          await spec.after.finally(() => this.#leg.works(key));
        }
        this.#surroundings.trace.push(`begin ${spec.name}`);
      },
      record: () => Promise.reject(new Error('this trial has no database')),
      onDrop: (release) => this.#leg.onDrop(release),
    };
  }

  async #ask(seq: number, { after, reason }: OpSpec, request: GateRequest): Promise<Decision> {
    const { approvals, trace, now } = this.#surroundings;
    const key = `${this.runId}.${seq}`;
    trace.push(`gate ${request.tool}`);
    this.#write();
    const decision = approvals.ask(this.#run, seq, request, reason ?? null, now());
    if (decision) return decision;
    this.#leg.holds(key);
    return new Promise((_, reject) => {
      // The call this one waits for came to nothing, so nobody needs to be asked any more.
      after?.catch((error: unknown) => {
        approvals.withdraw(`${key}:1`);
        this.#leg.works(key);
        reject(error);
      });
    });
  }
}

/** The messages a turn began with, whatever is said in its session later. */
type Range = { readonly fromN: number; readonly uptoN: number };

async function execute<T extends Json>(
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
