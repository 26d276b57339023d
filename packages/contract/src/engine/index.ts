export { Budget, type BudgetSize, type Hold, type UsedUp } from './budget.ts';
export type { Database } from './database.ts';
export type {
  Admission,
  ArgumentsInput,
  Call,
  CallInput,
  Dispatcher,
  Guard,
  Match,
  RequestInput,
  Router,
  Via,
} from './dispatch.ts';
export type { Engine, EngineContext } from './engine.ts';
export type { Host, Log, LogLevel } from './host.ts';
export { HostError } from './host-error.ts';
export type { InputError, ProblemMembers } from './http-error.ts';
export type { Awaitable, Cancel } from './json.ts';
export { isLastingOutage, type LastingOutage } from './lasting-outage.ts';
export { LaterWork, noteAccepted } from './later-work.ts';
export {
  type Body,
  type BodyReceiver,
  type BodySource,
  jsonResponse,
  problemResponse,
  type RequestUser,
  type ResponseHeaders,
  RouteResponse,
  toDetail,
  toErrorResponse,
} from './message.ts';
export { Partner, type PartnerFailure } from './partner.ts';
export { partnerFault } from './partner-fault.ts';
export { type PartnerKind, Partners, type PartnersParts } from './partners.ts';
export { type EncodedMessages, encodeMessages, type Peer } from './peer.ts';
export type { Boot, Plugin } from './plugin.ts';
export { parseQuery, type Query, readQuery } from './query.ts';
export type { Trouble } from './trouble.ts';
export { goingOn, TurnLanes, type TurnLanesOptions } from './turn-lanes.ts';
export { withoutStack } from './without-stack.ts';
