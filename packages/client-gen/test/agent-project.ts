import { afterAll, beforeAll } from 'vitest';
import { toClient } from '../src/index.ts';
import { deskTable } from './desk-table.ts';
import { makeProject, type Project } from './generated.ts';
import { type ScriptedNetwork, type ScriptedSocket, scriptedNetwork } from './scripted-socket.ts';

/** A message of an agent's socket, whatever is in it. */
export type Told = Readonly<Record<string, unknown>> & { readonly type: string };

/** What these tests use of a generated socket; the types themselves are the subject of another test. */
export interface Chat extends AsyncIterable<Told> {
  readonly state: string;
  send(turn: object): string;
  follow(runId: string, options?: { readonly lastSeq?: number }): void;
  cancel(runId?: string): boolean;
  close(): void;
}

/** The socket of one agent over a network of the test. */
export interface ConnectedChat {
  open(options?: object): Chat;
  readonly network: ScriptedNetwork;
  /** Requests that asked over HTTP why a socket was refused. */
  readonly asked: readonly string[];
}

/** Loads the client of the desk once for a file; the result connects. */
export function deskClient(): (options?: object, answer?: () => Response) => ConnectedChat {
  let project: Project;
  let create: (options: object) => {
    readonly agents: { readonly support: { socket(options?: object): Chat } };
  };
  beforeAll(async () => {
    project = await makeProject(toClient(deskTable(), { title: 'Desk' }));
    ({ createClient: create } = (await project.load('client.ts')) as { createClient: typeof create });
  });
  afterAll(() => project.remove());
  return (options = {}, answer = () => new Response('{}')) => {
    const network = scriptedNetwork();
    const asked: string[] = [];
    const fetch = async ({ method, url }: Request): Promise<Response> => {
      asked.push(`${method} ${url}`);
      return answer();
    };
    const { WebSocket } = network;
    const given = { baseUrl: 'https://desk.example/in/', apiKey: 'sesame', WebSocket, fetch, ...options };
    return { open: (more) => create(given).agents.support.socket(more), network, asked };
  };
}

/** The messages that were sent over a socket. */
export function sentOver(socket: ScriptedSocket | undefined): readonly Told[] {
  return (socket?.sent ?? []).map((text) => JSON.parse(String(text)) as Told);
}

/** Reads to the end, from now on; `told` grows. */
export function readAll(chat: Chat) {
  const told: Told[] = [];
  const done = (async () => {
    for await (const message of chat) told.push(message);
  })();
  // Whoever waits for it is told.
  done.catch(() => {});
  return { told, done };
}

/** The message that names a run. */
export const run = (id: string, key?: string, more: object = { location: `/agents/support/runs/${id}` }) => ({
  type: 'run',
  run_id: id,
  ...(key !== undefined && { idempotency_key: key }),
  ...more,
});

/** A step of a run, or of one below it. */
export const step = (id: string, seq: number) => ({
  type: 'step',
  run_id: id,
  agent: 'support',
  step: { seq, kind: 'model', run_id: id, agent: 'support' },
});

/** What a run came to. */
export const result = (id: string, status = 'completed') => ({
  type: 'result',
  result: { run_id: id, status, output: 'Done.', steps: [] },
});

/** It waits for a human. */
export const waiting = (id: string) => ({ type: 'waiting', run_id: id, status: 'awaiting_approval' });
