import { HTTPError, type Values } from '@waymark/contract';
import type { BodySource, EngineContext } from '@waymark/contract/engine';

/** What is forwarded, and what to say of it. */
export interface ForwardedBody {
  readonly content: Uint8Array | ReadableStream<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Up to here a body whose length is told is taken whole before it is forwarded: that is one write instead of a stream,
 * and no connection to the upstream waits for a slow caller.
 */
export const wholeBytes = 65_536;

/**
 * Takes the body of a call: what was validated, written anew, so that the upstream cannot read it otherwise than we did;
 * or else the bytes as they come.
 *
 * @throws {HTTPError} 413 over the limit of the route, before and while streaming · 415 compressed
 */
export async function toForwardedBody(context: EngineContext): Promise<ForwardedBody | undefined> {
  const { route, body } = context;
  if (route.body === 'json')
    return {
      content: Buffer.from(JSON.stringify(contentOf(context))),
      headers: { 'content-type': typeOf(context.request.headers['content-type']) },
    };
  const { contentLength } = body;
  if (route.body !== 'source' || contentLength === 0) return undefined;
  if (contentLength !== undefined && contentLength > route.maxBodyBytes) throw tooLarge(route.maxBodyBytes);
  if (contentLength !== undefined && contentLength <= wholeBytes)
    return { content: await body.read(contentLength), headers: {} };
  return {
    content: limited(body, route.maxBodyBytes),
    headers: contentLength === undefined ? {} : { 'content-length': String(contentLength) },
  };
}

/** A caller may have said more precisely which JSON it is; with parameters it would say how to read what we wrote anew. */
function typeOf(sent = 'application/json'): string {
  return sent.replace(/;.*/s, '').trim();
}

/** Everything that does not travel elsewhere. */
function contentOf({ route, input }: Pick<EngineContext, 'route' | 'input'>): unknown {
  const whole = route.parameters.find(({ place }) => place === 'content');
  if (whole) return input[whole.name] ?? null;
  const elsewhere = route.parameters.filter(({ place }) => place !== 'body').map(({ name }) => name);
  const members: Values = Object.fromEntries(
    Object.entries(input).filter(([name]) => !elsewhere.includes(name)),
  );
  return members;
}

/** A body whose length was not told can only be counted. */
function limited(body: BodySource, limit: number): ReadableStream<Uint8Array> {
  const stream = body.stream();
  if (limit === Number.POSITIVE_INFINITY || body.contentLength !== undefined) return stream;
  let length = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        length += chunk.length;
        if (length > limit) throw tooLarge(limit);
        controller.enqueue(chunk);
      },
    }),
  );
}

function tooLarge(limit: number): HTTPError {
  return new HTTPError(413, `the body is larger than ${limit} bytes`);
}
