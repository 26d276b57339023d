import { DeclarationError, defineRoute, toRoute } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type EmbedOptions, embed, embedRules } from '../src/index.ts';
import { embedded, witness } from './served.ts';

const route = defineRoute('GET', '/a', {}, () => 1);

/** The problems that keep it from starting. What is given may be what only JavaScript lets pass. */
async function problemsOf(options: unknown): Promise<DeclarationError['problems']> {
  const refused = await embed(options as EmbedOptions).catch((error: unknown) => error);
  if (!(refused instanceof DeclarationError)) throw new Error('it started', { cause: refused });
  return refused.problems;
}

describe('embed', () => {
  it('refuses all that is wrong at once, and starts nothing', async () => {
    verifies('embed.checks');
    const told: string[] = [];
    const bad = witness('bad', told, {
      needs: ['runner', 'outbound'],
      check: ({ env, table }) => [{ declaration: 'plugin', rule: `${env('A')} ${[...table].length}` }],
    });
    const problems = await problemsOf({
      routes: [route, route, toRoute('GET', '/b/:id', { kind: 'handler' }, {})],
      plugins: [bad, witness('bad', told)],
      env: (name: string) => `${name} is read`,
      cors: { origins: [] },
      mountPath: 'api/',
    });
    expect(problems.map(({ code, declaration, rule }) => [code, declaration, rule])).toEqual([
      ['route-twice', 'route GET /a', expect.any(String)],
      ['path-segment', 'route GET /b/:id', expect.any(String)],
      ['cors-no-origin', 'cors', 'no origin is listed'],
      [undefined, 'mountPath', '"api/" is not a path of plain segments'],
      ['plugin-need', 'plugin "bad"', 'needs runner'],
      ['plugin-twice', 'plugin "bad"', 'another plugin has this name'],
      [undefined, 'plugin', 'A is read 2'],
    ]);
    expect(told).toEqual([]);
  });

  it.each([
    [[], 'the options are not an object', undefined],
    [{ plugin: [] }, 'unknown option "plugin"', 'plugins'],
    [{ routes: route }, 'routes is not a list', undefined],
    [{ routes: [[route]] }, 'a list stands in routes', undefined],
    [{ plugins: [Promise.resolve(witness('a', []))] }, 'a promise stands in plugins', undefined],
    [{ routes: [witness('a', [])] }, 'a plugin stands in routes', undefined],
    [{ plugins: [route] }, 'a route stands in plugins', undefined],
    [{ plugins: [7] }, 'something in plugins is none', undefined],
    [{ mountPath: 7 }, 'mountPath is not a text', undefined],
    [{ authenticate: {} }, 'authenticate is not a function', undefined],
    [{ shutdownTimeoutMs: -1 }, 'shutdownTimeoutMs is not a number from 0', undefined],
  ])('refuses %j, which only a program without types can say', async (options, rule, nearest) => {
    verifies('embed.checks');
    const [problem] = await problemsOf(options);
    expect([problem?.rule, problem?.nearest]).toEqual([rule, nearest]);
  });

  it('logs what is odd, and starts', async () => {
    verifies('embed.warns');
    const odd = witness('odd', [], {
      check: () => [{ code: 'odd', declaration: 'thing', rule: 'is odd', severity: 'warning' }],
    });
    const { logged } = await embedded({ plugins: [odd] });
    expect(logged).toEqual([{ level: 'warn', message: 'thing: is odd', fields: { code: 'odd' } }]);
  });

  it('has a rule for each code', () => {
    expect(Object.keys(embedRules).sort()).toEqual([
      'embed-function',
      'embed-part',
      'embed-time',
      'nobody-known',
      'plugin-need',
      'plugin-twice',
    ]);
  });
});
