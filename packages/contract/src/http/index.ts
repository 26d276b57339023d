export { eventStreamType, keepAliveText, toEventText } from './event-stream-text.ts';
export { giveBack } from './give-back.ts';
export { type JsonLimits, jsonExcess } from './json-excess.ts';
export { matchesETag } from './matches-etag.ts';
export { mayNamePrototype } from './may-name-prototype.ts';
export { metadataAddresses } from './metadata-addresses.ts';
export type { Outbound, OutboundRequest, OutboundResponse } from './outbound.ts';
export { readRetryAfter } from './retry-after.ts';
export { wantsEvents } from './wants-events.ts';
