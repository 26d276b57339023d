import type { Json, ToolResult } from '@waymark/contract';
import type { Host } from '@waymark/contract/engine';
import type { OpResult, OpSpec, Step } from '@waymark/contract/runs';
import type { Approval, OpRecord, RunRecord } from '@waymark/contract/stores';
import type { TokenCounter } from '../budget/token-budget.ts';
import type { Found } from '../core/event.ts';
import type { FrameState, OpPhase, OpState } from '../core/state.ts';
import { fingerprintOf, isAnyInput } from '../journal/fingerprint.ts';
import { toStoredText } from '../journal/stored-form.ts';

/** The promise that waits for a step, and the function that does it. */
export interface Asker {
  readonly body: (step: Step) => Promise<OpResult<Json>>;
  readonly resolve: (value: Json) => void;
  readonly reject: (error: unknown) => void;
}

/** The frame of a step, as those see it who do the step and record what comes of it. */
export interface OpFrame extends FrameState {
  readonly run: RunRecord;
  readonly runId: string;
  /** The names from the root's to its own. */
  readonly path: readonly string[];
  /** The counters of its run and all above it. */
  readonly chain: readonly TokenCounter[];
  /** What happens in it does not count any more. */
  readonly over: boolean;
  /** It, and those below it. */
  readonly frames: readonly OpFrame[];
  /** Gives the values that it was given to a commit. */
  takeValues(): readonly Omit<OpRecord, 'ord'>[];
}

/** One journaled step of a frame while its leg works. */
export class Op implements OpState {
  readonly frame: OpFrame;
  readonly runId: string;
  readonly seq: number;
  readonly spec: OpSpec;
  readonly startedMs: number;
  /** None: it is a value, which is given at once. */
  readonly asker: Asker | undefined;
  /** Its row, if there is one. */
  row: OpRecord | undefined;
  phase: OpPhase = 'active';
  child: OpFrame | undefined;
  /** What a human is being asked. */
  asked: Approval | undefined;
  /** What was committed with the effect. */
  recorded: { readonly row: OpRecord; readonly result: ToolResult } | undefined;
  /** What is asked as it was at the call: later changes of the object do not count. */
  readonly #inputText: string;
  readonly #clock: Pick<Host, 'now' | 'monotonic'>;
  readonly #begunMs: number;
  #input: Json | undefined;

  /**
   * The step that a frame asks for next.
   *
   * @param row what is recorded at its number
   */
  constructor(
    frame: OpFrame,
    spec: OpSpec,
    row: OpRecord | undefined,
    clock: Pick<Host, 'now' | 'monotonic'>,
    asker?: Asker,
  ) {
    this.frame = frame;
    this.runId = frame.runId;
    this.seq = frame.nextSeq;
    this.spec = spec;
    this.asker = asker;
    this.#inputText = toStoredText(spec.input, `what is asked of ${spec.name}`);
    this.#clock = clock;
    this.startedMs = clock.now();
    this.#begunMs = clock.monotonic();
    this.row = row;
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
    return this.startedMs + Math.round(this.#clock.monotonic() - this.#begunMs);
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
