import type { Approval, Json, OpRecord, OpSpec, ToolResult } from '@waymark/contract';
import { fingerprintOf } from './fingerprint.ts';
import type { Frame } from './frame.ts';
import { copy } from './settled.ts';

/** One journaled step of a frame while its leg works. */
export class Op {
  readonly frame: Frame;
  readonly runId: string;
  readonly seq: number;
  readonly spec: OpSpec;
  /** As it was at the call: later changes of the object do not count. */
  readonly input: Json;
  readonly fingerprint: string;
  readonly startedMs: number;
  /** Its row, if there is one. */
  row: OpRecord | undefined;
  /** `held`: waits for a human, or for the steps before it. `nested`: it is what the run below it is. */
  state: 'active' | 'held' | 'nested' | 'settled' = 'active';
  child: Frame | undefined;
  /** What a human is being asked. */
  asked: Approval | undefined;
  /** What was committed with the effect. */
  recorded: { readonly row: OpRecord; readonly result: ToolResult } | undefined;

  constructor(frame: Frame, seq: number, spec: OpSpec, startedMs: number, row: OpRecord | undefined) {
    this.frame = frame;
    this.runId = frame.runId;
    this.seq = seq;
    this.spec = spec;
    this.input = copy(spec.input);
    this.fingerprint = fingerprintOf(spec.kind, spec.name, this.input);
    this.startedMs = startedMs;
    this.row = row;
  }

  get key(): string {
    return `${this.runId}.${this.seq}`;
  }

  /** Nothing happens here before a human decides. */
  get stuck(): boolean {
    return this.state === 'held' || (this.state === 'nested' && this.child?.stuck === true);
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
