export { createLink, type Link } from './link.ts';
export {
  type Fault,
  fromFault,
  type ToOwner,
  type ToWorker,
  toFault,
} from './messages.ts';
export { OwnerCalls, type OwnerCallsOptions } from './owner-calls.ts';
export { type ServeCallsOptions, serveCalls } from './serve-calls.ts';
