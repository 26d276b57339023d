import { fencedScript as fenced, type RedisScript, redisScript as script } from './redis-script.ts';

/**
 * What is kept of a device is one hash: `s` the number given last, `h<slot>` and `b<slot>` the lines and bytes of the frames that
 * are kept, each in the slot of its number, `n` the slot of the newest, `t` the newest reading. A line begins with its number.
 *
 * Programs that tell or claim something are fenced: they have one argument more, which `RedisCommands.write` adds.
 */
export const hubScripts = {
  /**
   * KEYS device. ARGV head, bytes, frames to keep, milliseconds to keep, greatest number known, channel. Gives the number. The
   * bytes are told by themselves: to put them behind their line would copy them twice, half of what a frame costs here.
   */
  frame: fenced(`
local seq = redis.call('HINCRBY', KEYS[1], 's', 1)
local known = tonumber(ARGV[5])
if seq <= known then
  seq = known + 1
  redis.call('HSET', KEYS[1], 's', seq)
end
local head = string.format('%.0f', seq) .. '\\n' .. ARGV[1]
local slot = seq % tonumber(ARGV[3])
redis.call('HSET', KEYS[1], 'n', slot, 'h' .. slot, head, 'b' .. slot, ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('PUBLISH', ARGV[6], 'F' .. head)
redis.call('PUBLISH', ARGV[6] .. ':bytes', ARGV[2])
return seq`),

  /** KEYS device. ARGV reading, milliseconds to keep, channel. */
  telemetry: fenced(`
redis.call('HSET', KEYS[1], 't', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('PUBLISH', ARGV[3], 'T' .. ARGV[1])`),

  /** KEYS device. ARGV message, channel. */
  tell: fenced(`
return redis.call('PUBLISH', ARGV[2], ARGV[1])`),

  /** KEYS device. Gives the line and the bytes of the newest frame. */
  newest: script(`
local slot = redis.call('HGET', KEYS[1], 'n')
if not slot then return false end
return redis.call('HMGET', KEYS[1], 'h' .. slot, 'b' .. slot)`),

  /** KEYS device. ARGV greatest number known, milliseconds to keep. Numbers go on behind it. */
  raise: script(`
local seq = tonumber(redis.call('HGET', KEYS[1], 's') or '0')
if seq < tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 's', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1`),

  /** KEYS reports. ARGV reporter, report, milliseconds that it is good for. */
  report: fenced(`
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now + ARGV[3]) .. '\\n' .. ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return 1`),

  /** KEYS reports. Gives reporters and their reports in turn, and forgets those that are too old. */
  reports: script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local all = redis.call('HGETALL', KEYS[1])
local good = {}
for i = 1, #all, 2 do
  local ends = string.find(all[i + 1], '\\n', 1, true)
  local untilMs = ends and tonumber(string.sub(all[i + 1], 1, ends - 1))
  if untilMs and untilMs > now then
    good[#good + 1] = all[i]
    good[#good + 1] = string.sub(all[i + 1], ends + 1)
  else
    redis.call('HDEL', KEYS[1], all[i])
  end
end
return good`),

  /** KEYS claim. ARGV holder, milliseconds, 0 to let go. Gives 1 where it is the holder's. */
  claim: fenced(`
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
if tonumber(ARGV[2]) <= 0 then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`),
} as const satisfies Readonly<Record<string, RedisScript>>;
