import { HTTPError, media, type Route, toRoute } from '@waymark/contract';
import { RouteResponse } from '@waymark/contract/engine';
import type { FrameRecord } from '@waymark/contract/hub';
import { etag, ifNoneMatch } from '@waymark/contract/route';
import { pathOf, type RouteParts, titleOf, toRead } from './route-parts.ts';

/** A picture that came from outside is shown, never run as a page of ours. */
export const pictureHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

/** Makes `GET latest`: the bytes of the newest frame, or 304 to a client that has them. */
export function latestRoute(parts: RouteParts): Route {
  const { settings, device } = parts;
  const answer = async (): Promise<RouteResponse> => {
    const camera = device();
    const frame = await camera.newest();
    if (!frame) throw noFrame(settings.name);
    const { bytes, mediaType } = frame;
    return new RouteResponse(
      200,
      { kind: 'bytes', bytes, mediaType },
      toHeaders(settings.name, camera.boot, frame),
    );
  };
  return toRoute(
    'GET',
    pathOf(parts, 'latest'),
    { kind: 'device', answer },
    {
      ...toRead(parts, { fails: [404], reads: ifNoneMatch, sends: { ...etag, ...frameSends } }),
      summary: `The bytes of the newest frame of the ${titleOf(settings)}.`,
      output: media('image/*'),
    },
  );
}

/** The answer while no frame has come. */
export function noFrame(device: string): HTTPError {
  return new HTTPError(404, `no frame has come from "${device}" yet`);
}

/** What the answer says of the frame. */
const frameSends = {
  'Last-Modified': 'When the frame came.',
  'X-Frame-Seq': 'Its `seq`.',
  'X-Frame-At': 'When it came, epoch milliseconds.',
};

function toHeaders(device: string, boot: string, { seq, atMs, mediaType }: FrameRecord) {
  const ending = mediaType.slice(mediaType.indexOf('/') + 1);
  return {
    ...pictureHeaders,
    // Numbers begin again with each start of the hub.
    etag: `"${boot}-${seq}"`,
    'last-modified': new Date(atMs).toUTCString(),
    'cache-control': 'no-cache',
    'content-disposition': `inline; filename="${device}-${seq}.${ending}"`,
    'x-frame-seq': String(seq),
    'x-frame-at': String(atMs),
  };
}
