import type { Json, Progress } from '@waymark/contract';
import type { Spend } from '@waymark/contract/models';
import { narrow, type Principal } from '@waymark/contract/principal';
import {
  BudgetExhausted,
  type OpResult,
  type OpSpec,
  type RunScope,
  type RunSpec,
  type RunUsage,
  type Step,
  type WrittenPiece,
} from '@waymark/contract/runs';
import { Deliveries } from './deliveries.ts';
import {
  fingerprint,
  fromErrorText,
  type Journal,
  type Row,
  toErrorText,
  tokensOf,
  toUsage,
} from './journal.ts';

/** What all frames of one leg share. */
export interface MemoryLeg {
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly observe: (progress: Progress) => void;
  readonly history: readonly Json[];
  /** Called whenever a step begins to work, waits, or has ended. */
  changed(): void;
  readonly busy: Set<string>;
  readonly held: Set<string>;
}

/** A run's journal in memory: what is recorded is given again in its stored form and order, the rest happens. */
export class MemoryScope implements RunScope {
  readonly runId: string;
  readonly rootId: string;
  readonly depth: number;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly definition: Json;
  readonly maxSteps: number | null;
  readonly #leg: MemoryLeg;
  readonly #spec: RunSpec;
  readonly #above: MemoryScope | undefined;
  readonly #deliveries: Deliveries;
  readonly #recorded: ReadonlyMap<number, Row>;
  #seq = 0;

  constructor(runId: string, spec: RunSpec, caller: Principal, leg: MemoryLeg, above?: MemoryScope) {
    this.runId = runId;
    this.rootId = runId.split('.', 1)[0] ?? runId;
    this.depth = above ? above.depth + 1 : 0;
    this.principal = narrow(caller, `${spec.kind}:${spec.name}`, spec.scopes);
    this.signal = leg.signal;
    this.deadlineMs = leg.deadlineMs;
    this.definition = spec.definition ?? null;
    this.maxSteps = spec.maxSteps;
    this.#leg = leg;
    this.#spec = spec;
    this.#above = above;
    const rows = leg.journal.rows.filter((row) => row.runId === runId);
    this.#recorded = new Map(rows.map((row) => [row.seq, row]));
    const results = rows.filter(({ kind }) => kind !== 'value');
    this.#deliveries = new Deliveries(results.map(({ ord }) => ord));
  }

  get replaying(): boolean {
    return this.#recorded.has(this.#seq);
  }

