import { HTTPError } from '@waymark/contract';
import type { Outbound } from '@waymark/contract/http';
import { type Post, TransportError } from './post.ts';

/** Makes a transport of a product's own outbound client, with its guard of addresses. */
export function outboundPost(outbound: Outbound, maxBytes: number): Post {
  return async (url, headers, body, { signal, timeoutMs, idleTimeoutMs }) => {
    const {
      status,
      headers: answered,
      body: stream,
    } = await outbound
      .request({
        method: 'POST',
        url,
        headers,
        body: Buffer.from(body),
        timeoutMs,
        idleTimeoutMs,
        // One more than is taken, so that who counts the bytes finds that there are too many.
        maxBytes: maxBytes + 1,
        allow: 'declared',
        signal,
      })
      .catch((error: unknown) => {
        throw toTransportError(error, signal);
      });
    const reader = stream.getReader();
    return {
      status,
      headers: answered,
      async read(onChunk) {
        try {
          for (;;) {
            const { done, value } = await reader.read().catch((error: unknown) => {
              throw toTransportError(error, signal);
            });
            if (done) return;
            onChunk(value);
          }
        } finally {
          // Without effect at the end of the body; before it, whoever stopped reading frees the connection.
          reader.cancel().catch(() => {});
        }
      },
      discard: () => void reader.cancel().catch(() => {}),
    };
  };
}

function toTransportError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || !(error instanceof HTTPError)) return error;
  const kind = error.status === 504 ? 'timeout' : error.status === 403 ? 'refused' : 'connection';
  return new TransportError(kind, error.message, { cause: error });
}
