import type { Outbound, OutboundRequest } from '@waymark/contract/http';
import type { WebhookEndpoint } from '@waymark/contract/stores';

/** What a scripted receiver answers: a status, headers, or an error that no answer came. */
export type Answer =
  | number
  | { readonly status: number; readonly headers: Record<string, string> }
  | Error
  | 'hang';

/** One request that came in. */
export interface Received {
  readonly id: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A world of receivers behind one outbound client. */
export interface Receivers extends Outbound {
  readonly received: readonly Received[];
  /** Ids, in the order in which they came to an endpoint. */
  ids(endpoint?: WebhookEndpoint): readonly string[];
}

/** @param answer what the receiver at a URL says to a request, counted from 0 for each URL */
export function receivers(answer: (url: string, count: number, id: string) => Answer): Receivers {
  const received: Received[] = [];
  return {
    received,
    ids: (endpoint) => received.filter(({ url }) => !endpoint || url === endpoint.url).map(({ id }) => id),
    async request({ url, headers = {}, body, signal }: OutboundRequest) {
      const count = received.filter((one) => one.url === url).length;
      const id = headers['webhook-id'] ?? '';
      received.push({ id, url, headers, text: Buffer.from(body as Uint8Array).toString() });
      const said = answer(url, count, id);
      if (said === 'hang')
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      if (said instanceof Error) throw said;
      const { status, headers: own } = typeof said === 'number' ? { status: said, headers: {} } : said;
      return { status, headers: own, body: new Blob(['thank you']).stream() };
    },
  };
}

/** An endpoint without secrets. */
export function endpoint(name: string): WebhookEndpoint {
  return { name, url: `https://${name}.example/hook` };
}
