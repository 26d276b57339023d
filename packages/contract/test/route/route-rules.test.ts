import Type from 'typebox';
import { expect, it } from 'vitest';
import { defineRoute } from '../../src/route/define-route.ts';
import { from } from '../../src/route/place.ts';
import { routeRules } from '../../src/route/route-rules.ts';

it('every problem of a route has a code of the rules, and a fix or the nearest name', () => {
  const { problems } = defineRoute(
    'GTE' as never,
    'a//{id}/{id}',
    {
      ...{
        tol: 1,
        tool: 'x',
        toolName: '',
        scopes: 'a',
        timeoutMs: -1,
        approval: 'no',
        approver: { scope: 1 },
      },
      input: {
        a: 5,
        b: from('path', Type.BigInt()),
        c: from('qeury' as never, Type.Object({})),
        id: from('content', Type.String({ pattern: '(', minLength: -1, default: 5 })),
      },
      output: { 200: null, '2xx': {} },
    } as never,
    undefined as never,
  );
  expect(problems.length).toBeGreaterThan(18);
  for (const { code, fix, nearest } of problems) {
    expect(routeRules).toHaveProperty(code ?? 'none');
    expect(fix ?? nearest).toEqual(expect.any(String));
  }
});
