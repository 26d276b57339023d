import { DeclarationError, HTTPError } from '@waymark/contract';
import { toProblems } from '@waymark/contract/declaring';
import type { Trouble } from '@waymark/contract/engine';
import type { HubBackend } from '@waymark/contract/hub';
import type { Redis } from 'ioredis';
import { RedisLine, surelyPatientMs } from './redis-line.ts';
import type { RedisScript } from './redis-script.ts';
import { parseRedisUrl } from './redis-url.ts';

/** Takes log lines; they hold no credentials. */
export type RedisLog = Parameters<NonNullable<HubBackend['open']>>[0];

/** What is asked of a Redis. */
export interface RedisCommandsParts {
  readonly url: string;
  /** Who asks, as in "the device hub", and how troubles call it. */
  readonly who: string;
  readonly code: string;
  readonly scripts: readonly RedisScript[];
  /** Makes the error of `open` where Redis refuses who comes. */
  readonly refused: ((rule: string, fix: string) => Error) | undefined;
  up?(): void;
}

/** Whether Redis has refused something lately, milliseconds: somebody who asks for health each second hears of it. */
const refusedForMs = 5_000;
/** One line of the log for what is refused in so long. */
const quietMs = 10_000;
const lastWordsMs = 500;
/** An answer in so long was not held up on its way: what came too late was sent with an old time. */
const promptMs = 1_000;
/** Where Redis does not tell its time. */
const never = 1e15;

/** Answers of Redis that no waiting puts right. */
const noEntrance = /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid (username|password)|ERR DB index)/i;

/** Runs the programs of one part of the service in Redis. Everything that fails is an answer for callers: 503. */
export class RedisCommands {
  readonly #parts: RedisCommandsParts;
  readonly #line: RedisLine;
  #log: RedisLog = () => {};
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #closed = false;
  /** What the clock of Redis was in its last answer that says so, milliseconds. */
  #redisMs: number | undefined;

  constructor(parts: RedisCommandsParts) {
    const { url, code, scripts, up } = parts;
    this.#parts = parts;
    this.#line = new RedisLine({
      place: parseRedisUrl(url),
      name: `waymark-${code}`,
      prepare: (redis) => {
        // It may be another one, with another clock.
        this.#redisMs = undefined;
        return Promise.all([this.#askTime(redis), ...scripts.map(({ lua }) => redis.script('LOAD', lua))]);
      },
      ask: (redis) => this.#askTime(redis),
      up: () => up?.(),
    });
  }

  get isUp(): boolean {
    return this.#line.isUp;
  }

  /** Connects, or says in the log that it cannot. @throws {DeclarationError} Redis refuses who comes */
  async open(log: RedisLog): Promise<void> {
    const { who, refused = toDeclarationError } = this.#parts;
    this.#log = log;
    await this.#line.open();
    if (this.isUp) return;
    const { error = 'no answer' } = this.#line;
    if (noEntrance.test(error)) {
      await this.close();
      throw refused(`its Redis refuses this service: ${error}`, refusedFix);
    }
    log('warn', `${who} cannot reach its Redis`, {
      error,
      fix: 'start it, or correct its URL; the service goes on without, and tries again',
    });
  }

  /**
   * Runs a program for one key.
   *
   * @throws {HTTPError} 503 closed, with `Retry-After` where Redis is out of reach or refuses
   */
  async run(
    script: RedisScript,
    key: string,
    ...args: readonly (string | number | Buffer)[]
  ): Promise<unknown> {
    return this.ask((redis) => redis.callBuffer('EVALSHA', [script.sha, 1, key, ...args])).catch(
      async (error: unknown) => {
        if (!(error instanceof HTTPError && isForgotten(error))) throw error;
        // Somebody has made Redis forget all programs.
        return this.ask((redis) => redis.callBuffer('EVAL', [script.lua, 1, key, ...args]));
      },
    );
  }

