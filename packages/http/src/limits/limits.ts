import type { LimitInForce } from '@waymark/contract/declaring';
import { maxUnheardBytes } from '../response/end-gently.ts';
import { lingerMs, maxLingering, maxLingeringPerAddress } from '../response/lingering.ts';
import { longLine } from '../server/line.ts';
import { headersTimeoutMs, keepAliveTimeoutMs, maxHeaderBytes } from '../server/server-options.ts';
import { maxHeaders } from '../server/too-many-headers.ts';
import { maxFragments } from '../socket/upgrades.ts';

/**
 * Limits of a listener that no option sets, for the security report.
 *
 * @param requestTimeoutMs for a whole request to arrive, which its headers cannot outlast
 */
export function listenerLimits(requestTimeoutMs: number): readonly LimitInForce[] {
  const headersMs = Math.min(headersTimeoutMs, requestTimeoutMs || headersTimeoutMs);
  return [
    { name: 'header_size', value: maxHeaderBytes, unit: 'bytes', note: 'all headers together' },
    { name: 'header_count', value: maxHeaders, unit: 'headers' },
    { name: 'header_time', value: headersMs / 1_000, unit: 's' },
    { name: 'keep_alive', value: keepAliveTimeoutMs / 1_000, unit: 's', note: 'an idle connection' },
    {
      name: 'sent_ahead',
      value: longLine,
      unit: 'requests',
      note: 'on one connection, behind the one it answers; what is behind them is read when fewer wait',
    },
    {
      name: 'last_answer_time',
      value: lingerMs / 1_000,
      unit: 's',
      note: 'that a connection stays behind its last answer, so that it is read',
    },
    {
      name: 'last_answers_per_address',
      value: maxLingeringPerAddress,
      unit: 'connections',
      note: 'that stay so; the oldest is cut for the next one',
    },
    { name: 'last_answers', value: maxLingering, unit: 'connections', note: 'the same of all addresses' },
    {
      name: 'refused_socket_bytes',
      value: maxUnheardBytes,
      unit: 'bytes',
      note: 'that are still read of a socket or upgrade that was refused',
    },
    {
      name: 'message_fragments',
      value: maxFragments,
      unit: 'fragments',
      note: 'of a message of a socket, and one more for each 4 KiB that it may have',
    },
  ];
}
