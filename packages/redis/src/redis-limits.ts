import { createHash } from 'node:crypto';
import type { Trouble } from '@waymark/contract/engine';
import type { SharedLimits, Taken } from '@waymark/contract/http';
import { RedisCommands, type RedisLog } from './redis-commands.ts';
import { redisScript } from './redis-script.ts';

/** Options of limits in Redis. */
export interface RedisLimitsOptions {
  /** As that of `createRedisBackend`. */
  readonly url: string;
  /** In front of all keys, with a colon behind it: the services of one name share their limits. Default: `waymark`. */
  readonly prefix?: string;
  /** Of a caller in the long run, above 0. */
  readonly perSecond: number;
  /** Of a caller at once, 1 or more. */
  readonly burst: number;
  /** Makes the error of `open` where Redis refuses who comes; default: a `DeclarationError`. */
  readonly refused?: (rule: string, fix: string) => Error;
}

/** Rate limits that several instances share, between `open` and `close`. While Redis cannot say in time, `take` gives undefined. */
export interface RedisLimits extends SharedLimits {
  /** As that of a hub's backend. */
  open(log: RedisLog): Promise<void>;
  troubles(): readonly Trouble[];
  close(): Promise<void>;
}

/** Makes the limits of callers that are counted in Redis, exactly, whichever instance is asked. */
export function createRedisLimits(options: RedisLimitsOptions): RedisLimits {
  return new LimitsInRedis(options);
}

/** A request waits so long for Redis; then whoever asks decides for itself, and so for those behind it until Redis has answered. */
const patienceMs = 250;

/**
 * KEYS bucket. ARGV cost, tokens a second, tokens at once. Gives whether it was taken, what is left, and whole seconds until the
 * bucket is full and until as much could be taken. By the clock of Redis, which is one; set back, it adds nothing.
 */
const take = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local rate, burst = tonumber(ARGV[2]), tonumber(ARGV[3])
local cost = math.min(tonumber(ARGV[1]), burst)
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(kept[1]) or burst, tonumber(kept[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) / 1000 * rate)
local taken = tokens >= cost - 1e-6
if taken then tokens = math.max(0, tokens - cost) end
local function seconds(wanted)
  local missing = wanted - tokens
  if missing <= 1e-6 then return 0 end
  return math.ceil(missing / rate - 1e-6)
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.9f', tokens), 'at', string.format('%.3f', math.max(at, now)))
redis.call('PEXPIRE', KEYS[1], math.min(86400000, math.ceil((burst - tokens) / rate * 1000) + 1000))
return { taken and 1 or 0, math.floor(tokens + 1e-6), seconds(burst), taken and 0 or seconds(cost) }`);

class LimitsInRedis implements RedisLimits {
  readonly #options: RedisLimitsOptions;
  readonly #commands: RedisCommands;
  /** Questions that were given up and have no answer yet. */
  #late = 0;

  constructor(options: RedisLimitsOptions) {
    this.#options = options;
    const { url, refused } = options;
    this.#commands = new RedisCommands({
      url,
      refused,
      who: 'the rate limit',
      code: 'rate',
      scripts: [take],
    });
  }

  open(log: RedisLog): Promise<void> {
    return this.#commands.open(log);
  }

  troubles(): readonly Trouble[] {
    return this.#commands.troubles;
  }

  close(): Promise<void> {
    return this.#commands.close();
  }

  async take(limit: 'rate' | 'failures', key: string, cost: number): Promise<Taken | undefined> {
    if (!this.#commands.isUp || this.#late > 0) return undefined;
    const { prefix = 'waymark', perSecond, burst } = this.#options;
    // Names and addresses of callers are of any length, and nobody else's business.
    const caller = createHash('sha256').update(key).digest('base64url');
    const asked = this.#commands.run(take, `${prefix}:${limit}:{${caller}}`, cost, perSecond, burst).then(
      toTaken,
      // Health says so.
      () => undefined,
    );
    return this.#inTime(asked);
  }

  #inTime(asked: Promise<Taken | undefined>): Promise<Taken | undefined> {
    return new Promise((resolve) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        this.#late++;
        resolve(undefined);
      }, patienceMs);
      void asked.then((taken) => {
        clearTimeout(timer);
        if (late) this.#late--;
        resolve(taken);
      });
    });
  }
}

function toTaken(answer: unknown): Taken | undefined {
  if (!Array.isArray(answer)) return undefined;
  const [taken, left, untilFull, seconds] = answer.map(Number);
  return { taken: taken === 1, left: left ?? 0, untilFull: untilFull ?? 0, seconds: seconds ?? 0 };
}
