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
  /** Steps of its run up to this number were stored when it began. */
  readonly after: number;
  /** The number of its step, once it was heard that it is stored: whoever reads the table may know that earlier. */
  ord: number | undefined;
  /** How many texts had ended when it did. */
  ends: number;
}

/** A step that a reader is about to be told. */
export interface NextStep {
  readonly run_id: string;
  readonly seq: number;
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

  /** @param after the number of the last step of the run that is stored; asked when a text begins */
  write(runId: string, { agent, text = '', restart }: WrittenPiece, after: () => number): void {
    const one = this.#open(runId) ?? this.#begin(runId, agent, after());
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
   * up to that of the step that it is told `next`, and of those that are still being written where there is none.
   */
  *read({ joins, since, places }: Reader, seen: number, next?: NextStep): Generator<Progress> {
    for (const one of places.keys()) if (!this.#texts.includes(one)) places.delete(one);
    const upto = next?.seq ?? Number.POSITIVE_INFINITY;
    const behind = new Set<string>();
    for (const one of [...this.#texts]) {
      const { runId, agent, omitted, restarts } = one;
      const ord = one.ord ?? (next && isOf(next, one) ? next.seq : Number.POSITIVE_INFINITY);
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

  #begin(runId: string, agent: string, after: number): Text {
    const begun = { runId, agent, text: '', omitted: 0, restarts: 0, after, ord: undefined, ends: 0 };
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

/** Whether a text that still counts as being written is what a step wrote that the table has already. */
function isOf({ run_id: runId, seq }: NextStep, text: Text): boolean {
  return text.runId === runId && text.after < seq;
}
