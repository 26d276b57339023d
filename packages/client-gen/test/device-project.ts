import { afterAll, beforeAll } from 'vitest';
import { toClient } from '../src/index.ts';
import { yardTable } from './device-table.ts';
import { makeProject, type Project } from './generated.ts';
import { type ScriptedNetwork, scriptedNetwork } from './scripted-socket.ts';

/** What these tests use of a generated publisher and device; the types themselves are the subject of another test. */
export interface Publisher {
  readonly state: string;
  readonly taken: number;
  readonly refused: number;
  readonly dropped: number;
  readonly roundTripMs: number | undefined;
  readonly maxFps: number | undefined;
  frame(bytes: Uint8Array): boolean;
  telemetry(reading: object): boolean;
  close(): void;
}
export interface Device {
  stream(options?: object): AsyncIterableIterator<Readonly<Record<string, unknown>>>;
  publish(options?: object): Publisher;
}

/** One camera over a network of the test. */
export interface Connected {
  readonly door: Device;
  readonly network: ScriptedNetwork;
  /** Requests that asked over HTTP why a socket was refused. */
  readonly asked: readonly { readonly method: string; readonly url: string }[];
}

/** Loads the client of the yard once for a file; the result connects. */
export function yardClient(): (options?: object, answer?: () => Response | Promise<Response>) => Connected {
  let project: Project;
  let create: (options: object) => { readonly devices: { readonly door: Device } };
  beforeAll(async () => {
    project = await makeProject(toClient(yardTable(), { title: 'Yard' }));
    ({ createClient: create } = (await project.load('client.ts')) as { createClient: typeof create });
  });
  afterAll(() => project.remove());
  return (options = {}, answer = () => new Response('{}', { status: 200 })) => {
    const network = scriptedNetwork();
    const asked: { method: string; url: string }[] = [];
    const fetch = async ({ method, url }: Request): Promise<Response> => {
      asked.push({ method, url });
      return answer();
    };
    const { WebSocket } = network;
    const client = create({
      baseUrl: 'https://yard.example/in/',
      apiKey: 'sesame',
      WebSocket,
      fetch,
      ...options,
    });
    return { door: client.devices.door, network, asked };
  };
}

/** The problem document of a refusal. */
export function refusal(status: number): Response {
  return new Response(JSON.stringify({ status, detail: `no: ${status}` }), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}
