import { readFileSync } from 'node:fs';
import { toProblemLine } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { untyped } from './fixtures/mistake.ts';
import { application, ask, serve } from './serve.ts';

const here = 'apps/server/test/models.test.ts';
const router = 'https://router.example.com/v1';

/** The line of this file that holds a word. */
function lineOf(word: string): number {
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(word) && !line.includes('lineOf(')) + 1;
}

describe('models, provider and pricing', () => {
  it('are there, chain, and have a listing with what is built in before anything is declared', async () => {
    verifies('face.methods.models', 'control.models', 'model.alias.default', 'model.alias.fast');
    const app = application();
    expect(app.models({})).toBe(app);
    expect(app.provider('router', router)).toBe(app);
    expect(app.pricing('router/a', 1, 2)).toBe(app);
    const { url } = await serve(application());
    const { body } = await ask(`${url}/_svc/models`);
    expect(body).toMatchObject({
      aliases: { default: 'claude-opus-5', fast: 'claude-haiku-4-5-20251001' },
      prefixes: ['anthropic', 'openai', 'ollama'],
      priced_models: [],
    });
  });

  it('are reported with the line of each where something is wrong, options of no form included', () => {
    verifies('boot.error.place');
    const app = application();
    app.models({ loop: 'loop' });
    app.provider('router', router, untyped('no-options'));
    app.pricing('default', 5, 25, untyped({ cacheRead: 1 }));
    expect(app.check().map(toProblemLine)).toEqual([
      expect.stringMatching(
        `^${here}:${lineOf("'no-options'")} .*provider "router": the options are not an object`,
      ),
      expect.stringMatching(
        `^${here}:${lineOf("loop: 'loop'")} .*the alias leads back to itself: loop → loop`,
      ),
      expect.stringMatching(`^${here}:${lineOf('{ cacheRead: 1 }')} .*unknown option "cacheRead"`),
    ]);
  });

  it('pass on the place that a wrapping function names', () => {
    const declaredAt = 'my/wrapper.ts:7';
    const app = application()
      .models({ loop: 'loop' }, { declaredAt })
      .provider('a b', router, { declaredAt })
      .pricing('default', -5, 25, { declaredAt });
    expect(app.check().map(({ at }) => at)).toEqual([declaredAt, declaredAt, declaredAt]);
  });
});

describe('the startup report', () => {
  it('warns about declared models that cannot be called, or whose cost nobody will know, at their lines', async () => {
    const app = application();
    app.provider('router', router, { apiKeyEnv: 'ROUTER_KEY' });
    app.models({ smart: ['router/a', 'default'], local: 'ollama/llama' });
    const { report } = await serve(app);
    expect(report.warnings.slice(0, 2)).toMatchObject([
      {
        code: 'provider-key',
        text: 'provider "router": the variable ROUTER_KEY is not set, so every call of it will fail',
        at: { file: here, line: lineOf("'ROUTER_KEY' }") },
      },
      {
        code: 'model-unpriced',
        text: 'models: router/a, anthropic/claude-opus-5 have no price, so the cost will be unknown',
        at: { file: here, line: lineOf("['router/a', 'default']") },
      },
    ]);
  });

  it('says nothing where models are priced, by whole name or bare, free of charge, or only built in', async () => {
    const app = application({}, { ROUTER_TOKEN: 'a-token' })
      .provider('router', router, { apiKeyEnv: 'ROUTER_TOKEN' })
      .provider('local', 'http://127.0.0.1:9/v1')
      .models({ smart: ['router/a', 'openai/b', 'local/c', 'ollama/d'] })
      .pricing('router/a', 1, 2)
      .pricing('b', 1, 2);
    expect(app.check()).toEqual([]);
    expect(application().check()).toEqual([]);
  });
});
