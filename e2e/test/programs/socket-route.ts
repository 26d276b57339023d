import {
  type EngineContext,
  type EngineRouteOptions,
  type Peer,
  type Route,
  toRoute,
} from '@waymark/contract';

/** A WebSocket route, as packages make them. */
export function socketRoute(
  path: string,
  options: EngineRouteOptions,
  accept: (peer: Peer, context: EngineContext) => void,
): Route {
  return toRoute('GET', path, { kind: 'device', accept }, { ...options, socket: true });
}
