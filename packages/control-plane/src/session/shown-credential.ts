import { HTTPError, type RouteRequest } from '@waymark/contract';
import type { Credentials } from '@waymark/contract/principal';
import { essenceOf } from '@waymark/contract/route';
import { localPath } from './local-path.ts';

/** What somebody signs in or out with, and how they are answered. */
export interface Shown {
  /** From a page without scripts, which is led on. */
  readonly form: boolean;
  readonly credentials: Credentials;
  /** A local path, checked. */
  readonly to: string;
}

/**
 * Reads what a session is asked for with: a credential in the headers where credentials are, in JSON, or in a form.
 *
 * @throws {HTTPError} 400 no such JSON, or two credentials · 415 another content type
 */
export function readShown(request: RouteRequest): Shown {
  const { 'x-api-key': key, authorization } = request.headers;
  const headers: Record<string, string> = {
    ...(key !== undefined && { 'x-api-key': key }),
    ...(authorization !== undefined && { authorization }),
  };
  const { form, credential, to } = readBody(request);
  if (credential !== undefined && Object.keys(headers).length > 0)
    throw new HTTPError(400, 'the credential is given twice, in a header and in the body');
  return {
    form,
    // Taken as a key or as a token, whichever it is.
    credentials: credential === undefined ? { headers } : { headers, accessToken: credential },
    to: localPath(to),
  };
}

/** Where a form without scripts leads, whatever else was sent: a local path, checked. */
export function readTo(request: RouteRequest): string {
  return localPath(isForm(request) ? fieldsOf(request).get('to') : undefined);
}

interface Read {
  readonly form: boolean;
  readonly credential?: string | undefined;
  readonly to?: string | undefined;
}

function readBody(request: RouteRequest): Read {
  if (request.body.length === 0) return { form: isForm(request) };
  if (isForm(request)) {
    const fields = fieldsOf(request);
    // What was pasted brings its line break.
    return {
      form: true,
      credential: (fields.get('credential') ?? '').trim(),
      to: fields.get('to') ?? undefined,
    };
  }
  if (essenceOf(request.headers['content-type'] ?? '') !== 'application/json')
    throw new HTTPError(415, 'a session is asked for in JSON, in a form, or without a body');
  const { credential } = Object(request.json()) as Readonly<Record<string, unknown>>;
  if (typeof credential !== 'string') throw new HTTPError(400, 'write {"credential": "…"}');
  return { form: false, credential };
}

function fieldsOf({ body }: RouteRequest): URLSearchParams {
  return new URLSearchParams(Buffer.from(body).toString());
}

function isForm({ headers }: RouteRequest): boolean {
  return essenceOf(headers['content-type'] ?? '') === 'application/x-www-form-urlencoded';
}
