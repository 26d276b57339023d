import { describe, expect, it } from 'vitest';
import { serve, standingAlone, tool } from './support.ts';

const needing = (capabilities: unknown) =>
  serve([
    tool('ask', { input: { type: 'object', properties: {}, 'x-mcp-client-capabilities': capabilities } }),
  ]);
const call = async (capabilities: unknown, declared: object) => {
  const { message, headers } = standingAlone(
    'tools/call',
    { name: 'ask' },
    { meta: { 'io.modelcontextprotocol/clientCapabilities': declared } },
  );
  const { status, body } = await needing(capabilities).send(message, { headers });
  return { status, error: body.error };
};

describe('a tool that needs something of its client', () => {
  it('is refused to a client that cannot, with what is missing', async () => {
    expect(await call({ sampling: {}, elicitation: {} }, { elicitation: {} })).toEqual({
      status: 400,
      error: {
        code: -32021,
        message: 'the client lacks the capability sampling',
        data: { requiredCapabilities: { sampling: {} } },
      },
    });
  });

  it('may need a part of a capability', async () => {
    const { error } = await call({ sampling: { tools: {} } }, { sampling: {} });
    expect(error?.data).toEqual({ requiredCapabilities: { sampling: { tools: {} } } });
    expect((await call({ sampling: { tools: {} } }, { sampling: { tools: {} } })).status).toBe(200);
  });

  it.each([{ sampling: {} }, { sampling: { tools: {} }, roots: {} }])(
    'is called for %j',
    async (declared) => {
      expect(await call({ sampling: {} }, declared)).toEqual({ status: 200, error: undefined });
    },
  );

  it.each([{}, { sampling: null }, { sampling: true }])('is not called for %j', async (declared) => {
    expect((await call({ sampling: {} }, declared)).status).toBe(400);
  });

  it('does not take what every object has for a capability', async () => {
    expect((await call({ toString: {} }, {})).status).toBe(400);
  });

  it.each([{}, undefined, [], 'sampling'])('needs nothing where it says %j', async (capabilities) => {
    expect((await call(capabilities, {})).status).toBe(200);
  });

  it('is called on older revisions, whose requests do not say what their client can do', async () => {
    expect((await needing({ sampling: {} }).call('ask')).isError).toBe(false);
  });
});
