/** Values that are nested far deeper than anybody reads, wherever values enter a run. */
import { verifies } from '@waymark/contract/testing';
import { Type } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { messagesOf, thinking } from './agents-application.ts';
import { httpUpstream } from './proxy-upstreams.ts';

const textOf = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
const nested = (levels: number): unknown => JSON.parse(textOf(levels));

/** As many as JSON can be read of and still written, more than a copy of it has stack for, and more than can be written. */
const deepest = 100_000;
const depths = [1_000, 3_500, deepest];

async function desk() {
  const { url } = await httpUpstream((req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(textOf(Number(req.url?.slice(1))));
  });
  const levels = { n: Type.Integer() };
  return thinking((app) => {
    const tool = { tool: true, summary: 'Answers deeply.', scopes: ['read'] } as const;
    app
      .upstream('stock', url)
      .proxy('GET', '/stock/{n}', 'stock', { ...tool, rewrite: '/{n}', toolName: 'stock', input: levels })
      .get('/made/{n}', { ...tool, toolName: 'made', input: levels }, ({ n }) => nested(n))
      .get('/kept', { ...tool, toolName: 'kept', input: { value: Type.Optional(Type.Any()) } }, () => 'kept')
      .agent('clerk', { tools: ['stock', 'made'], scopes: ['read'] })
      .behaviour(
        'asks',
        { tools: ['stock', 'made'], input: levels, scopes: ['read'] },
        async (ctx, { n }) => {
          const asked = ['stock', 'made'].map((name) => ctx.call(name, { n }).catch(String));
          return Promise.all(asked);
        },
      )
      .behaviour('gives', { tools: ['kept'], input: levels, scopes: ['read'] }, async (ctx, { n }) =>
        ctx.call('kept', { value: nested(n) }).catch(String),
      )
      .flow('piped', { pipeline: [{ tool: 'stock' }], inputSchema: levels, scopes: ['read'] })
      .behaviour('ends', { input: levels, scopes: ['read'] }, async (_, { n }) => nested(n));
  });
}

const tooDeep = 'the answer is nested deeper than 256 levels';

describe.each(depths)('JSON of %i levels', (n) => {
  it('is a failed call to every caller by name, and of a run what fails at most', async () => {
    verifies('run.values.deep', 'run.broken');
    const strays: unknown[] = [];
    const stray = (error: unknown): void => void strays.push(error);
    process.on('uncaughtException', stray);
    onTestFinished(() => void process.off('uncaughtException', stray));
    const { send, ask, simulator } = await desk();
    const run = (path: string) => send(path, { n }, 'ANN_KEY');

    // A handler's that nobody can write is an internal error over every door.
    const made = n === deepest ? 'internal error' : tooDeep;
    const words = [`HTTPError: ${tooDeep}`, `HTTPError: ${made}`];
    expect(await run('/behaviours/asks')).toMatchObject({ status: 200, value: words });
    const asked = await ask('clerk', `[[call stock {"n":${n}}]] [[say Done.]]`);
    expect([asked.status, asked.value.status, asked.value.output]).toEqual([200, 'completed', 'Done.']);
    expect(JSON.stringify(messagesOf(simulator, 1))).toContain(`tool stock failed with 502: ${tooDeep}`);
    expect(await run('/flows/piped')).toMatchObject({ status: 502 });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'stock', arguments: { n } } };
    const accept = 'application/json, text/event-stream';
    expect((await send('/_svc/mcp', call, 'ANN_KEY', { accept })).text).toContain(`502: ${tooDeep}`);

    expect((await run('/behaviours/gives')).text).toMatch(/nested deeper than 512 levels|call stack/);
    const ended = { code: 'too_deep', detail: 'the result of ends is nested deeper than 512 levels' };
    expect(await run('/behaviours/ends')).toMatchObject({ status: 500, value: ended });
    expect(strays).toEqual([]);
  });
});
