import type { HTTPError } from '@waymark/contract';
import { type ResponseHeaders, RouteResponse } from '@waymark/contract/engine';
import { faceHeaders } from '../face/face.ts';

/** Text of some type as an answer. */
export function bytesAnswer(
  text: string,
  mediaType: string,
  status: number,
  headers: ResponseHeaders,
): RouteResponse {
  const body = { kind: 'bytes', bytes: Buffer.from(text), mediaType: `${mediaType}; charset=utf-8` } as const;
  return new RouteResponse(status, body, headers);
}

/** A page of the service itself. */
export function pageAnswer(text: string, status = 200, headers: HTTPError['headers'] = {}): RouteResponse {
  return bytesAnswer(text, 'text/html', status, { ...headers, ...faceHeaders });
}

/** Leads a browser on, with another cookie than before. @param to a local path, checked */
export function ledOn(to: string, basePath: string, cookie: string): RouteResponse {
  const location = to === '/' ? `${basePath}/` : to;
  return new RouteResponse(303, { kind: 'empty' }, { location, 'set-cookie': cookie });
}
