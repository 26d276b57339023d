import type { Log, Trouble } from '@waymark/contract/engine';

/** Tells what is wrong with one part of the service; takes no time to speak of. */
export type TroubleSource = () => readonly Trouble[];

/** How often somebody looks, when nobody asks for health. */
const lookMs = 1_000;

/** What a list of troubles works with. */
export interface TroubleListParts {
  readonly log: Log;
  /** Milliseconds of a clock that is never set; default: `performance.now`. */
  readonly monotonic?: () => number;
}

/** What is wrong with a service, from all of its parts; logged when it begins, and when it is over. */
export class TroubleList {
  readonly #sources: readonly TroubleSource[];
  readonly #parts: Required<TroubleListParts>;
  readonly #begunMs = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(sources: readonly TroubleSource[], parts: TroubleListParts) {
    this.#sources = sources;
    this.#parts = { monotonic: () => performance.now(), ...parts };
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), lookMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** What is wrong now; of two that say the same, the first. */
  look(): readonly Trouble[] {
    const { log, monotonic } = this.#parts;
    const found = new Map<string, Trouble>();
    for (const trouble of this.#sources.flatMap((source) => this.#ask(source)))
      if (!found.has(trouble.code)) found.set(trouble.code, trouble);
    const nowMs = monotonic();
    for (const [code, { message, outside = false }] of found) {
      if (this.#begunMs.has(code)) continue;
      this.#begunMs.set(code, nowMs);
      if (outside) log('warn', 'somebody outside is in trouble', { code, trouble: message });
      else log('error', 'the service is in trouble', { code, trouble: message });
    }
    for (const [code, begunMs] of this.#begunMs) {
      if (found.has(code)) continue;
      this.#begunMs.delete(code);
      log('info', 'a trouble is over', { code, lasted_ms: Math.round(nowMs - begunMs) });
    }
    return [...found.values()];
  }

  /** A plugin whose own code fails here must not end the process. */
  #ask(source: TroubleSource): readonly Trouble[] {
    try {
      return source();
    } catch (error) {
      if (!this.#begunMs.has(unknown.code))
        this.#parts.log('error', 'a part of the service cannot say how it is', { error });
      return [unknown];
    }
  }
}

const unknown: Trouble = {
  code: 'condition-unknown',
  message: 'A part of the service cannot say how it is: the log has the reason.',
};
