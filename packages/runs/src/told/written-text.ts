import type { Progress } from '@waymark/contract';
import type { WrittenPiece } from '@waymark/contract/runs';

/** Of all texts of a root together, characters. */
const keepLength = 65_536;

/** What is left when there is more: not every piece that comes is to cost a copy. */
const cutLength = 49_152;

/** Text that one step has written, or the end of it. */
interface Text {
  readonly runId: string;
  agent: string;
  text: string;
  /** Characters at its start that are not kept any more. */
  omitted: number;
  /** How often it began anew. */
  restarts: number;
  /** The number of its step, once that is stored. */
  ord: number | undefined;
  /** How many texts had ended when it did. */
  ends: number;
}

/** The place of a reader in one text. */
interface Place {
  readonly restarts: number;
  readonly at: number;
}

/** The places of one reader in a root's texts; given to `read` again and again. */
export interface Reader {
  /** Whoever reads from the beginning has no piece of anything: to others it is said where each text begins. */
  readonly joins: boolean;
  /** How many texts had ended when the reader came: it is told none of them. */
  readonly since: number;
  readonly places: Map<Text, Place>;
}

/**
 * The texts that the steps of one root are writing, within a bound: of a longer one its end. A text whose step is stored stays
 * for those who were reading it, as long as there is room.
 */
export class WrittenText {
  /** Oldest first; of each run one at most whose step is not stored. */
  #texts: Text[] = [];
  #length = 0;
  /** How many texts have ended. */
  ends = 0;

  get empty(): boolean {
    return this.#texts.length === 0;
  }

  write(runId: string, { agent, text = '', restart }: WrittenPiece): void {
    const one = this.#open(runId) ?? this.#begin(runId, agent);
    if (restart) {
      this.#length -= one.text.length;
      Object.assign(one, { text: '', omitted: 0, restarts: one.restarts + 1 });
    }
    one.agent = agent;
    one.text += text;
    this.#length += text.length;
    if (this.#length > keepLength) this.#cut(one);
  }

  /** A step of the run was stored: what it wrote is in it, or does not count. @param kept whether somebody was reading */
  end(runId: string, ord: number, kept: boolean): void {
    const one = this.#open(runId);
    if (!one) return;
    one.ord = ord;
    one.ends = ++this.ends;
    if (!kept) this.#remove(one);
  }

  /** Lets go of what is stored: nobody reads any more. */
  forgetStored(): void {
    for (const one of this.#texts.filter(({ ord }) => ord !== undefined)) this.#remove(one);
  }

  /** Lets go of what is not stored: nobody writes any more. */
  forgetOpen(): void {
    for (const one of this.#texts.filter(({ ord }) => ord === undefined)) this.#remove(one);
  }

  /**
   * What a reader has not been told: of one whose steps it has seen up to `seen`, the rest of texts whose steps have numbers
   * up to `upto`, and of those that are still being written where no limit is given.
   */
  *read(
    { joins, since, places }: Reader,
    seen: number,
    upto = Number.POSITIVE_INFINITY,
  ): Generator<Progress> {
    for (const one of places.keys()) if (!this.#texts.includes(one)) places.delete(one);
    const behind = new Set<string>();
    for (const one of [...this.#texts]) {
      const { ord = Number.POSITIVE_INFINITY, runId, agent, omitted, restarts } = one;
      // What a run writes next comes behind the step that it has stored.
      if (ord <= seen || ord > upto || behind.has(runId)) continue;
      if (one.ord !== undefined) behind.add(runId);
      if (one.ord !== undefined && one.ends <= since) continue;
      const place = places.get(one) ?? { restarts: joins ? -1 : 0, at: 0 };
      const anew = place.restarts !== restarts || place.at < omitted;
      const end = omitted + one.text.length;
      if (!anew && place.at === end) continue;
      const text = anew ? one.text : one.text.slice(place.at - omitted);
      places.set(one, { restarts, at: end });
      yield {
        event: 'delta',
        data: {
          run_id: runId,
          agent,
          ...(anew && { restart: true }),
          ...(anew && omitted > 0 && { omitted }),
          ...(text !== '' && { text }),
        },
      };
    }
  }

  #open(runId: string): Text | undefined {
    return this.#texts.find((one) => one.runId === runId && one.ord === undefined);
  }

  #begin(runId: string, agent: string): Text {
    const begun = { runId, agent, text: '', omitted: 0, restarts: 0, ord: undefined, ends: 0 };
    this.#texts.push(begun);
    return begun;
  }

  /** What is stored goes first, then the oldest, then the start of the newest. */
  #cut(newest: Text): void {
    const others = this.#texts.filter((one) => one !== newest);
    for (const one of others.filter(({ ord }) => ord !== undefined)) {
      if (this.#length <= keepLength) return;
      this.#remove(one);
    }
    for (const one of [...others, newest]) {
      const much = Math.min(one.text.length, this.#length - cutLength);
      one.text = one.text.slice(much);
      one.omitted += much;
      this.#length -= much;
    }
  }

  #remove(one: Text): void {
    this.#texts = this.#texts.filter((other) => other !== one);
    this.#length -= one.text.length;
  }
}
