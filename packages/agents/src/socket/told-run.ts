import type { AskedRun, AskedTurn } from './socket-message.ts';

/** One turn, or one run that was taken up, as a socket tells it. */
export class ToldRun {
  /** The name that the client gave its turn. */
  key: string | undefined;
  /** Of the run, once it is stored. */
  runId: string | undefined;
  /** Of the step that was told last. */
  seq = 0;
  /** Its call is under way, or to come: the wish to end it goes with that. */
  called = true;
  /** It was told that there is such a run. */
  begun = false;
  /** Its end was asked for, and nobody has answered yet. */
  ending = false;
  /** Settles when the next turn need not wait for this one. */
  readonly gaveWay: Promise<void>;
  readonly #cancel = new AbortController();
  #giveWay = (): void => {};

  constructor() {
    this.gaveWay = new Promise((resolve) => {
      this.#giveWay = resolve;
    });
  }

  /** Fires when the client wants no more of it. */
  get cancelled(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Takes over what its client calls it. */
  name(asked: AskedTurn | AskedRun): void {
    if (asked.kind === 'turn') this.key = asked.key;
    else {
      this.runId = asked.runId;
      this.seq = asked.lastSeq;
    }
  }

  cancel(): void {
    this.#cancel.abort();
  }

  giveWay(): void {
    this.#giveWay();
  }
}
