import { HTTPError } from '@waymark/contract';
import { withoutStack } from '@waymark/contract/engine';
import type { FullLimit } from '@waymark/contract/stores';

/** Upkeep makes room each minute, and what is not used for its time is room at once. */
const retryAfter = { 'retry-after': '60' };

/** Code and message of each limit that time makes room under. */
const limits: Readonly<Record<Exclude<FullLimit, 'session'>, readonly [code: string, message: string]>> = {
  own_sessions: [
    'sessions_full',
    'all of your sessions wait or are in use; go on with one of them, or cancel the run of one',
  ],
  sessions: [
    'sessions_full',
    'no more sessions are kept at the moment; go on with one that there is, or come again later',
  ],
  bytes: [
    'runs_full',
    'your runs hold as many bytes as are kept for one caller; come again when older ones are deleted',
  ],
};

/** The answer to a run that there is no room for: 429, and when to come again; 409 for a conversation that is full. */
export function noRoom(limit: FullLimit): HTTPError {
  if (limit === 'session')
    return new HTTPError(
      409,
      'as much was said in this session as one may hold; begin another one, or send reset: true',
      { code: 'session_full' },
    );
  const [code, message] = limits[limit];
  return withoutStack(() => new HTTPError(429, message, { code, headers: retryAfter }));
}
