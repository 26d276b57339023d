import type { Draft } from './draft.ts';
import { EventReader, type StreamEvent } from './event-reader.ts';

/** A call that is made. */
export interface SentCall {
  readonly method: string;
  readonly url: string;
  readonly draft: Draft;
  /** The header of the key; undefined: a session of this origin counts, where there is one. */
  readonly credential: readonly [string, string] | undefined;
  /** Asks for events, and is told each as it comes. */
  readonly events: boolean;
  onEvent(event: StreamEvent): void;
}

/** What came back. */
export interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly mediaType: string;
  readonly ms: number;
  readonly size: number;
  /** Whether there was more than is kept. */
  readonly cut: boolean;
  readonly body: Blob;
  /** Sent elsewhere, which is not followed. */
  readonly redirected: boolean;
}

/** What is kept of an answer. */
const mostBytes = 20_000_000;

/** Makes a call. @throws whatever `fetch` throws: the service cannot be reached, or somebody stopped it */
export async function sendCall(call: SentCall, signal: AbortSignal): Promise<Received> {
  const { method, url, draft, credential, events } = call;
  const headers = new Headers(draft.headers.map(([name, value]): [string, string] => [name, value]));
  if (credential) headers.set(...credential);
  if (events) headers.set('accept', 'text/event-stream');
  const body = toPayload(draft, headers);
  const beganMs = performance.now();
  const response = await fetch(url, {
    ...{ method, headers, signal, cache: 'no-store' },
    ...(body !== undefined && { body }),
    // Who typed a key means that one, not whoever is signed in besides.
    credentials: credential ? 'omit' : 'same-origin',
    // Followed to another origin, a redirect would take the key along.
    redirect: 'manual',
  });
  const mediaType = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const whole = await readBody(response, mediaType === 'text/event-stream' ? call.onEvent : undefined);
  return {
    ...{ status: response.status, statusText: response.statusText, mediaType },
    headers: [...response.headers],
    ms: performance.now() - beganMs,
    ...whole,
    redirected: response.type === 'opaqueredirect',
  };
}

function toPayload({ body }: Draft, headers: Headers): BodyInit | undefined {
  if (body.kind === 'none') return undefined;
  headers.set('content-type', body.kind === 'json' ? 'application/json' : body.type);
  return body.kind === 'json' ? JSON.stringify(body.value) : (body.bytes ?? new Blob());
}

async function readBody(
  response: Response,
  onEvent: SentCall['onEvent'] | undefined,
): Promise<Pick<Received, 'body' | 'size' | 'cut'>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const decoder = new TextDecoder();
  const events = new EventReader();
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) break;
    if (onEvent) for (const event of events.push(decoder.decode(value, { stream: true }))) onEvent(event);
    size += value.length;
    if (size > mostBytes) {
      await reader?.cancel();
      break;
    }
    pieces.push(value);
  }
  return { body: new Blob(pieces), size, cut: size > mostBytes };
}
