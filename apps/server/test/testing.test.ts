import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelClient } from '@waymark/contract/models';
import { verifies } from '@waymark/contract/testing';
import { type Application, createApplication, HTTPError, Type } from '@waymark/server';
import {
  type TestedApplication,
  type TestOptions,
  ToolFailure,
  testApplication,
} from '@waymark/server/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

/** A desk that has one of each. The variables of its keys are not set. */
function desk(): Application {
  const app = createApplication('desk', {
    port: 0,
    env: { LOG_LEVEL: 'silent', ANTHROPIC_API_KEY: 'sk-real' },
  });
  app.apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'read', 'refund', 'ask'] });
  app.apiKey('READER_KEY', 'reader', { scopes: ['read'] });
  app.get(
    '/tickets/{id}',
    { input: { id: Type.Integer() }, tool: true, toolName: 'get_ticket', scopes: ['read'] },
    ({ id }) => {
      'Read a ticket.';
      if (id > 9) throw new HTTPError(404, `there is no ticket ${id}`);
      return { id };
    },
  );
  app.post(
    '/refunds',
    {
      input: { euros: Type.Integer() },
      tool: true,
      toolName: 'refund',
      approval: 'required',
      scopes: ['refund'],
    },
    ({ euros }) => {
      'Refund a customer.';
      return { refunded: euros };
    },
  );
  app.agent('biller', {
    description: 'Refunds.',
    tools: ['refund', 'get_ticket'],
    scopes: ['refund', 'read'],
    exposeScopes: ['ask'],
  });
  return app;
}

async function tested(options?: TestOptions, app = desk()): Promise<TestedApplication> {
  const found = await testApplication(app, options);
  onTestFinished(() => found.close());
  return found;
}

