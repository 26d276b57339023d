import type { Body } from '@waymark/contract/engine';
import { eventStreamType } from '@waymark/contract/http';
import type { Principal } from '@waymark/contract/principal';
import { essenceOf } from '@waymark/contract/route';
import { expiredEvent } from '../events/last-event.ts';
import type { StreamEnd } from './pump.ts';

/** Media types of streams that end when one side goes away, and not before. */
export const endlessTypes: readonly string[] = [eventStreamType, 'multipart/x-mixed-replace'];

/** Whether a body goes on until one side goes away. */
export function isEndless(body: Body): body is Extract<Body, { kind: 'stream' }> {
  return (
    body.kind === 'stream' && body.length === undefined && endlessTypes.includes(essenceOf(body.mediaType))
  );
}

/** Who a stream is for. */
interface Reader {
  readonly requestId: string;
  readonly principal: Principal | undefined;
}

/** When a stream without an end is ended: with the credential of its reader, as a socket is closed then. */
export function endOf(reader: Reader, body: Body): StreamEnd | undefined {
  const atMs = reader.principal?.expiresAtMs;
  if (atMs === undefined || !isEndless(body)) return undefined;
  return essenceOf(body.mediaType) === eventStreamType ? { atMs, last: expiredEvent(reader) } : { atMs };
}
