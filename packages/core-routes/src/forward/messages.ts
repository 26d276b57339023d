import { HTTPError, type Progress } from '@waymark/contract';
import {
  type ArgumentsInput,
  type Body,
  type BodySource,
  type Call,
  type ProblemMembers,
  type RequestInput,
  type ResponseHeaders,
  toErrorResponse,
} from '@waymark/contract/engine';

/** A call without its functions: those become messages. */
export interface WireCall
  extends Pick<
    Call,
    'principal' | 'via' | 'requestId' | 'clientAddress' | 'browser' | 'idempotencyKey' | 'transient' | 'memo'
  > {
  /** The name of the route: both sides made their tables of the same declarations. */
  readonly route: string;
  /** What is left until its deadline, milliseconds: no process knows the monotonic clock of another. */
  readonly leftMs?: number;
  /** Whether somebody listens to its progress, and whether its rate bucket is asked. */
  readonly observed: boolean;
  readonly charged: boolean;
  readonly input: ArgumentsInput | (Omit<RequestInput, 'body'> & { readonly body: WireSource });
}

/** What is known of a body that nobody has read. */
export type WireSource = Pick<BodySource, 'contentType' | 'contentLength'>;

/** From the worker that a call came to. Every message names its call. */
export type ToOwner = { readonly id: number } & (
  | { readonly type: 'call'; readonly call: WireCall }
  | { readonly type: 'abort'; readonly reason: string }
  /** The caller wants no more of it. */
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'charged'; readonly charge: number; readonly fault: Fault | undefined }
  /** A piece of the body that was asked for; the last one has none of the next. */
  | { readonly type: 'piece'; readonly bytes: Uint8Array; readonly last: boolean }
  | { readonly type: 'body-failed'; readonly fault: Fault }
  /** Whoever observes has taken so many events. */
  | { readonly type: 'taken' }
  /** The next chunk of the answer is wanted, or none any more. */
  | { readonly type: 'pull' }
  | { readonly type: 'drop' }
);

/** From the owner. */
export type ToWorker = { readonly id: number } & (
  | { readonly type: 'run'; readonly runId: string }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'charge'; readonly charge: number; readonly cost: number }
  /** The whole body is wanted, so many bytes at most; or the next piece of it, or no more. */
  | { readonly type: 'read'; readonly limit: number }
  | { readonly type: 'next' }
  | { readonly type: 'enough' }
  | ({ readonly type: 'response' } & WireResponse)
  /** A piece of the answer; without bytes its end. */
  | { readonly type: 'chunk'; readonly bytes: Uint8Array | undefined }
  | { readonly type: 'broken' }
);

/** A response; the bytes of a stream follow, one chunk for each that is pulled. */
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
  readonly members: ProblemMembers;
  readonly headers: Readonly<Record<string, string>>;
}

/** The fault that stands for an error: what is no `HTTPError` is `internal error`. */
export function toFault(error: unknown): Fault {
  if (error instanceof HTTPError) {
    const { status, message, members, headers } = error;
    return { status, message, members, headers };
  }
  const { status } = toErrorResponse(error);
  return { status, message: 'internal error', members: {}, headers: {} };
}

/** The error that a fault stands for. */
export function fromFault({ status, message, members, headers }: Fault): HTTPError {
  return new HTTPError(status, message, { headers, ...members });
}

/** The reason of a signal, in words. */
export function toReason(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
