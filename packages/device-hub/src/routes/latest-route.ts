import { HTTPError, media, type Route, toRoute } from '@waymark/contract';
import { type EngineContext, RouteResponse } from '@waymark/contract/engine';
import type { FrameRecord } from '@waymark/contract/hub';
import { etag, ifNoneMatch } from '@waymark/contract/route';
import type { Device } from '../device/device.ts';
import {
  type LookInput,
  lookInput,
  pathOf,
  pullFails,
  type RouteParts,
  titleOf,
  toRead,
} from './route-parts.ts';

/** A picture that came from outside is shown, never run as a page of ours. */
export const pictureHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

/**
 * Makes `GET latest`: the bytes of the newest frame, or 304 to a client that has them. A camera that is pulled is asked
 * for it, but by a HEAD.
 */
export function latestRoute(parts: RouteParts): Route {
  const { settings, device } = parts;
  const answer = async ({ input, request, signal }: EngineContext): Promise<RouteResponse> => {
    const camera = device();
    const { max_age_ms: maxAgeMs } = input as LookInput;
    const frame = await camera.look({ maxAgeMs, pull: request.method !== 'HEAD', signal });
    if (!frame) throw noFrame(settings.name);
    return toPicture(camera, frame);
  };
  return toRoute(
    'GET',
    pathOf(parts, 'latest'),
    { kind: 'device', answer },
    {
      ...toRead(parts, {
        fails: [404, ...pullFails(settings)],
        reads: ifNoneMatch,
        sends: { ...etag, ...frameSends },
      }),
      input: lookInput,
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
export const frameSends = {
  'Last-Modified': 'When the frame came.',
  'X-Frame-Seq': 'Its `seq`.',
  'X-Frame-At': 'When it came, epoch milliseconds.',
  'X-Frame-Age': 'How old it is, milliseconds: since it came, or was fetched the last time and was the same.',
};

/** Makes the answer that is a frame. */
export function toPicture(device: Device, frame: FrameRecord): RouteResponse {
  const { bytes, mediaType } = frame;
  return new RouteResponse(200, { kind: 'bytes', bytes, mediaType }, toHeaders(device, frame));
}

function toHeaders(device: Device, frame: FrameRecord) {
  const { seq, atMs, mediaType } = frame;
  const { name } = device.settings;
  const ending = mediaType.slice(mediaType.indexOf('/') + 1);
  return {
    ...pictureHeaders,
    // Numbers begin again with each start of the hub.
    etag: `"${device.boot}-${seq}"`,
    'last-modified': new Date(atMs).toUTCString(),
    'cache-control': 'no-cache',
    'content-disposition': `inline; filename="${name}-${seq}.${ending}"`,
    'x-frame-seq': String(seq),
    'x-frame-at': String(atMs),
    'x-frame-age': String(device.ageMs(frame)),
  };
}
