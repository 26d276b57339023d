import { jsonResponse, problemResponse } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { McpContext, McpOptions } from '../src/index.ts';
import { principal, readEvents, serve, standingAlone, textContent, tool } from './support.ts';

type StepUp = NonNullable<McpOptions['stepUp']>;

/** Callers with an issuer can ask it for more. */
const stepUp: StepUp = ({ issuer, scopes }, needed, host) =>
  issuer === undefined ? undefined : `Bearer scope="${[...scopes, ...needed].join(' ')}", host="${host}"`;

const ann: Principal = { ...principal('use'), issuer: 'https://login.example.com' };
const context = { principal: ann, headers: { host: 'desk.example' } };
const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'ring' } };
const detail = 'missing scope "bell:ring"';
const asResult = { content: [textContent(`tool ring failed with 403: ${detail}`)], isError: true };

const bell = (status = 403, options: Partial<McpOptions> = { stepUp }) =>
  serve(
    [tool('ring', { scopes: ['bell:ring'] }), tool('free')],
    ({ route }) => (route.name === 'ring' ? problemResponse(status, detail) : jsonResponse('free')),
    options,
  );

describe('a caller who can ask for more scopes', () => {
  it.each([
    ['that opens with initialize', message, {}],
    [
      'that stands alone',
      { ...standingAlone('tools/call', { name: 'ring' }).message, id: 7 },
      standingAlone('tools/call', { name: 'ring' }).headers,
    ],
  ])('is told by the status which ones a tool needs, on a revision %s', async (_, sent, headers) => {
    verifies('mcp.auth.step-up');
    const mcp = bell();
    const allowed = { ...context, streaming: 'allowed' } as const;
    for (const more of [context, allowed]) {
      const answer = await mcp.handle(sent, { ...more, headers: { ...context.headers, ...headers } });
      expect({ ...answer, body: JSON.parse(answer.body ?? '') }).toEqual({
        status: 403,
        challenge: 'Bearer scope="use bell:ring", host="desk.example"',
        body: {
          jsonrpc: '2.0',
          id: 7,
          error: { code: -32600, message: `tool ring failed with 403: ${detail}` },
        },
      });
    }
    // The refusal is the dispatcher's, which has it in the audit log.
    expect(mcp.calls).toHaveLength(2);
  });

  it('reads a result in a batch: the others are answered by the same status', async () => {
    verifies('mcp.auth.step-up.alone');
    const free = { ...message, id: 8, params: { name: 'free' } };
    const answer = await bell().handle([message, free], context);
    expect([answer.status, answer.challenge]).toEqual([200, undefined]);
    expect(JSON.parse(answer.body ?? '')).toMatchObject([
      { id: 7, result: asResult },
      { id: 8, result: { isError: false } },
    ]);
  });

  it('reads a result on a stream: its status is sent', async () => {
    verifies('mcp.auth.step-up.alone');
    const answer = await bell().handle(message, { ...context, streaming: 'only' });
    expect([answer.status, answer.challenge]).toEqual([200, undefined]);
    if (!answer.events) throw new Error('not a stream');
    expect((await readEvents(answer.events)).messages).toMatchObject([{ id: 7, result: asResult }]);
  });

  it('reads a result where something else is wrong, or the tool itself says 403', async () => {
    const holder = { ...context, principal: { ...ann, scopes: ['bell:ring'] } };
    const cases: readonly [number, Partial<McpContext>][] = [
      [403, holder],
      [401, context],
      [409, context],
    ];
    for (const [status, given] of cases) {
      const answer = await bell(status).handle(message, given);
      expect([answer.status, answer.challenge]).toEqual([200, undefined]);
      expect(JSON.parse(answer.body ?? '').result.isError).toBe(true);
    }
  });
});

describe('a caller who cannot', () => {
  it('reads the result in the words of the specification', async () => {
    verifies('mcp.auth.step-up', 'mcp.call.failure-is-result');
    for (const [options, given] of [
      [{ stepUp }, { ...context, principal: principal('use') }],
      [{}, context],
    ] as const) {
      const answer = await bell(403, options).handle(message, given);
      expect([answer.status, answer.challenge]).toEqual([200, undefined]);
      expect(JSON.parse(answer.body ?? '').result).toEqual(asResult);
    }
  });
});