  /**
   * Runs a fenced program for one key: one that is done only as long as nobody was told that it was not. It has to be begun before
   * Redis would be given up, if the answer we have last were the last one.
   *
   * @throws {HTTPError} as `run` does · 503 `redis_busy`: it was held up for too long
   */
  async write(
    script: RedisScript,
    key: string,
    ...args: readonly (string | number | Buffer)[]
  ): Promise<unknown> {
    const { heldUp } = this.#line;
    if (heldUp) throw heldUp === 'slow' ? this.busy() : this.unreachable();
    for (let attempt = 1; ; attempt++) {
      const sentMs = performance.now();
      const untilMs = this.#redisMs === undefined ? never : this.#redisMs + surelyPatientMs;
      const answer = await this.run(script, key, ...args, untilMs);
      if (!isFenced(answer)) throw this.unreachable(new Error('no answer of a fenced program'));
      const [done, redisMs, value] = answer;
      this.#redisMs = redisMs;
      if (done === 1) return value;
      // This process stood still, or the clock of Redis was set: now both are known again.
      if (attempt > 1 || performance.now() - sentMs > promptMs) throw this.busy();
    }
  }

  /** What callers are told whose words are held up. */
  busy(): HTTPError {
    return new HTTPError(503, `Redis is too slow for what is asked of ${this.#parts.who}`, {
      code: 'redis_busy',
      headers: soon,
    });
  }

  /** Asks Redis anything. @throws {HTTPError} as `run` does */
  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.#closed) throw new HTTPError(503, `${this.#parts.who} is closed`);
    if (!this.isUp) throw this.unreachable();
    try {
      return await question(this.#line.redis);
    } catch (error) {
      throw this.#toHttpError(error);
    }
  }

  /** What callers are told while Redis is out of reach. */
  unreachable(cause?: Error): HTTPError {
    return new HTTPError(503, `${this.#parts.who} cannot reach its Redis`, {
      code: 'redis_unreachable',
      ...{ headers: soon, ...(cause && { cause }) },
    });
  }

  /** What is wrong, in so far as commands show it. */
  get troubles(): readonly Trouble[] {
    const { who, code } = this.#parts;
    if (this.#closed) return [];
    if (!this.isUp) return [goneTrouble(who, code)];
    if (performance.now() - this.#refusedAtMs > refusedForMs) return [];
    return [
      {
        code: `${code}-redis-refuses`,
        message: `Redis refuses what ${who} asks of it: its memory is full (maxmemory), or a right is missing; the log has its answer.`,
      },
    ];
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#line.close(lastWordsMs);
  }

  async #askTime(redis: Redis): Promise<void> {
    const [secs = 0, micros = 0] = await redis.time();
    this.#redisMs = Number(secs) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  /** The library's own errors carry what was asked, pictures and passwords included: they go no further. */
  #toHttpError(error: unknown): HTTPError {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const cause = new Error(message);
    if (name !== 'ReplyError') return this.unreachable(cause);
    const { who } = this.#parts;
    if (!isForgotten({ cause })) this.#refuse(message);
    return new HTTPError(503, `Redis refuses what ${who} asks of it`, {
      code: 'redis_refused',
      ...{ headers: soon, cause },
    });
  }

  #refuse(error: string): void {
    const nowMs = performance.now();
    this.#refusedAtMs = nowMs;
    if (nowMs - this.#loggedAtMs < quietMs) return;
    this.#loggedAtMs = nowMs;
    this.#log('error', `Redis refuses what ${this.#parts.who} asks of it`, { error });
  }
}

/** What health says while there is no connection. */
export function goneTrouble(who: string, code: string): Trouble {
  return {
    code: `${code}-redis-gone`,
    message: `${upperFirst(who)} cannot reach its Redis: start it, or correct its URL; it is tried again all the time.`,
  };
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const refusedFix = 'correct name, password and database in the URL';

function toDeclarationError(rule: string, fix: string): Error {
  return new DeclarationError(toProblems('redis', undefined, [{ code: 'redis-refused', rule, fix }]));
}

/** It may be back with the next attempt to reach it. */
const soon = { 'retry-after': '1' } as const;

function isFenced(answer: unknown): answer is readonly [done: number, redisMs: number, value: unknown] {
  return Array.isArray(answer) && typeof answer[0] === 'number' && typeof answer[1] === 'number';
}

function isForgotten({ cause }: { readonly cause?: unknown }): boolean {
  return cause instanceof Error && cause.message.startsWith('NOSCRIPT');
}
