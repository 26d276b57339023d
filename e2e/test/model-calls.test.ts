import { setTimeout as sleep } from 'node:timers/promises';
import { defineRoute, HTTPError, Type } from '@waymark/contract';
import type { Host, Plugin } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { type Simulator, startSimulator } from '@waymark/model-simulator';
import { type Application, createApplication } from '@waymark/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { application, secrets, serve } from './served.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({
    apiKeys: [secrets.SHOP_KEY],
    anonymous: true,
    models: ['big', 'small', 'llama'],
  });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

/** Declares the simulator under two names, and a price for one of its models. */
function withModels(app: Application): Application {
  return app
    .provider('claudes', simulator.url, { kind: 'anthropic', apiKeyEnv: 'SHOP_KEY' })
    .provider('others', `${simulator.url}/v1`, { apiKeyEnv: 'SHOP_KEY' })
    .provider('keyless', `${simulator.url}/v1`)
    .models({ default: 'claudes/big', careful: ['others/gone', 'default'], local: 'keyless/llama' })
    .pricing('claudes/big', 5, 25, { cacheReadPerMtok: 0.5 });
}

/** A plugin whose one tool asks a model, and writes down what that cost, as agents will. */
function asker(timeoutMs = 20_000): Plugin {
  const hosts: Host[] = [];
  const ask = defineRoute(
    'POST',
    '/ask',
    {
      tool: true,
      toolName: 'ask',
      timeoutMs,
      input: { model: Type.String({ default: 'default' }), prompt: Type.String() },
    },
    async ({ model, prompt }, { signal, user }) => {
      const [host] = hosts;
      if (!host?.models) throw new HTTPError(503, 'there are no models');
      const reply = await host.models.complete(
        { model, messages: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }], maxTokens: 500 },
        { signal },
      );
      const row = { caller: user.id, atMs: host.now() };
      await host.stores.usage.append(reply.spend.map((spend) => ({ ...spend, ...row })));
      return reply.message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    },
  );
  return { name: 'asker', needs: ['models'], routes: [ask], start: (host) => void hosts.push(host) };
}

async function post(
  url: string,
  body: object,
  signal?: AbortSignal,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  return { status: response.status, body: await response.json() };
}

async function read(url: string, path: string): Promise<unknown> {
  return (await fetch(url + path)).json();
}

/** Waits until the provider has seen a request come, or go. */
async function outcomeOf(...wanted: readonly string[]): Promise<string | undefined> {
  for (let waited = 0; waited < 400; waited++) {
    const outcome = simulator.requests.at(-1)?.outcome;
    if (outcome !== undefined && wanted.includes(outcome)) return outcome;
    await sleep(25);
  }
  return simulator.requests.at(-1)?.outcome;
}

