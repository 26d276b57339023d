import type { LimitInForce } from '@waymark/contract/declaring';
import { maxDeliveryBytes } from '@waymark/contract/stores';
import { longestMs } from './sender/schedule.ts';
import { places } from './sender/sender.ts';

/** Limits of what is sent to receivers. */
export function outboxLimits(): readonly LimitInForce[] {
  return [
    { name: 'webhook_message', value: maxDeliveryBytes, unit: 'bytes', note: 'longer texts are cut' },
    { name: 'webhook_requests', value: places.all, unit: 'requests', note: 'at once, one to each endpoint' },
    { name: 'webhook_time', value: longestMs / 3_600_000, unit: 'h', note: 'until a message is given up' },
  ];
}
