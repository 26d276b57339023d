/** What the client's runtime asks of `ky` here. */
interface KyOptions extends RequestInit {
  readonly fetch?: typeof globalThis.fetch;
}

/** An answer that is no success. */
export class HTTPError extends Error {
  readonly response: Response;
  /** Its body: parsed when it is JSON, else text. */
  readonly data: unknown;

  constructor(response: Response, data: unknown) {
    super(`status ${response.status}`);
    this.response = response;
    this.data = data;
  }
}

/**
 * Stands in for `ky` in what is bundled, where it would be a third of everything: the runtime of a device makes one kind of
 * request, that which asks why a socket does not open, and repeats none.
 */
export async function ky(url: string, { fetch = globalThis.fetch, ...init }: KyOptions): Promise<Response> {
  const response = await fetch(url, init);
  if (response.ok) return response;
  const text = await response.text();
  throw new HTTPError(response, readJson(text) ?? text);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
