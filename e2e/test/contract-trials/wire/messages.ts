/**
 * What travels between a worker and the owner. A call is its route's name and its input; what a call holds of functions
 * becomes messages: the signal there, progress, charges and the reading of the body back.
 */
import { HTTPError, type Progress } from '@waymark/contract';
import {
  type ArgumentsInput,
  type Body,
  type BodySource,
  type Call,
  type RequestInput,
  type ResponseHeaders,
  toErrorResponse,
} from '@waymark/contract/engine';

/** One end of a pipe whose messages arrive whole and in order; bytes may be in them. */
export interface Pipe<Out, In> {
  send(message: Out): void;
  onMessage(listener: (message: In) => void): void;
  onClose(listener: () => void): void;
}

/** A call without its functions. */
export interface WireCall extends Pick<Call, 'principal' | 'via' | 'requestId' | 'clientAddress'> {
  readonly route: string;
  /** What is left until its deadline, milliseconds: no process knows the monotonic clock of another. */
  readonly leftMs?: number;
  readonly input: ArgumentsInput | (Omit<RequestInput, 'body'> & { readonly body: WireSource });
}

/** What is known of a body that nobody has read. */
export type WireSource = Pick<BodySource, 'contentType' | 'contentLength'>;

/** From the worker. Every message names its call. */
export type ToOwner = { readonly id: number } & (
  | { readonly type: 'call'; readonly call: WireCall }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'charged'; readonly charge: number; readonly fault: Fault | undefined }
  | { readonly type: 'body'; readonly bytes: Uint8Array }
  | { readonly type: 'body-failed'; readonly fault: Fault }
  | { readonly type: 'pull' }
  | { readonly type: 'cancel' }
);

/** From the owner. */
export type ToWorker = { readonly id: number } & (
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'charge'; readonly charge: number; readonly cost: number }
  | { readonly type: 'read'; readonly limit: number }
  | ({ readonly type: 'response' } & WireResponse)
  /** Without bytes: the end. */
  | { readonly type: 'chunk'; readonly bytes: Uint8Array | undefined }
  | { readonly type: 'broken' }
);

/** A response; the bytes of a stream follow, one chunk for each pull. */
export interface WireResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body:
    | Exclude<Body, { readonly kind: 'stream' }>
    | Omit<Extract<Body, { readonly kind: 'stream' }>, 'stream'>;
}

/** An `HTTPError` as it travels. */
export interface Fault {
  readonly status: number;
  readonly message: string;
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export function toFault(error: unknown): Fault {
  const { status, body, headers } = toErrorResponse(error);
  const { detail, code } = body.kind === 'problem' ? body : { detail: 'internal error' };
  // An `HTTPError` has no lists.
  return { status, message: detail, code, headers: headers as Fault['headers'] };
}

export function fromFault({ status, message, code, headers }: Fault): HTTPError {
  return new HTTPError(status, message, { headers, ...(code !== undefined && { code }) });
}
