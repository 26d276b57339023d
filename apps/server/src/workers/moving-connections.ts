import type { IncomingMessage } from 'node:http';
import type { Route } from '@waymark/contract';
import type { Router } from '@waymark/contract/engine';
import { wantsEvents } from '@waymark/contract/http';
import { answersOf, essenceOf, mediaTypeOf } from '@waymark/contract/route';

/** A body from here on is not sent from process to process. */
const largeBytes = 32 * 1024;

/**
 * Tells the requests whose connections move to the owner: upgrades, streams without an end, and large bodies for devices.
 * Other calls of owner routes travel by themselves, so that a connection that many share stays where it is.
 */
export function movesConnection(
  router: Router,
  owns: (route: Route) => boolean,
): (req: IncomingMessage) => boolean {
  const endless = new WeakMap<Route, boolean>();
  return ({ method = 'GET', url = '/', headers }) => {
    const upgrade = headers.upgrade?.toLowerCase() === 'websocket';
    const end = url.indexOf('?');
    const match = router.match(method, end === -1 ? url : url.slice(0, end), upgrade);
    if (!match.found || !owns(match.route)) return false;
    const { route } = match;
    if (upgrade) return true;
    if (route.facts.device !== undefined && method !== 'GET') return isLarge(headers);
    if (method !== 'GET') return false;
    if (route.facts.feed) return true;
    let streams = endless.get(route);
    if (streams === undefined) {
      streams = answersEndlessly(route);
      endless.set(route, streams);
    }
    return streams || (route.progress && wantsEvents(headers.accept));
  };
}

function isLarge({
  'content-length': length,
  'transfer-encoding': encoding,
}: IncomingMessage['headers']): boolean {
  return encoding !== undefined || Number(length ?? 0) >= largeBytes;
}

const endlessTypes = ['text/event-stream', 'multipart/x-mixed-replace'];

function answersEndlessly(route: Route): boolean {
  return Object.entries(answersOf(route))
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, schemas]) => schemas)
    .some((schema) => endlessTypes.includes(essenceOf(mediaTypeOf(schema) ?? '')));
}