describe('an application with models', () => {
  it('gives its plugins the models it declares, by alias, by provider, and with what is there to fall back on', async () => {
    verifies(
      'face.methods.models',
      'purpose.hosts.aliases',
      'purpose.hosts.providers',
      'declare.models',
      'declare.provider',
    );
    const { url } = await serve(withModels(application()).add(asker()));
    const say = async (model?: string) =>
      post(url, { prompt: '[[say Hello.]]', ...(model !== undefined && { model }) });
    expect(await say()).toEqual({ status: 200, body: 'Hello.' });
    expect(await say('local')).toEqual({ status: 200, body: 'Hello.' });
    expect(await say('others/small')).toEqual({ status: 200, body: 'Hello.' });
    expect(await say('careful')).toEqual({ status: 200, body: 'Hello.' });
    const sent = simulator.requests.map(({ format, body, auth, status }) => {
      const { model } = body as { readonly model: string };
      return `${format} ${model} with ${auth}: ${status}`;
    });
    expect(sent).toEqual([
      'anthropic big with x-api-key: 200',
      'openai llama with none: 200',
      'openai small with bearer: 200',
      'openai gone with bearer: 404',
      'anthropic big with x-api-key: 200',
    ]);
  });

  it('reads variables where the application does: keys, and where Ollama is', async () => {
    verifies('model.provider.keys');
    const env = { LOG_LEVEL: 'silent', OLLAMA_HOST: new URL(simulator.url).host, ANTHROPIC_API_KEY: 'a-key' };
    const { url } = await serve(createApplication('shop', { port: 0, env }).add(asker()));
    expect(await post(url, { model: 'ollama/llama', prompt: '[[say Hello.]]' })).toMatchObject({
      status: 200,
    });
    expect(await read(url, '/_svc/models')).toMatchObject({
      anthropic: true,
      openai: false,
      providers: [
        { name: 'anthropic', live: true },
        { name: 'openai', live: false, api_key_env: 'OPENAI_API_KEY' },
        { name: 'ollama', live: true, host: env.OLLAMA_HOST },
      ],
    });
  });

  it('shows what was spent, by caller, model and time', async () => {
    verifies('control.usage', 'usage.members', 'usage.unpriced', 'purpose.hosts.pricing', 'declare.pricing');
    const { url } = await serve(withModels(application()).add(asker()));
    await post(url, { prompt: '[[usage input=1000 output=100 cached=400]] [[say Hello.]]' });
    const row = {
      calls: 1,
      input_tokens: 1000,
      output_tokens: 100,
      cache_read_tokens: 400,
      cache_write_tokens: 0,
      // (600 × 5 + 400 × 0.5 + 100 × 25) / 1,000,000
      cost_usd: 0.0057,
    };
    const today = new Date().toISOString().slice(0, 10);
    expect(await read(url, '/_svc/usage')).toEqual({
      since_ms: null,
      bucket: 'day',
      totals: row,
      total_tokens: 1100,
      by_caller: { anonymous: row },
      by_model: { 'claudes/big': row },
      by_time: { [today]: row },
      estimated_cost_usd: 0.0057,
      priced_cost_usd: 0.0057,
      unpriced_models: [],
    });
    await post(url, { model: 'local', prompt: '[[usage input=10 output=1]] [[say Hello.]]' });
    expect(await read(url, '/_svc/usage')).toMatchObject({
      totals: { calls: 2, cost_usd: null },
      by_model: { 'claudes/big': { cost_usd: 0.0057 }, 'keyless/llama': { cost_usd: null } },
      unpriced_models: ['keyless/llama'],
    });
  });

  it('lists aliases, which providers are live, and prices, and shows no key', async () => {
    verifies('control.models', 'listing.models.members');
    const app = withModels(application()).provider('far', 'https://far.example.com/v1', {
      apiKeyEnv: 'FAR_KEY',
    });
    const { url } = await serve(app);
    const listing = (await read(url, '/_svc/models')) as Record<string, unknown>;
    expect(listing).toMatchObject({
      aliases: {
        default: 'claudes/big',
        fast: 'claude-haiku-4-5-20251001',
        careful: ['others/gone', 'default'],
        local: 'keyless/llama',
      },
      resolved: { fast: ['anthropic/claude-haiku-4-5-20251001'], careful: ['others/gone', 'claudes/big'] },
      anthropic: false,
      openai: false,
      prefixes: ['anthropic', 'openai', 'ollama', 'claudes', 'others', 'keyless', 'far'],
      priced_models: ['claudes/big'],
      prices: [{ model: 'claudes/big', input_per_mtok: 5, output_per_mtok: 25, cache_read_per_mtok: 0.5 }],
    });
    const rows = new Map((listing['providers'] as { name: string }[]).map((row) => [row.name, row]));
    expect(rows.get('claudes')).toEqual({
      name: 'claudes',
      kind: 'anthropic',
      host: new URL(simulator.url).host,
      api_key_env: 'SHOP_KEY',
      live: true,
      built_in: false,
    });
    expect(rows.get('far')).toMatchObject({ api_key_env: 'FAR_KEY', live: false });
    expect(rows.get('keyless')).toMatchObject({ api_key_env: null, live: true });
    expect(JSON.stringify(listing)).not.toContain(secrets.SHOP_KEY);
  });

  it('aborts the call of a provider when the route is out of time, and when the caller goes away', async () => {
    verifies('http.timeout.providers');
    const { url } = await serve(withModels(application()).add(asker(400)));
    expect(await post(url, { prompt: '[[hang]]' })).toMatchObject({ status: 504 });
    expect(await outcomeOf('aborted')).toBe('aborted');

    simulator.reset();
    const patient = await serve(withModels(application()).add(asker()));
    const caller = new AbortController();
    const gone = post(patient.url, { prompt: '[[hang]]' }, caller.signal).catch((error: unknown) => error);
    expect(await outcomeOf('open')).toBe('open');
    caller.abort();
    await gone;
    expect(await outcomeOf('aborted')).toBe('aborted');
    expect(simulator.requests).toHaveLength(1);
  });

  it('aborts it at the end of a shutdown, too', async () => {
    verifies('http.timeout.providers');
    const running = await serve(withModels(application({ shutdownTimeout: 0.3 })).add(asker()));
    const answer = post(running.url, { prompt: '[[hang]]' }).catch((error: unknown) => error);
    expect(await outcomeOf('open')).toBe('open');
    await running.close();
    await answer;
    expect(await outcomeOf('aborted')).toBe('aborted');
  });

  it('answers 502 where a key is missing, names its variable, and serves everything else', async () => {
    verifies('model.provider.missing-key');
    const { url } = await serve(withModels(application()).add(asker()));
    expect(await post(url, { model: 'fast', prompt: 'Hello.' })).toMatchObject({
      status: 502,
      body: { detail: expect.stringContaining('ANTHROPIC_API_KEY') as string },
    });
    expect(await post(url, { prompt: '[[say Hello.]]' })).toMatchObject({ status: 200 });
    // What the provider says of a failure stays in the log.
    expect(await post(url, { prompt: '[[error 400 message="the secret word is fish"]]' })).toMatchObject({
      status: 502,
      body: { detail: expect.not.stringContaining('fish') as string },
    });
  });
});
