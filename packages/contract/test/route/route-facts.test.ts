import { describe, expect, it } from 'vitest';
import { Type } from '../../src/index.ts';
import { media } from '../../src/route/media.ts';
import { answersOf } from '../../src/route/route-facts.ts';
import { toRoute } from '../../src/route/to-route.ts';

describe('answersOf', () => {
  it('gives what tools are told of and what only documents are, by status', () => {
    const [row, picture] = [Type.Object({ id: Type.Integer() }), media('image/*')];
    const route = toRoute(
      'GET',
      '/a',
      { kind: 'handler' },
      { output: { 200: row }, facts: { answers: { 200: [picture], 206: [picture], 202: [] } } },
    );
    expect(answersOf(route)).toEqual({ 200: [row], 202: [], 206: [picture] });
    expect(answersOf(toRoute('GET', '/a', { kind: 'handler' }))).toEqual({});
  });
});
