import {
  connect,
  connectFeed,
  connectRuns,
  type JsonObject,
  type RunClient,
} from '@waymark/client-gen/runtime';
import { type ControlClient, connectControl } from './control.ts';
import type { Credentials } from './credentials.ts';
import type { ServiceAddress } from './service-address.ts';

/** The service that the console came from. */
export interface Service {
  readonly control: ControlClient;
  /** An agent, behaviour or flow by the path of its route. */
  runs(path: string): RunClient<JsonObject, unknown>;
  readonly address: ServiceAddress;
  /** Makes a method of a route of the application, by how its input travels. */
  readonly call: ReturnType<typeof connect>;
  /** Asks for a path of the application, with the credential of whoever is signed in. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** What is told of each answer, whoever asked. */
export interface ServiceListeners {
  onAnswer(status: number): void;
  onUnreachable(): void;
}

/** Longer than a run lasts: how long that may be says the service. */
const runTimeoutMs = 24 * 3_600_000;

/** Speaks to a service through the generated client, as any other program would. */
export function connectService(
  { base, control }: ServiceAddress,
  credentials: Credentials,
  listeners: ServiceListeners,
): Service {
  const own = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    for (const [name, value] of Object.entries(credentials.headers())) request.headers.set(name, value);
    try {
      const response = await fetch(request);
      listeners.onAnswer(response.status);
      return response;
    } catch (error) {
      if (!request.signal.aborted) listeners.onUnreachable();
      throw error;
    }
  };
  const runs = connectRuns({ baseUrl: base, fetch: own });
  return {
    control: connectControl(
      connect({ baseUrl: control, fetch: own }),
      connectFeed({ baseUrl: control, fetch: own }),
    ),
    runs: (path) => runs(path, runTimeoutMs),
    address: { base, control },
    call: connect({ baseUrl: base, fetch: own }),
    ask: (path, init) => own(base + path, init),
  };
}
