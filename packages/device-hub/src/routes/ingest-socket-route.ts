import { type Route, Type, toRoute } from '@waymark/contract';
import type { Host } from '@waymark/contract/engine';
import { maxReadingBytes } from '../device/read-reading.ts';
import { IngestSocket } from './ingest-socket.ts';
import { pathOf, type RouteParts, titleOf, toSend } from './route-parts.ts';

/** The socket `/ws` that a device sends over. */
export function ingestSocketRoute(parts: RouteParts, clock: Pick<Host, 'after'>): Route {
  const { settings, device } = parts;
  return toRoute(
    'GET',
    pathOf(parts, 'ws'),
    {
      kind: 'device',
      accept: (peer, context) => {
        const at = device();
        peer.onClose(at.holdOpen(peer));
        const receipts = (context.input as IngestQuery).receipts === '1';
        new IngestSocket({ device: at, peer, context, clock, receipts }).open();
      },
    },
    {
      ...toSend(parts),
      socket: true,
      // A larger message closes the socket (1009). A reading that is too long by less is told so.
      maxBodyBytes: Math.max(settings.frames?.maxFrameBytes ?? 0, 2 * maxReadingBytes),
      input: ingestQuery,
      // Misspelt, it would leave a device without its receipts.
      strictQuery: true,
      summary: `Send frames and readings of the ${titleOf(settings)}.`,
    },
  );
}

interface IngestQuery {
  readonly receipts?: '0' | '1';
}

const ingestQuery = { receipts: Type.Optional(Type.Union([Type.Literal('0'), Type.Literal('1')])) };
