import { createHash } from 'node:crypto';

/** A program that Redis runs as one step. */
export interface RedisScript {
  readonly lua: string;
  /** What Redis calls it by. */
  readonly sha: string;
}

/** Makes one of its text. */
export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}