  /** What is recorded and was not asked for. */
  get forgotten(): boolean {
    return [...this.#recorded.keys()].some((seq) => seq >= this.#seq);
  }

  usage(): RunUsage {
    return toUsage(this.rows, this.#spec, this.#leg.journal.rows);
  }

  get rows(): readonly Row[] {
    return this.#leg.journal.rows.filter(({ runId }) => runId === this.runId);
  }

  peek(): OpSpec['kind'] | undefined {
    return this.#recorded.get(this.#seq)?.kind;
  }

  value<T extends Json>(name: string, make: () => T): T {
    const seq = this.#seq++;
    const { journal } = this.#leg;
    const recorded = this.#recorded.get(seq);
    if (recorded) return JSON.parse(recorded.text) as T;
    const text = JSON.stringify(make());
    const row = { runId: this.runId, seq, kind: 'value' as const, name, input: null, ok: true, text };
    journal.rows.push({ ...row, ord: ++journal.ord, spend: [] });
    return JSON.parse(text) as T;
  }

  async history(): Promise<readonly Json[]> {
    if (!this.#spec.session) return [];
    const spec = { kind: 'history', name: this.#spec.session.key, input: null, repeat: 'safe' } as const;
    return this.op<readonly Json[]>(spec, async () => ({ value: this.#leg.history }));
  }

  write(piece: WrittenPiece): void {
    if (!this.replaying) this.#leg.observe({ event: 'delta', data: { run_id: this.runId, ...piece } });
  }

  onDrop(): void {}

  op<T extends Json>(spec: OpSpec, body: (step: Step) => Promise<OpResult<T>>): Promise<T> {
    const seq = this.#seq++;
    const input = JSON.parse(JSON.stringify(spec.input)) as Json;
    const row = this.#recorded.get(seq);
    const asked = fingerprint(spec.kind, spec.name, input);
    if (row && fingerprint(row.kind, row.name, row.input) !== asked)
      throw new Error(`replay mismatch at ${this.runId}.${seq}: ${row.kind} ${row.name}, then ${asked}`);
    const promise = new Promise<T>((resolve, reject) => {
      const deliver = ({ ok, text }: Row): void => {
        if (ok) resolve(JSON.parse(text) as T);
        else reject(fromErrorText(text));
      };
      if (row) this.#deliveries.add(row.ord, () => deliver(row));
      else
        void this.#execute(seq, { ...spec, input }, body).then((done) =>
          this.#deliveries.add(done.ord, () => {
            deliver(done);
            // Until then somebody has something to do.
            this.#leg.busy.delete(`${this.runId}.${seq}`);
            this.#leg.changed();
          }),
        );
    });
    promise.catch(() => {});
    return promise;
  }

  async #execute(seq: number, spec: OpSpec, body: (step: Step) => Promise<OpResult<Json>>): Promise<Row> {
    const key = `${this.runId}.${seq}`;
    const { busy, held, journal } = this.#leg;
    busy.add(key);
    const settled = await this.#attempt(key, seq, spec, body);
    busy.add(key);
    held.delete(key);
    const { kind, name, input } = spec;
    const row = { runId: this.runId, seq, kind, name, input, ...settled, ord: ++journal.ord };
    journal.rows.push(row);
    return row;
  }

  async #attempt(
    key: string,
    seq: number,
    spec: OpSpec,
    body: (step: Step) => Promise<OpResult<Json>>,
  ): Promise<Pick<Row, 'ok' | 'text' | 'spend'>> {
    try {
      const { value, spend = [] } = await body(this.#toStep(key, seq, spec, this.#grant(spec)));
      return { ok: true, text: JSON.stringify(value), spend };
    } catch (error) {
      const spend = (error as { readonly spend?: readonly Spend[] }).spend ?? [];
      return { ok: false, text: toErrorText(error), spend };
    }
  }

  /** The least room that any counter of the chain has. @throws {BudgetExhausted} */
  #grant({ reserveTokens, estimateTokens = 0 }: OpSpec): number | null {
    if (reserveTokens === undefined) return null;
    const rooms = this.#chain
      .filter((scope) => scope.#spec.tokenBudget !== null)
      .map((scope) => (scope.#spec.tokenBudget ?? 0) - scope.#used);
    if (rooms.length === 0) return null;
    const granted = Math.min(reserveTokens - estimateTokens, Math.min(...rooms) - estimateTokens);
    if (granted <= 0) throw new BudgetExhausted('the token budget is used up');
    return granted;
  }

  get #chain(): readonly MemoryScope[] {
    return this.#above ? [this, ...this.#above.#chain] : [this];
  }

  get #used(): number {
    const below = this.#leg.journal.rows.filter(
      ({ runId }) => runId === this.runId || runId.startsWith(`${this.runId}.`),
    );
    return tokensOf(below.flatMap(({ spend }) => spend));
  }

  #toStep(key: string, seq: number, spec: OpSpec, grantedTokens: number | null): MemoryStep {
    const { journal, busy, held, changed } = this.#leg;
    const hold = (): void => {
      busy.delete(key);
      held.add(key);
      changed();
    };
    return {
      ...{ runId: this.runId, seq, key, grantedTokens, scope: this, leg: this.#leg },
      async gate({ tool, arguments: values }) {
        let asked = journal.asked.find((one) => one.key === key);
        if (!asked) {
          asked = { key, tool, arguments: values, reason: spec.reason, status: 'pending', note: '' };
          journal.asked.push(asked);
        }
        const { status, note } = asked;
        if (status === 'approved') return { approved: true, note };
        if (status === 'declined' || status === 'expired') return { approved: false, reason: status, note };
        hold();
        return new Promise((_, reject) => {
          spec.after?.catch((error: unknown) => {
            asked.status = 'withdrawn';
            busy.add(key);
            reject(error);
          });
        });
      },
      async begin() {
        if (!spec.after) return;
        hold();
        await spec.after;
        held.delete(key);
        busy.add(key);
      },
      again: async () => true,
      record: async () => {},
      onDrop: () => {},
    };
  }
}

/** A step that knows its frame: a child run is opened in it. */
export type MemoryStep = Step & { readonly scope: MemoryScope; readonly leg: MemoryLeg };
