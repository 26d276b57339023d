import { TurnLanes } from '@waymark/contract/engine';

/** Milliseconds of one turn of the event loop after which further requests wait for a later one. */
const turnMs = 4;

/**
 * Lanes of the requests of a door. Node hands over a request of each connection that has one before it does anything else: whoever
 * opens two hundred would be served two hundred times between two requests of somebody who has one.
 *
 * They hold one request of each open connection, which node holds as well; whoever leaves is taken out at once.
 */
export function requestLanes(): TurnLanes {
  return new TurnLanes({ turnMs });
}
