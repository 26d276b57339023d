import { type Told, ToldTurn } from './told-turn.ts';
import type { ReaderOptions, Reading, Turn } from './turn-reader.ts';

/** The turns of one reader, over however many connections, and what it was told of them. */
export class ToldTurns {
  readonly #all: ToldTurn[] = [];
  readonly #onHeard: ReaderOptions['onHeard'];
  readonly #missesText: boolean;

  /** @param missesText the end of a text may be told to nobody, and it is not said where */
  constructor({ onHeard }: ReaderOptions, { missesText = false } = {}) {
    this.#onHeard = onHeard;
    this.#missesText = missesText;
  }

  /** Those that were told no end yet, in the order in which they were added. */
  get open(): readonly ToldTurn[] {
    return this.#all.filter(({ isOver }) => !isOver);
  }

  add(turn: Turn): { readonly told: ToldTurn; readonly ended: Promise<Reading> } {
    const told = new ToldTurn(turn, this.#missesText);
    this.#all.push(told);
    return { told, ended: told.ended };
  }

  /** Takes in a message. @returns the turn that it refuses for now, to be sent again */
  take(message: Told): ToldTurn | undefined {
    if (message.type === 'ready') return undefined;
    const turn = this.#turnOf(message);
    if (!turn) {
      for (const each of this.#all) each.blame(`nobody's message: ${JSON.stringify(message)}`);
      return undefined;
    }
    this.#onHeard(turn.turn);
    return turn.take(message) ? turn : undefined;
  }

  #turnOf({ run_id: runId, result, idempotency_key: key }: Told): ToldTurn | undefined {
    const root = (runId ?? result?.run_id)?.split('.')[0];
    return this.#all.find(({ turn, runId: own }) => turn.key === key || (root !== undefined && root === own));
  }
}
