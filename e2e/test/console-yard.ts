import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Application, Type } from '@waymark/server';
import { movingPicture } from '../../apps/server/example/moving-picture.ts';
import { startThinking, type ThinkingApplication } from './agents-application.ts';

/** An application with what operators look after: a camera, a watcher, an agent that costs, a receiver of webhooks. */
export interface Yard {
  readonly app: ThinkingApplication;
  /** The camera at the gate; it fails as long as it is down. */
  readonly camera: { isDown: boolean };
  /** Who is told of runs; it answers with this status. */
  readonly receiver: { status: number; readonly ids: readonly string[] };
  close(): Promise<void>;
}

/** Starts it. Its camera and its receiver are servers of their own. */
export async function startYard(): Promise<Yard> {
  const camera = { isDown: false };
  const receiver = { status: 204, ids: [] as string[] };
  const [gate, hook] = [
    createServer((_, res) => {
      if (camera.isDown) res.writeHead(500).end();
      else res.setHeader('content-type', 'image/png').end(movingPicture(Date.now()));
    }),
    createServer((req, res) => {
      receiver.ids.push(String(req.headers['webhook-id']));
      req.resume();
      res.writeHead(receiver.status).end();
    }),
  ];
  const [gateUrl, hookUrl] = [await listen(gate), await listen(hook)];
  const app = await startThinking((declared) => declareYard(declared, gateUrl, hookUrl), {
    database: ':memory:',
  });
  return {
    ...{ app, camera, receiver },
    async close() {
      await app.close();
      for (const server of [gate, hook]) server.close().closeAllConnections();
    },
  };
}

function declareYard(app: Application, gateUrl: string, hookUrl: string): void {
  app
    .camera('gate', { source: gateUrl, maxFps: 5, description: 'The gate of the yard.' })
    .sensor('scale', { description: 'What stands on it, in kilograms.' })
    .agent('guard', { system: '[[say A ball went by.]]', scopes: ['devices:read'], maxSteps: 2 })
    .agent('clerk', { system: 'You write.', tools: ['weigh'], scopes: ['read'], maxSteps: 4 })
    .watch('gate_watch', {
      ...{ device: 'gate', agent: 'guard', input: 'What is new?', every: 1, scopes: ['devices:read'] },
      ...{ maxRunsPerHour: 3, maxCostPerDay: 5 },
    })
    .get(
      '/weights/{id}',
      { input: { id: Type.Integer() }, tool: true, toolName: 'weigh', scopes: ['read'] },
      ({ id }) => ({
        id,
        kilograms: 12,
      }),
    )
    .post(
      '/payments',
      { input: { euros: Type.Integer() }, tool: true, approval: 'required', scopes: ['pay'] },
      ({ euros }) => ({ paid: euros }),
    )
    .resource('loads', { goods: Type.String(), tons: Type.Number() }, { scopes: ['read'] });
  app.memory('notes', { scopes: ['read'] });
  app.notify(hookUrl, { events: ['run_finished'], name: 'desk' });
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
