import { expect, it } from 'vitest';
import { tourOf } from '../src/cli/tour/tour-of.ts';
import { application, serve } from './serve.ts';

const keys = { ADMIN_KEY: 'the-admin-key-of-the-test', DESK_KEY: 'the-desk-key-of-the-test' };

/** The lines that talk to an agent, for whoever holds a key. */
async function chatLines(url: string, variable: keyof typeof keys): Promise<readonly string[]> {
  const send = (path: string, request?: RequestInit): Promise<Response> => fetch(url + path, request);
  const target = {
    ...{ url, controlPrefix: '/_svc', send, close: async () => {} },
    describe: () => Promise.reject(new Error('nobody asks')),
  };
  const headers = { 'x-api-key': keys[variable] };
  const { groups } = await tourOf(target, { variable, file: undefined, headers });
  return groups.flatMap(({ lines }) => lines.map(({ line }) => line)).filter((line) => /chat/.test(line));
}

it('names the agents that the key may start, and no others', async () => {
  const app = application({}, keys)
    .apiKey('ADMIN_KEY', 'admin', { scopes: ['svc:admin'] })
    .apiKey('DESK_KEY', 'desk', { scopes: ['svc:admin', 'desk:ask'] })
    .provider('scripted', 'http://127.0.0.1:9/v1');
  app.agent('clerk', { model: 'scripted/any', exposeScopes: ['desk:ask'] });
  const { url } = await serve(app);
  expect(await chatLines(url, 'ADMIN_KEY')).toEqual([]);
  expect(await chatLines(url, 'DESK_KEY')).toEqual([`npx waymark chat clerk --as DESK_KEY --url ${url}`]);
});
