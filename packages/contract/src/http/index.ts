export { acceptWeights } from './accept-weights.ts';
export { eventStreamType, keepAliveText, toEventText } from './event-stream-text.ts';
export { giveBack } from './give-back.ts';
export { type JsonLimits, jsonExcess, jsonExcessPieces } from './json-excess.ts';
export { jsonPieces } from './json-pieces.ts';
export { matchesETag } from './matches-etag.ts';
export { mayNamePrototype } from './may-name-prototype.ts';
export { metadataAddresses } from './metadata-addresses.ts';
export { isMetadataHost } from './metadata-hosts.ts';
export type { Outbound, OutboundRequest, OutboundResponse } from './outbound.ts';
export type { ProblemPage, ShownProblem, ToProblemPage } from './problem-page.ts';
export { readRetryAfter } from './retry-after.ts';
export type { SharedLimits, Taken } from './shared-limits.ts';
export {
  markUnkept,
  markUnkeptPieces,
  quoteUnkept,
} from './unkept-number.ts';
export { wantsEvents } from './wants-events.ts';
