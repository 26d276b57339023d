import { type Fleet, keys, type Server } from './fleet.ts';

/** An answer, read. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // Its reader knows what it asked for.
  readonly body: Record<string, unknown>;
}

/** An instance, and how it is asked. */
export interface Machine {
  readonly server: Server;
  readonly fleet: Fleet;
  ask(route: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  /** Events of an answer, as they come, until the caller leaves or it ends. */
  events(
    route: string,
    body?: unknown,
  ): AsyncGenerator<{ readonly event: string; readonly id: string; readonly data: Record<string, unknown> }>;
  /** Codes of what health says is wrong, but that the machine is busy; `nobody` while it does not answer. */
  troubles(): Promise<readonly string[]>;
}

const json = { 'content-type': 'application/json' };

/** Starts an instance in a folder of its own. */
export async function startMachine(fleet: Fleet): Promise<Machine> {
  const server = await fleet.start(1);
  const send = (route: string, body: unknown, headers: Readonly<Record<string, string>>) => {
    const [method = '', path = ''] = route.split(' ');
    const credential = 'cookie' in headers ? {} : { 'x-api-key': keys.DESK_KEY };
    return fetch(server.url + path, {
      method,
      headers: { ...credential, ...(body === undefined ? {} : json), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  };
  const ask: Machine['ask'] = async (route, body, headers = {}) => {
    const response = await send(route, body, headers);
    const text = await response.text();
    return {
      ...{ status: response.status, headers: response.headers },
      body: text === '' ? {} : JSON.parse(text),
    };
  };
  return {
    ...{ server, fleet, ask },
    async *events(route, body) {
      const response = await send(route, body, { accept: 'text/event-stream' });
      let rest = '';
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        rest += decoder.decode(piece, { stream: true });
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const member = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
          if (member('event') !== '')
            yield { event: member('event'), id: member('id'), data: JSON.parse(member('data') || '{}') };
        }
      }
    },
    async troubles() {
      const { body } = await ask('GET /_svc/health');
      const told = body['troubles'] as readonly { readonly code: string }[];
      // True of a machine that has much else to do, and of no test.
      return told.flatMap(({ code }) => (code === 'event-loop-slow' ? [] : [code]));
    },
  };
}
