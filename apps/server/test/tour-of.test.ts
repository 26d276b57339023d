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

it('quotes what a server names for the shell, and leaves out what a terminal would obey', async () => {
  const odd = "x'; touch /tmp/owned; echo '$(touch /tmp/owned)`";
  const listings: Readonly<Record<string, unknown>> = {
    routes: { routes: [{ method: 'GET', path: `/a${odd}`, engine: 'handler', scopes: [] }] },
    tools: {
      tools: [
        {
          name: `t${odd}`,
          inputSchema: {
            properties: { [`p${odd}`]: { type: 'string', default: odd } },
            required: [`p${odd}`],
          },
        },
        { name: 'esc\u001b[2J', inputSchema: {} },
        { name: 'bidi\u202e', inputSchema: {} },
      ].map((tool) => ({ ...tool, annotations: { readOnlyHint: true, requiresApproval: false } })),
    },
    agents: {
      agents: [
        { name: `a${odd}`, expose_scopes: [] },
        { name: 'line\nrm -rf ~', expose_scopes: [] },
      ],
    },
    approvals: { approvals: [{ approval_id: odd, agent: null, tool: 'pay' }] },
  };
  const target = {
    ...{ url: 'http://127.0.0.1:8000', controlPrefix: '/_svc', close: async () => {} },
    send: async (path: string) => Response.json(listings[path.slice('/_svc/'.length)] ?? {}),
    describe: () => Promise.reject(new Error('nobody asks')),
  };
  const { groups } = await tourOf(target, { variable: undefined, file: undefined, headers: {} });
  const lines = groups.flatMap((group) => group.lines.map(({ line }) => line));
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  expect(lines).toContain(`curl -s ${quoted(`http://127.0.0.1:8000/a${odd}`)}`);
  expect(lines).toContain(
    `npx waymark call ${quoted(`t${odd}`)} ${quoted(`--p${odd}`)} ${quoted(odd)} --url http://127.0.0.1:8000`,
  );
  expect(lines).toContain(`npx waymark chat ${quoted(`a${odd}`)} --url http://127.0.0.1:8000`);
  expect(
    lines.some((line) => line.startsWith(`curl -s ${quoted(`http://127.0.0.1:8000/_svc/approvals/${odd}`)}`)),
  ).toBe(true);
  expect(lines.join('')).not.toMatch(/esc|bidi|rm -rf/);
  // Some shells take no comments: what stands above a line is harmless, too.
  const whats = groups.flatMap((group) => group.lines.map(({ what }) => what));
  expect(whats).toContain(`talk to ${quoted(`a${odd}`)}`);
});
