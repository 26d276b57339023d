import { HTTPError } from '@waymark/contract';
import type { Cancel, Host, Partner } from '@waymark/contract/engine';
import type { OutboundResponse } from '@waymark/contract/http';
import type { CameraRequest } from './camera-request.ts';
import { MixedParts, mixedBoundary } from './mixed-parts.ts';
import { faultOf, pullError, toPullError } from './pull-error.ts';
import type { PullTurn } from './pull-turn.ts';
import { checkEnd, readPicture } from './read-picture.ts';
import { SharedPull } from './shared-pull.ts';

/** What a puller works with. */
export interface PullerParts {
  readonly device: string;
  readonly request: CameraRequest;
  readonly maxFps: number;
  readonly maxFrameBytes: number;
  /** For a whole picture, from the question to its last byte. */
  readonly timeoutMs: number;
  readonly host: Pick<Host, 'monotonic' | 'now' | 'after' | 'log'>;
  /** Among the processes that could ask. */
  readonly turn: Pick<PullTurn, 'take' | 'end'>;
  /** Takes a picture as the newest frame. @throws {HTTPError} it is none */
  take(bytes: Uint8Array): Promise<void>;
  /** A pull gave none. */
  missed(): void;
  /** Told how each pull goes. */
  readonly partner: Pick<Partner, 'answered' | 'failed'>;
}

/** How the pulls of a camera go. */
export interface PullFacts {
  /** The last one that gave a picture, epoch milliseconds. */
  readonly lastAtMs: number | null;
  /** Pulls in a row that have failed. */
  readonly failures: number;
  /** Why the last one failed. */
  readonly error: string | null;
}

/** A stream is let go when nobody has asked for so long. */
const lingerMs = 5_000;
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Fetches the pictures of a camera when somebody asks, never twice at a time and at most every 1/`maxFps`. A camera that
 * fails is left alone for longer each time. One that answers with a stream is read for as long as somebody looks.
 */
export class Puller {
  readonly #parts: PullerParts;
  readonly #everyMs: number;
  /** What everybody waits for who asks now. */
  #next: SharedPull | undefined;
  /** Ends what is under way. */
  #abort: AbortController | undefined;
  #lastAskedMs = Number.NEGATIVE_INFINITY;
  /** When the last picture was asked for, and of a stream when it came. */
  #lastPictureMs = Number.NEGATIVE_INFINITY;
  #lastAtMs: number | null = null;
  #failures = 0;
  #error: HTTPError | undefined;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #watchers = 0;
  #looking = false;
  #timer: Cancel | undefined;
  #stopped = false;

  constructor(parts: PullerParts) {
    this.#parts = parts;
    this.#everyMs = 1_000 / parts.maxFps;
  }

