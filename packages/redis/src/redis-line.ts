import { Redis } from 'ioredis';
import type { RedisPlace } from './redis-url.ts';

/** What a line is told, and tells. */
export interface RedisLineParts {
  readonly place: RedisPlace;
  /** As Redis lists its clients. */
  readonly name: string;
  /** Done with each new connection before anybody else uses it. */
  prepare?(redis: Redis): Promise<unknown>;
  /** Asks the other side whether it is there; default: PING. */
  ask?(redis: Redis): Promise<unknown>;
  /** There is a connection again, or for the first time. */
  up(): void;
  /** There is none any more. */
  down?(): void;
}

/** How often the other side is asked whether it is there; it is gone once it left so many turns unanswered. */
const askMs = 1_000;
const mostUnanswered = 3;
/**
 * Nobody is refused because Redis is silent before it has been for so long, whatever it answered last: what has reached it by
 * then may still be done. A tenth of a second less than the turns, for how exact timers are, and the clocks of two machines.
 */
export const surelyPatientMs = (mostUnanswered + 1) * askMs - 100;
/** Behind a question that is older nothing more is asked: it would hardly be done in time. */
const heldUpTurns = 2;
/** The longest between two attempts to connect. */
const longestPauseMs = 1_000;
const connectTimeoutMs = 3_000;

/**
 * One connection to Redis that comes back by itself. Nothing waits for it: what is asked while there is none fails at once,
 * and so does what was under way when it broke, since nobody knows whether it was done.
 */
export class RedisLine {
  readonly redis: Redis;
  readonly #parts: RedisLineParts;
  readonly #timer: NodeJS.Timeout;
  #up = false;
  /** Counted in turns of the timer and not by a clock: a process that stood still has not read the answer yet. */
  #unanswered = 0;
  /** Turns since the question was asked that has no answer yet, however much moves. */
  #age = 0;
  #moved = { read: 0, sent: 0, waiting: 0 };
  #error: string | undefined;
  #tried: (() => void) | undefined;

  constructor(parts: RedisLineParts) {
    const { place, name } = parts;
    const { tls, ...where } = place;
    this.#parts = parts;
    this.redis = new Redis({
      ...where,
      ...(tls && { tls: { servername: place.host } }),
      connectionName: name,
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      connectTimeout: connectTimeoutMs,
      disableClientInfo: true,
      retryStrategy: (times) =>
        Math.min(longestPauseMs, 50 * 2 ** Math.min(times, 8)) * (0.75 + Math.random() / 4),
    });
    this.redis.on('error', (error: Error) => {
      this.#error = error.message;
      this.#tried?.();
    });
    this.redis.on('ready', () => void this.#prepare());
    this.redis.on('close', () => this.#lose());
    this.#timer = setInterval(() => this.#ask(), askMs).unref();
  }

  get isUp(): boolean {
    return this.#up;
  }

  /** Whether what was asked seconds ago has no answer yet: nothing moves any more, or not fast enough. */
  get heldUp(): 'silent' | 'slow' | undefined {
    if (this.#age <= heldUpTurns) return undefined;
    return this.#unanswered > heldUpTurns ? 'silent' : 'slow';
  }

  /** Why there is no connection, as far as is known. It holds no credentials. */
  get error(): string | undefined {
    return this.#error;
  }

  /** Connects. Resolves when the first attempt has come to an end, whichever. */
  async open(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const first = new Promise<void>((resolve) => {
      this.#tried = resolve;
      timer = setTimeout(resolve, connectTimeoutMs);
    });
    // What became of it is told by the events.
    this.redis.connect().catch(() => {});
    await first;
    clearTimeout(timer);
    this.#tried = undefined;
  }

  /** Lets what is under way come to its end, for as long as it may take. */
  async close(withinMs: number): Promise<void> {
    clearInterval(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    if (this.#up) await Promise.race([this.redis.quit().catch(() => {}), late]);
    clearTimeout(timer);
    this.#up = false;
    this.redis.disconnect();
  }

  async #prepare(): Promise<void> {
    try {
      await this.#parts.prepare?.(this.redis);
    } catch (error) {
      // The connection broke, and comes back; or Redis refuses, which its next answers say as well.
      this.#error = error instanceof Error ? error.message : String(error);
      if (this.redis.status !== 'ready') return;
    }
    this.#unanswered = 0;
    this.#age = 0;
    this.#error = undefined;
    this.#up = true;
    this.#parts.up();
    this.#tried?.();
  }

  #ask(): void {
    if (!this.#up) return;
    if (this.#unanswered > 0) this.#age++;
    // A question behind many pictures is answered behind them: as long as they move, somebody is there.
    const hasMoved = this.#hasMoved();
    if (hasMoved && this.#unanswered > 0) {
      this.#unanswered = 1;
      return;
    }
    if (this.#unanswered > mostUnanswered) {
      this.#error = 'Redis does not answer';
      this.#lose();
      this.redis.disconnect(true);
      // Else those who wait are told two seconds later, when nobody has said goodbye.
      this.redis.stream.destroy();
      return;
    }
    if (this.#unanswered++ > 0) return;
    const { ask = (redis) => redis.ping() } = this.#parts;
    ask(this.redis).then(
      () => {
        this.#unanswered = 0;
        this.#age = 0;
      },
      () => {
        // Who closed the connection says so.
      },
    );
  }

  /** Whether there was an answer, or the other side has made room for what waits here: what the system takes at once says nothing. */
  #hasMoved(): boolean {
    const { bytesRead: read, bytesWritten, writableLength: waiting } = this.redis.stream;
    const sent = bytesWritten - waiting;
    const before = this.#moved;
    this.#moved = { read, sent, waiting };
    return read !== before.read || (before.waiting > 0 && sent !== before.sent);
  }

  #lose(): void {
    if (!this.#up) return;
    this.#up = false;
    this.#parts.down?.();
  }
}
