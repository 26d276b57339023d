import { readRetryAfter, toTrouble } from '../shell/admission.ts';
import type { Credentials } from '../shell/credentials.ts';
import { asksForKey, type Trouble } from '../shell/trouble.ts';
import type { ArrivedFrame } from './painter.ts';

/** What becomes of asking for pictures. */
export interface PollerEvents {
  onFrame(frame: ArrivedFrame): void;
  /** The picture that is there is still the newest. @param ageMs how old it is */
  onSame(ageMs: number): void;
  /** Why there is none, in the words of the server where it has some; undefined when there is one again. */
  onTrouble(text: string | undefined): void;
  /** It will be given none. */
  onRefused(trouble: Trouble): void;
}

const patienceMs = 30_000;
const longestWaitMs = 15_000;

/** Asks for the newest picture of a camera, again and again, and never while an answer is still to come. */
export class Poller {
  readonly #url: string;
  readonly #credentials: Credentials;
  readonly #events: PollerEvents;
  #perSecond: number;
  #tag: string | undefined;
  #failures = 0;
  #stop: AbortController | undefined;

  constructor(deviceUrl: string, credentials: Credentials, perSecond: number, events: PollerEvents) {
    this.#url = `${deviceUrl}/latest`;
    this.#credentials = credentials;
    this.#perSecond = perSecond;
    this.#events = events;
  }

  /** Between two requests, when all goes well. */
  get gapMs(): number {
    return 1000 / this.#perSecond;
  }

  setRate(perSecond: number): void {
    this.#perSecond = perSecond;
  }

  start(): void {
    if (this.#stop) return;
    this.#stop = new AbortController();
    void this.#askOn(this.#stop.signal);
  }

  stop(): void {
    this.#stop?.abort();
    this.#stop = undefined;
  }

  async #askOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const beganMs = performance.now();
      const waitMs = await this.#ask(signal);
      const spentMs = performance.now() - beganMs;
      await sleep(waitMs ?? Math.max(0, 1000 / this.#perSecond - spentMs), signal);
    }
  }

  /** @returns how long to wait; undefined: as the rate says */
  async #ask(signal: AbortSignal): Promise<number | undefined> {
    try {
      const response = await fetch(this.#url, {
        headers: {
          ...this.#credentials.forRequest(),
          ...(this.#tag !== undefined && { 'if-none-match': this.#tag }),
        },
        cache: 'no-store',
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      });
      return await this.#take(response);
    } catch {
      if (signal.aborted) return 0;
      this.#events.onTrouble('The server cannot be reached from here.');
      return this.#toWaitMs();
    }
  }

  async #take(response: Response): Promise<number | undefined> {
    const { status, headers } = response;
    const ageMs = Math.max(0, Number(headers.get('x-frame-age') ?? 0) || 0);
    if (status === 304) this.#events.onSame(ageMs);
    else if (status !== 200) return this.#fail(response);
    else {
      const image = await response.blob();
      this.#tag = headers.get('etag') ?? undefined;
      this.#events.onFrame({
        ...{ seq: Number(headers.get('x-frame-seq') ?? 0), mediaType: image.type },
        ...{ image, arrivedMs: performance.now(), ageMs },
      });
    }
    this.#failures = 0;
    this.#events.onTrouble(undefined);
    return undefined;
  }

  async #fail(response: Response): Promise<number> {
    const trouble = toTrouble(response.status, this.#credentials);
    if (trouble !== undefined && asksForKey(trouble)) {
      this.stop();
      this.#events.onRefused(trouble);
      return 0;
    }
    const body = (await response.json().catch(() => undefined)) as { readonly detail?: unknown } | undefined;
    const detail = typeof body?.detail === 'string' ? body.detail.slice(0, 300) : undefined;
    this.#events.onTrouble(
      detail === undefined ? 'The server has no picture now.' : `The server says: ${detail}`,
    );
    return Math.max(readRetryAfter(response) ?? 0, this.#toWaitMs());
  }

  /** Longer each time: a camera that is off is not asked every second. */
  #toWaitMs(): number {
    return Math.min(longestWaitMs, 1_000 * 2 ** this.#failures++);
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
