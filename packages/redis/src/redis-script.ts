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

/**
 * Makes one that does nothing once the clock of Redis is past its last argument, in milliseconds: whoever sent it may have been
 * told by then that it was not done. Gives whether it was done, the time of Redis, `now` in the program, and what the program
 * gives.
 */
export function fencedScript(lua: string): RedisScript {
  return redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[#ARGV]) then return { 0, now } end
local function act()
${lua}
end
return { 1, now, act() }`);
}
