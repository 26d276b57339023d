import type { Approval, Cancel, Json, OpRecord, OpResult, OpSpec, Step, ToolResult } from '@waymark/contract';
import type { Found } from '../core/event.ts';
import type { OpPhase, OpState } from '../core/state.ts';
import { fingerprintOf, isAnyInput } from '../journal/fingerprint.ts';
import type { Frame } from './frame.ts';

/** Who asked for a step, and how it is done. */
export interface Asker {
  readonly body: (step: Step) => Promise<OpResult<Json>>;
  readonly resolve: (value: Json) => void;
  readonly reject: (error: unknown) => void;
}

/** One journaled step of a frame while its leg works. */
export class Op implements OpState {
  readonly frame: Frame;
  readonly runId: string;
  readonly seq: number;
  readonly spec: OpSpec;
  readonly startedMs: number;
  /** None: it is a value, which is given at once. */
  readonly asker: Asker | undefined;
  /** Its row, if there is one. */
  row: OpRecord | undefined;
  phase: OpPhase = 'active';
  child: Frame | undefined;
  /** What a human is being asked. */
  asked: Approval | undefined;
  /** What was committed with the effect. */
  recorded: { readonly row: OpRecord; readonly result: ToolResult } | undefined;
  /** What is asked as it was at the call: later changes of the object do not count. */
  readonly #inputText: string;
  readonly #begunMs: number;
  #input: Json | undefined;

  /** The step that a frame asks for next. */
  constructor(frame: Frame, spec: OpSpec, asker?: Asker) {
    const { parts, tree } = frame.leg;
    const { now, monotonic } = parts;
    this.frame = frame;
    this.runId = frame.runId;
    this.seq = frame.nextSeq;
    this.spec = spec;
    this.asker = asker;
    this.#inputText = JSON.stringify(spec.input) ?? 'null';
    this.startedMs = now();
    this.#begunMs = monotonic();
    this.row = tree.op(this.runId, this.seq);
  }

  /** What is recorded at its number. */
  get found(): Found {
    const { row } = this;
    if (!row) return 'nothing';
    if (!this.#isIn(row)) return 'other';
    return row.state === 'done' || row.state === 'failed' ? 'settled' : 'begun';
  }

  get key(): string {
    return `${this.runId}.${this.seq}`;
  }

  get input(): Json {
    this.#input ??= JSON.parse(this.#inputText) as Json;
    return this.#input;
  }

  /** Epoch milliseconds: so long after its start as it took, whatever the clock on the wall was set to meanwhile. */
  get endedMs(): number {
    return this.startedMs + Math.round(this.frame.leg.parts.monotonic() - this.#begunMs);
  }

  get fingerprint(): string {
    return fingerprintOf(this.spec.kind, this.spec.name, this.input);
  }

  /** Whether a row is of this very step. Most often it asks for the same in the same words, and nothing is hashed. */
  #isIn({ kind, name, input, fingerprint }: OpRecord): boolean {
    const { spec } = this;
    const isSame = kind === spec.kind && name === spec.name && !isAnyInput(kind);
    return (isSame && JSON.stringify(input) === this.#inputText) || fingerprint === this.fingerprint;
  }

  /** It acts on the world: it is waited for when the code has ended. The others can be done again. */
  get acts(): boolean {
    const { kind } = this.spec;
    return kind === 'call' || kind === 'run' || kind === 'handoff';
  }

  /** What the call costs is noted once it has lasted for a while, in case nobody is there when it ends. */
  noteLong(): Cancel | undefined {
    const { parts, recorder } = this.frame.leg;
    return this.spec.estimate && parts.longCalls.add(() => recorder.begin(this));
  }

  /** The process stopped between an effect that must not be repeated and its record. */
  get interrupted(): boolean {
    return this.row?.state === 'started' && this.spec.repeat === 'never';
  }

  toRow(
    state: OpRecord['state'],
    value: Json,
    treeTokens: number,
    endedMs: number | null,
  ): Omit<OpRecord, 'ord'> {
    const { runId, seq, spec, input, fingerprint, startedMs } = this;
    const { kind, name } = spec;
    return { runId, seq, kind, name, input, fingerprint, state, value, treeTokens, startedMs, endedMs };
  }
}
