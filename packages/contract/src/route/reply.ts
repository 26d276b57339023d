import type { ResponseHeaders } from '../engine/message.ts';

/**
 * An answer with status, headers and content type: `new Reply(body, status, headers, contentType)`, the specification's
 * Response. It has another name because a class named Response would silently fall back to the web's when an import is
 * forgotten.
 */
export class Reply<S extends number = number, B = unknown> {
  readonly body: B;
  readonly status: S;
  readonly headers: ResponseHeaders;
  readonly contentType: string;

  /**
   * @param body nothing is an empty answer; JSON with the content type `application/json` or `…+json`; else text, bytes or a stream, sent as they are
   * @param headers lower-cased names; they win over headers of the same name that the server sets; several cookies are a list
   */
  constructor(
    body: B = undefined as B,
    status: S = 200 as S,
    headers: ResponseHeaders = {},
    contentType = 'application/json',
  ) {
    this.body = body;
    this.status = status;
    this.headers = headers;
    this.contentType = contentType;
  }
}

/** Answers with a status; typed by the outputs the route declares: `reply(404, { title: 'no such ticket' })`. */
export function reply<const S extends number, B>(
  status: S,
  body: B,
  headers: ResponseHeaders = {},
): Reply<S, B> {
  return new Reply(body, status, headers);
}