  get facts(): PullFacts {
    return { lastAtMs: this.#lastAtMs, failures: this.#failures, error: this.#error?.members.code ?? null };
  }

  /**
   * Settles once the newest frame is as new as the camera gives it to who asks now.
   *
   * @param signal of who asks; the pull goes on without them, since its picture is the next one for everybody
   * @throws {HTTPError} 502, 504 as `pullError`; with `Retry-After` while the camera is left alone
   */
  async fresh(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const nowMs = this.#parts.host.monotonic();
    this.#lastAskedMs = nowMs;
    if (this.#stopped) throw new HTTPError(503, 'the device hub is stopping');
    if (this.#error && nowMs < this.#retryAtMs) throw this.#leftAlone(this.#error, nowMs);
    if (!this.#error && nowMs - this.#lastPictureMs < this.#everyMs) return;
    if (!this.#abort) this.#begin();
    this.#next ??= new SharedPull();
    await this.#next.wait(signal);
  }

  /** Keeps the newest frame new, until it is cancelled. */
  watch(): Cancel {
    this.#watchers++;
    if (!this.#looking) this.#lookIn(0);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      if (--this.#watchers > 0 || !this.#timer) return;
      this.#timer();
      this.#timer = undefined;
      this.#looking = false;
    };
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
    this.#abort?.abort(new HTTPError(503, 'the device hub is stopping'));
  }

  #lookIn(ms: number): void {
    this.#looking = true;
    this.#timer = this.#parts.host.after(ms, async () => {
      this.#timer = undefined;
      // Those who watch see that nothing new comes; why is in the listing and in the log.
      await this.fresh().catch(() => {});
      this.#looking = this.#watchers > 0 && !this.#stopped;
      const dueMs = this.#error ? this.#retryAtMs : this.#lastPictureMs + this.#everyMs;
      if (this.#looking) this.#lookIn(Math.max(0, dueMs - this.#parts.host.monotonic()));
    });
  }

  #begin(): void {
    const abort = new AbortController();
    this.#abort = abort;
    this.#next = new SharedPull();
    this.#pull(abort).then(
      () => this.#end(undefined),
      (error: unknown) => this.#end(toPullError(this.#parts.device, error)),
    );
  }

  async #pull(abort: AbortController): Promise<void> {
    const { request, maxFrameBytes, turn, host } = this.#parts;
    const deadline = new Deadline(this.#parts, abort);
    try {
      if (!(await turn.take(abort.signal))) return this.#shown(host.monotonic());
      const startMs = host.monotonic();
      const response = await request.send(abort.signal);
      const boundary = mixedBoundary(response.headers['content-type'] ?? '');
      if (boundary !== undefined) {
        await this.#readStream(response, new MixedParts(boundary, maxFrameBytes), deadline);
      } else {
        const bytes = await readPicture(response, maxFrameBytes);
        await this.#take(bytes, startMs);
      }
    } finally {
      deadline.cancel();
      turn.end(this.#lastPictureMs + this.#everyMs - host.monotonic());
      // Of what was not read to its end, the connection is let go.
      abort.abort();
    }
  }

  /** Reads one picture after the other, and throws those away that come too fast. */
  async #readStream(
    { headers, body }: OutboundResponse,
    parts: MixedParts,
    deadline: Deadline,
  ): Promise<void> {
    const { device, host } = this.#parts;
    let taken = 0;
    const take = async (picture: Uint8Array | undefined): Promise<void> => {
      deadline.renew();
      const nowMs = host.monotonic();
      if (!picture || (taken > 0 && nowMs - this.#lastPictureMs < this.#everyMs)) return;
      taken++;
      await this.#take(picture, nowMs);
    };
    for await (const piece of body) {
      // Of several that came at once only the last is worth showing.
      const complete = parts.add(piece);
      if (complete.length === 0) continue;
      await take(complete.at(-1));
      if (this.#watchers === 0 && host.monotonic() - this.#lastAskedMs >= lingerMs) return;
    }
    const last = parts.end();
    if (last) checkEnd(headers, last);
    await take(last);
    if (taken === 0) throw pullError(device, 'camera_answer', new Error('a stream without a picture'));
  }

  async #take(bytes: Uint8Array, atMs: number): Promise<void> {
    const { host, take } = this.#parts;
    await take(bytes);
    this.#lastAtMs = host.now();
    this.#parts.partner.answered();
    this.#shown(atMs);
  }

  /** The newest frame is a new one. */
  #shown(atMs: number): void {
    this.#lastPictureMs = atMs;
    if (this.#failures > 0) this.#log('info', 'a camera answers again', { failures: this.#failures });
    this.#failures = 0;
    this.#error = undefined;
    const next = this.#next;
    this.#next = undefined;
    next?.resolve();
  }

  #end(error: HTTPError | undefined): void {
    this.#abort = undefined;
    const next = this.#next;
    this.#next = undefined;
    if (!error) {
      // A stream that ended between a question and its next picture: it is asked anew.
      if (next) this.fresh().then(next.resolve, next.reject);
      return;
    }
    if (!this.#stopped) this.#failed(error);
    next?.reject(error);
  }

  #failed(error: HTTPError): void {
    const { host, missed, partner } = this.#parts;
    const fault = faultOf(error);
    if (fault !== undefined) partner.failed(fault);
    if (this.#failures++ === 0)
      this.#log('warn', 'a camera gives no picture', { code: error.members.code, error: error.cause });
    this.#error = error;
    this.#retryAtMs = host.monotonic() + Math.max(pauseMs(this.#failures), this.#everyMs);
    missed();
  }

  #leftAlone(error: HTTPError, nowMs: number): HTTPError {
    const seconds = Math.max(1, Math.ceil((this.#retryAtMs - nowMs) / 1_000));
    const headers = { 'retry-after': String(seconds) };
    return new HTTPError(error.status, error.message, { ...error.members, cause: error, headers });
  }

  #log(level: 'info' | 'warn', message: string, fields: Readonly<Record<string, unknown>>): void {
    const { device, host } = this.#parts;
    host.log(level, message, { device, ...fields });
  }
}

/** Ends a pull that takes too long for one picture. */
class Deadline {
  readonly #parts: PullerParts;
  readonly #abort: AbortController;
  #timer: Cancel;

  constructor(parts: PullerParts, abort: AbortController) {
    this.#parts = parts;
    this.#abort = abort;
    this.#timer = this.#start();
  }

  /** A picture has come: so long for the next one. */
  renew(): void {
    this.#timer();
    this.#timer = this.#start();
  }

  cancel(): void {
    this.#timer();
  }

  #start(): Cancel {
    const { device, host, timeoutMs } = this.#parts;
    return host.after(timeoutMs, () => this.#abort.abort(pullError(device, 'camera_timeout')));
  }
}

/** Longer each time, and by chance, so that cameras that failed together are not asked together. */
function pauseMs(failures: number): number {
  const ms = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
  return ms * (0.75 + Math.random() / 4);
}
