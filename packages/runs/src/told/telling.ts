import type { Json } from '@waymark/contract';
import type { Call, Log } from '@waymark/contract/engine';
import { type RunOutcome, relay } from '@waymark/contract/runs';
import { answerLater } from './answer-later.ts';
import type { Feed } from './feed.ts';
import { follow, type ReadParts } from './follow.ts';

/** A call that somebody listens to. */
type ToldCall = Call & Required<Pick<Call, 'observe'>>;

/**
 * Tells whoever listens to a call what happens in its root: by reading it, as everybody else does. The root waits for nobody;
 * its outcome is told when all before it was.
 */
export class Telling {
  readonly #call: ToldCall;
  readonly #parts: { readonly feed: Feed; readonly log: Log };
  readonly #toReadParts: (rootId: string) => Omit<ReadParts, 'isOver' | 'mayRead'>;
  readonly #noSignal = new AbortController().signal;
  #rootId: string | undefined;
  #told: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(
    call: ToldCall,
    parts: { readonly feed: Feed; readonly log: Log },
    toReadParts: (rootId: string) => Omit<ReadParts, 'isOver' | 'mayRead'>,
  ) {
    this.#call = call;
    this.#parts = parts;
    this.#toReadParts = toReadParts;
  }

  /** @throws {HTTPError} 503 the root goes on, and could not be read */
  async through(open: (call: Call) => Promise<RunOutcome<Json>>): Promise<RunOutcome<Json>> {
    const { onRun } = this.#call;
    try {
      return await open({
        ...this.#call,
        onRun: (rootId) => {
          onRun?.(rootId);
          this.#rootId = rootId;
          this.#told = this.#tell(rootId);
          // Whoever asked is told when the outcome is there.
          this.#told.catch(() => {});
        },
      });
    } finally {
      this.#isOver = true;
      if (this.#rootId !== undefined) this.#parts.feed.turn(this.#rootId);
      await this.#told;
    }
  }

  async #tell(rootId: string): Promise<void> {
    const { observe, room = () => undefined, signal = this.#noSignal } = this.#call;
    const parts = {
      ...this.#toReadParts(rootId),
      through: 'outcome',
      mayRead: () => true,
      isOver: () => this.#isOver,
    } as const;
    try {
      await relay(follow(rootId, 0, signal, parts), { observe, room });
    } catch (error) {
      this.#parts.log('error', 'a run could not be read for whoever started it', { run_id: rootId, error });
      throw answerLater(rootId);
    }
  }
}
