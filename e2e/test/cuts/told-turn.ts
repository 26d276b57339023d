import type { Ending, Reading, Step, Turn } from './turn-reader.ts';

/** A message of the service. */
export interface Told {
  readonly type: string;
  readonly run_id?: string;
  readonly idempotency_key?: string;
  readonly agent?: string;
  readonly step?: Step;
  readonly result?: Ending['result'];
  readonly problem?: Ending['problem'];
  readonly status?: unknown;
  readonly text?: string;
  readonly restart?: boolean;
  readonly omitted?: number;
  readonly code?: string;
  readonly retry_after?: number;
}

/** One turn, over however many connections. */
export class ToldTurn {
  readonly turn: Turn;
  readonly #missesText: boolean;
  readonly ended: Promise<Reading>;
  readonly #steps: Step[] = [];
  readonly #endings: Ending[] = [];
  readonly #faults: string[] = [];
  readonly #text = new Map<string, string>();
  /** What the root wrote before its last step of a model; undefined where that was not told whole. */
  #answer: string | undefined;
  #runId: string | undefined;
  #isOver = false;
  #resolve: (reading: Reading) => void = () => {};

  constructor(turn: Turn, missesText: boolean) {
    this.turn = turn;
    this.#missesText = missesText;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get runId(): string | undefined {
    return this.#runId;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Of the step that was told last. */
  get lastSeq(): number {
    return this.#steps.at(-1)?.seq ?? 0;
  }

  /** It is sent again: all of it will be told once more. */
  forget(): void {
    this.#steps.length = 0;
  }

  /** Takes in a message that is about it. @returns whether it was refused for now */
  take(message: Told): boolean {
    const { type, step, status, code } = message;
    if (type === 'run') this.#begin(message);
    else if (type === 'step' && step) this.#step(message, step);
    else if (type === 'delta') this.#delta(message);
    else if (type === 'result') this.#end(message);
    else if (type === 'error' && (status === 503 || code === 'session_waits')) return true;
    else if (type !== 'waiting') this.#fail(JSON.stringify(message));
    return false;
  }

  #begin({ run_id: runId = '' }: Told): void {
    if (this.#runId !== undefined && this.#runId !== runId)
      this.blame(`begun twice: ${this.#runId}, ${runId}`);
    this.#runId = runId;
    // Of what was being written the rest may have been told to nobody.
    this.#text.clear();
  }

  #step({ run_id: runId, agent }: Told, step: Step): void {
    if (step.seq <= this.lastSeq) this.blame(`step ${step.seq} behind ${this.lastSeq}`);
    if (runId !== step.run_id || agent !== step.agent) this.blame(`a step of ${runId} says ${step.run_id}`);
    if (this.#isOver) this.blame(`step ${step.seq} behind the end`);
    this.#steps.push(step);
    if (step.kind === 'model' && step.run_id === this.#runId) this.#answer = this.#text.get(step.run_id);
    this.#text.delete(step.run_id);
  }

  #delta({ run_id: runId = '', text = '', restart, omitted }: Told): void {
    if (!this.turn.message.stream) this.blame('text that nobody asked for');
    if (omitted) this.blame('text was left out');
    this.#text.set(runId, (restart ? '' : (this.#text.get(runId) ?? '')) + text);
  }

  #end({ result, problem }: Told): void {
    // Only what has a result comes here.
    this.#endings.push({ result: result as Ending['result'], ...(problem && { problem }) });
    if (this.#endings.length > 1) this.blame('a second result');
    const { output, status } = result as Ending['result'];
    if (status === 'completed' && this.#answer !== undefined && !this.#isWritten(this.#answer, output))
      this.blame(`written: ${this.#answer}`);
    this.#settle();
  }

  #isWritten(written: string, output: unknown): boolean {
    return this.#missesText ? String(output).startsWith(written) : written === output;
  }

  blame(fault: string): void {
    this.#faults.push(fault);
  }

  #fail(refusal: string): void {
    this.blame(`refused: ${refusal}`);
    this.#settle();
  }

  /** The lists go on: what comes behind the end is a fault. */
  #settle(): void {
    this.#isOver = true;
    this.#resolve({
      ...{ runId: this.#runId, steps: this.#steps, endings: this.#endings, faults: this.#faults },
    });
  }
}
