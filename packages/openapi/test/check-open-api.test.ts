import { createRouteTable, DeclarationError, type Route, Type } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { checkOpenApi, toOpenApi } from '../src/index.ts';
import { route } from './tables.ts';

const lost = { $ref: '#/$defs/Lost' };

/** Facts are the declarer's own, and nobody else looks at them. */
const withFacts = (facts: Route['facts']): Route => ({ ...route('PUT', '/facts', { body: 'bytes' }), facts });

/** What the document itself is refused for. */
function refusals(routes: readonly Route[]): DeclarationError['problems'] {
  try {
    toOpenApi(routes, { title: 'x', version: '1' });
    return [];
  } catch (error) {
    if (error instanceof DeclarationError) return error.problems;
    throw error;
  }
}

describe('checkOpenApi', () => {
  it.each<[string, Route]>([
    ['an answer', withFacts({ answers: { 200: [lost] } })],
    ['an error', withFacts({ failsAs: [{ type: 'array', items: lost }], fails: [404] })],
    ['a body', withFacts({ takes: { allOf: [{ $dynamicRef: '#lost' }] } })],
  ])('finds a reference to nothing in %s, as the document would', (_, one) => {
    const found = checkOpenApi(createRouteTable([one]));
    expect(found).toContainEqual({
      declaration: 'route PUT /facts',
      rule: expect.stringMatching(/^the reference "#.*ost" points to nothing in the schema$/),
      at: 'tables.ts:1',
    });
    expect(refusals([one])).toEqual(expect.arrayContaining([...found]));
  });

  it('finds nothing in references that lead somewhere, and in routes that the document leaves out', () => {
    const Tree = { $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } } };
    const routes = [
      route('POST', '/a/{id}', { input: { id: Type.Integer(), node: { ...Tree, $ref: '#/$defs/Node' } } }),
      route('GET', '/b', { output: { ...Tree, items: { $ref: '#/$defs/Node' } } }),
      { ...withFacts({ answers: { 200: [lost] } }), socket: true },
    ];
    expect(checkOpenApi(createRouteTable(routes))).toEqual([]);
    expect(refusals(routes)).toEqual([]);
  });
});
