import { type EngineRouteOptions, type Route, toRoute } from '@waymark/contract';
import type { EngineContext, Peer } from '@waymark/contract/engine';

/** A WebSocket route, as packages make them. */
export function socketRoute(
  path: string,
  options: EngineRouteOptions,
  accept: (peer: Peer, context: EngineContext) => void,
): Route {
  return toRoute('GET', path, { kind: 'device', accept }, { ...options, socket: true });
}
