import {
  connect,
  connectFeed,
  connectRuns,
  type JsonObject,
  type RunClient,
} from '@waymark/client-gen/runtime';
import { type ControlClient, connectControl } from './control.ts';
import type { ServiceAddress } from './service-address.ts';
import { connectSession, type SessionDoors } from './session-doors.ts';

/** The service that the console came from. */
export interface Service {
  readonly control: ControlClient;
  readonly session: SessionDoors;
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

/**
 * Speaks to a service through the generated client, as any other program would. Who asks says the cookie of the session,
 * which no script can read.
 */
export function connectService(address: ServiceAddress, listeners: ServiceListeners): Service {
  const own = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    try {
      const response = await fetch(request, init);
      listeners.onAnswer(response.status);
      return response;
    } catch (error) {
      if (!request.signal.aborted) listeners.onUnreachable();
      throw error;
    }
  };
  const call = connect({ baseUrl: address.control, fetch: own });
  const runs = connectRuns({ baseUrl: address.base, fetch: own });
  return {
    control: connectControl(call, connectFeed({ baseUrl: address.control, fetch: own })),
    session: connectSession(call),
    runs: (path) => runs(path, runTimeoutMs),
    address,
    call: connect({ baseUrl: address.base, fetch: own }),
    ask: (path, init) => own(address.base + path, init),
  };
}
