import { verifies } from '@waymark/contract/testing';
import { controlPlane, type ModelsFacts } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';
import { ask, options, tableOf } from './serve.ts';

const models = 'get_svc_models';

const facts: ModelsFacts = {
  aliases: [
    { alias: 'default', targets: ['claude-opus-5'], models: ['anthropic/claude-opus-5'] },
    { alias: 'smart', targets: ['default', 'router/big'], models: ['anthropic/claude-opus-5', 'router/big'] },
    { alias: 'lost', targets: ['nowhere'], models: [] },
  ],
  providers: [
    {
      name: 'anthropic',
      kind: 'anthropic',
      host: 'api.anthropic.com',
      apiKeyEnv: 'ANTHROPIC_API_KEY',
      live: true,
      builtIn: true,
    },
    {
      name: 'openai',
      kind: 'openai',
      host: 'api.openai.com',
      apiKeyEnv: 'OPENAI_API_KEY',
      live: false,
      builtIn: true,
    },
    { name: 'router', kind: 'openai', host: '10.0.0.7:8080', apiKeyEnv: null, live: true, builtIn: false },
  ],
  prices: [
    { model: 'router/big', inputPerMtok: 5, outputPerMtok: 25, cacheReadPerMtok: 0.5, cacheWritePerMtok: 0 },
  ],
};

describe('GET /models', () => {
  it('shows aliases as declared and resolved, which providers are live, and prices', async () => {
    verifies('control.models', 'listing.models.members');
    expect(await ask(tableOf([], { models: () => facts }), models)).toEqual({
      aliases: { default: 'claude-opus-5', smart: ['default', 'router/big'], lost: 'nowhere' },
      resolved: {
        default: ['anthropic/claude-opus-5'],
        smart: ['anthropic/claude-opus-5', 'router/big'],
        lost: [],
      },
      anthropic: true,
      openai: false,
      prefixes: ['anthropic', 'openai', 'router'],
      providers: [
        {
          name: 'anthropic',
          kind: 'anthropic',
          host: 'api.anthropic.com',
          api_key_env: 'ANTHROPIC_API_KEY',
          live: true,
          built_in: true,
        },
        {
          name: 'openai',
          kind: 'openai',
          host: 'api.openai.com',
          api_key_env: 'OPENAI_API_KEY',
          live: false,
          built_in: true,
        },
        {
          name: 'router',
          kind: 'openai',
          host: '10.0.0.7:8080',
          api_key_env: null,
          live: true,
          built_in: false,
        },
      ],
      priced_models: ['router/big'],
      prices: [
        {
          model: 'router/big',
          input_per_mtok: 5,
          output_per_mtok: 25,
          cache_read_per_mtok: 0.5,
          cache_write_per_mtok: 0,
        },
      ],
    });
  });

  it('asks anew each time, so a key that came later counts', async () => {
    let live = false;
    const [first] = facts.providers;
    const table = tableOf([], {
      models: () => ({ ...facts, providers: first ? [{ ...first, live }] : [] }),
    });
    expect(await ask(table, models)).toMatchObject({ anthropic: false });
    live = true;
    expect(await ask(table, models)).toMatchObject({ anthropic: true });
  });

  it('is empty in an application that tells of none', async () => {
    expect(await ask(tableOf([]), models)).toEqual({
      aliases: {},
      resolved: {},
      anthropic: false,
      openai: false,
      prefixes: [],
      providers: [],
      priced_models: [],
      prices: [],
    });
  });

  it('describes exactly the members it answers, row by row', async () => {
    const [route] = controlPlane(options).routes.filter(({ name }) => name === models);
    const answer = (await ask(tableOf([], { models: () => facts }), models)) as Record<string, object[]>;
    expect(route?.output[200]).toMatchObject({
      required: Object.keys(answer),
      additionalProperties: false,
      properties: {
        providers: { items: { required: Object.keys(answer['providers']?.[0] ?? {}) } },
        prices: { items: { required: Object.keys(answer['prices']?.[0] ?? {}) } },
      },
    });
  });
});
