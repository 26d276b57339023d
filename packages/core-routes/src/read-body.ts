import { type BodySource, HTTPError, type Route } from '@waymark/contract';
import { parseJson } from './parse-json.ts';

/** A body, read. */
export interface ReadBody {
  readonly bytes: Uint8Array;
  /** Undefined when the route takes bytes, or nothing was sent. */
  readonly content: unknown;
}

/**
 * Reads the body of a request as its route wants it. Only a route that declares JSON asks for a content type
 * (decision 2.6).
 *
 * @throws {HTTPError} 413 too large · 415 not JSON · 400 malformed JSON
 */
export async function readBody(source: BodySource, route: Route, signal: AbortSignal): Promise<ReadBody> {
  const { contentType, contentLength = 0 } = source;
  if (contentLength > route.maxBodyBytes)
    throw new HTTPError(413, `the body is larger than ${route.maxBodyBytes} bytes`);
  if (route.body === 'json' && contentType !== undefined && !isJson(contentType)) throw notJson(contentType);
  const bytes = await source.read(route.maxBodyBytes, signal);
  if (route.body !== 'json' || bytes.length === 0) return { bytes, content: undefined };
  if (contentType === undefined) throw notJson('none');
  return { bytes, content: parseJson(bytes) };
}

function isJson(contentType: string): boolean {
  const [essence = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return false;
  return /^application\/(?:[\w.-]+\+)?json$/.test(essence.trim());
}

function notJson(contentType: string): HTTPError {
  return new HTTPError(415, `the body must be application/json in UTF-8, not ${contentType}`);
}
