import type { Approval, Cancel, Json, OpRecord, OpSpec, ToolResult } from '@waymark/contract';
import { fingerprintOf, isAnyInput } from './fingerprint.ts';
import type { Frame } from './frame.ts';

/** One journaled step of a frame while its leg works. */
export class Op {
  readonly frame: Frame;
  readonly runId: string;
  readonly seq: number;
  readonly spec: OpSpec;
  readonly startedMs: number;
  /** Its row, if there is one. */
  row: OpRecord | undefined;
  /** `held`: waits for a human, for the steps before it, or to be tried again. `nested`: it is what the run below it is. */
  state: 'active' | 'held' | 'nested' | 'settled' = 'active';
  /** For the next process, which is why this one must not end the run. */
  left = false;
  child: Frame | undefined;
  /** What a human is being asked. */
  asked: Approval | undefined;
  /** What was committed with the effect. */
  recorded: { readonly row: OpRecord; readonly result: ToolResult } | undefined;
  /** What is asked as it was at the call: later changes of the object do not count. */
  readonly #inputText: string;
  readonly #begunMs: number;
  #input: Json | undefined;

  constructor(frame: Frame, seq: number, spec: OpSpec, row: OpRecord | undefined) {
    const { now, monotonic } = frame.leg.parts;
    this.frame = frame;
    this.runId = frame.runId;
    this.seq = seq;
    this.spec = spec;
    this.#inputText = JSON.stringify(spec.input) ?? 'null';
    this.startedMs = now();
    this.#begunMs = monotonic();
    this.row = row;
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
  isIn({ kind, name, input, fingerprint }: OpRecord): boolean {
    const { spec } = this;
    const isSame = kind === spec.kind && name === spec.name && !isAnyInput(kind);
    return (isSame && JSON.stringify(input) === this.#inputText) || fingerprint === this.fingerprint;
  }

  /** Nothing happens here before a human decides, or something outside passes. */
  get stuck(): boolean {
    return this.state === 'held' || (this.state === 'nested' && this.child?.stuck === true);
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