describe('testApplication', () => {
  it('asks over a socket, as anybody and as whoever has a key', async () => {
    verifies('testing.request', 'testing.as');
    const app = await tested();
    expect((await app.request('/tickets/1')).status).toBe(401);
    expect(await app.as('reader').json('/tickets/1')).toEqual({ id: 1 });
    expect(await app.as('READER_KEY').json('/tickets/12')).toMatchObject({
      status: 404,
      detail: 'there is no ticket 12',
    });
    const refused = await app.as('reader').request('/refunds', { json: { euros: 1 } });
    expect(refused.status).toBe(403);
  });

  it('calls a tool over MCP, and throws what it says when it fails', async () => {
    verifies('testing.request');
    const operator = (await tested()).as('operator');
    expect(await operator.call('get_ticket', { id: 4 })).toEqual({ id: 4 });
    await expect(operator.call('get_ticket', { id: 12 })).rejects.toThrow(
      new ToolFailure('tool get_ticket failed with 404: there is no ticket 12'),
    );
  });

  it('says which keys there are', async () => {
    verifies('testing.as');
    const app = await tested();
    expect(() => app.as('raeder')).toThrow('no apiKey "raeder" is declared; did you mean "reader"?');
    expect(() => app.as('somebody else')).toThrow('there are operator, reader');
  });

  it('has models that follow a script, whatever keys of providers are set', async () => {
    verifies('testing.model');
    const app = await tested({
      model: [{ call: 'get_ticket', with: { id: 7 } }, 'It is ticket [7].'],
    });
    const answer = await app.as('operator').json('/agents/biller', { json: { input: 'Which?' } });
    expect(answer).toMatchObject({ status: 'completed', output: 'It is ticket [7].' });
    expect(app.model.left).toBe(0);
    expect(app.model.asked[0]).toMatchObject({
      turns: [{ role: 'user', text: 'Which?' }],
      tools: [{ name: 'get_ticket' }, { name: 'refund' }],
    });
    expect(app.model.asked[1]?.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it('has models that follow a script for whatever a plugin asks, without any agent', async () => {
    let models: ModelClient | undefined;
    const app = createApplication('asker', { port: 0, env: { MINE_KEY: 'sk-real' } })
      .provider('mine', 'https://models.invalid', { kind: 'anthropic', apiKeyEnv: 'MINE_KEY' })
      .add({
        name: 'asker',
        routes: [],
        start(host) {
          models = host.models;
        },
      });
    const { model } = await tested({ model: ['Hello.'] }, app);
    const reply = await models?.complete(
      {
        model: 'mine/large',
        maxTokens: 10,
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello?' }] }],
      },
      { signal: AbortSignal.timeout(5_000) },
    );
    expect(reply?.message.parts).toMatchObject([{ text: 'Hello.' }]);
    expect(model.left).toBe(0);
  });

  it('has a model that says JSON, calls several tools at once, and fails', async () => {
    verifies('testing.model');
    const app = await tested({
      model: [
        [
          { call: 'get_ticket', with: { id: 1 } },
          { call: 'get_ticket', with: { id: 2 } },
        ],
        { json: { urgent: true } },
        new Error('the provider is "out"'),
      ],
    });
    const ask = async (): Promise<unknown> =>
      app.as('operator').json('/agents/biller', { json: { input: 'Go on.' } });
    expect(await ask()).toMatchObject({ status: 'completed', output: '{"urgent":true}' });
    expect(await ask()).toMatchObject({ status: 502, code: 'rejected' });
    expect(app.model.left).toBe(0);
    await expect(testApplication(desk(), { model: ['a ]] b'] })).rejects.toThrow(TypeError);
  });

  it('fails the test where a model is asked more often than it has answers', async () => {
    verifies('testing.model');
    const app = await testApplication(desk(), { model: ['Hello.'] });
    for (let i = 0; i < 2; i++)
      await app.as('operator').json('/agents/biller', { json: { input: 'Hello?' } });
    await expect(app.close()).rejects.toThrow('the scripted model has 1 answers, and was asked 2 times');
  });

  it('lets a test be the human who decides', async () => {
    verifies('testing.decide');
    const refund = { call: 'refund', with: { euros: 49 } };
    const app = await tested({ model: [refund, 'Refunded.', refund, 'Not refunded.'] });
    const operator = app.as('operator');
    const ask = (): Promise<unknown> => operator.json('/agents/biller', { json: { input: 'Refund Ada.' } });
    expect(await ask()).toMatchObject({ status: 'awaiting_approval' });
    expect(await operator.approve('billed twice')).toMatchObject({
      status: 'completed',
      output: 'Refunded.',
    });
    await ask();
    expect(await operator.decline()).toMatchObject({ output: 'Not refunded.' });
    await expect(operator.approve()).rejects.toThrow('nothing waits for a human');
    await expect(app.as('reader').approve()).rejects.toThrow('missing scope "svc:admin"');
  });

  it('stands at a time of its own, and lets it pass', async () => {
    verifies('testing.clock');
    const now = Date.UTC(2026, 0, 1);
    const app = await tested(
      { now },
      desk().sensor('hall', { readScopes: ['read'], ingestScopes: ['read'] }),
    );
    const reader = app.as('reader');
    await reader.request('/devices/hall/telemetry', { json: { celsius: 20 } });
    expect(await reader.json('/devices/hall/telemetry')).toMatchObject({ age_ms: 0 });
    await app.clock.advance(90_000);
    expect(await reader.json('/devices/hall/telemetry')).toMatchObject({ age_ms: 90_000 });
    expect(app.clock.now()).toBe(now + 90_000);
    const machine = await tested();
    expect(() => machine.clock).toThrow('pass now to testApplication');
  });

  it('keeps what it stores in memory, and tests apart that run at the same time', async () => {
    verifies('testing.isolated');
    const open = (): Application =>
      createApplication('notes', { port: 0, database: 'sqlite://never-made.db' }).resource(
        'notes',
        { text: Type.String() },
        { createTable: true },
      );
    const [one, other] = await Promise.all([tested({}, open()), tested({}, open())]);
    expect(process.env['WAYMARK_DATABASE_URL']).toBe(':memory:');
    await one.request('/notes', { json: { text: 'a' } });
    expect(await one.json('/notes')).toHaveLength(1);
    expect(await other.json('/notes')).toEqual([]);
  });

  it('leaves the database of an application alone that reads variables of its own', async () => {
    verifies('testing.isolated');
    const folder = mkdtempSync(join(tmpdir(), 'waymark-testing-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const app = createApplication('notes', {
      ...{ port: 0, database: `sqlite://${folder}/notes.db`, env: { LOG_LEVEL: 'silent' } },
    }).resource('notes', { text: Type.String() }, { createTable: true });
    const { request, json } = await tested({}, app);
    await request('/notes', { json: { text: 'a' } });
    expect(await json('/notes')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('ends with its scope', async () => {
    verifies('testing.request');
    let url = '';
    {
      await using app = await testApplication(desk());
      ({ url } = app);
      expect((await fetch(`${url}/_svc/health`)).status).toBe(200);
    }
    await expect(fetch(url)).rejects.toThrow();
  });
});

it('the README shows the test of a desk that asks before it refunds', () => {
  const here = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');
  const [, shown] = /```ts agent\.test\.ts\n([\s\S]*?)```/.exec(here('../README.md')) ?? [];
  expect(shown).toBe(here('refunds/agent.test.ts'));
});
