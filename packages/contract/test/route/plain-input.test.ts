import { describe, expect, it } from 'vitest';
import { Type } from '../../src/index.ts';
import { toRoute } from '../../src/route/to-route.ts';

const engine = { kind: 'handler', answer: () => undefined } as const;

describe('the input of a route, as it is held to and shown', () => {
  it('holds every name of a record to its schema, those with line breaks too', () => {
    const counts = Type.Record(Type.String(), Type.Integer());
    const { inputSchema } = toRoute('POST', '/a', engine, { input: { counts, more: Type.Array(counts) } });
    const open = { type: 'object', additionalProperties: { type: 'integer' } };
    expect(inputSchema).toMatchObject({ properties: { counts: open, more: { items: open } } });
    expect(JSON.stringify(inputSchema)).not.toContain('patternProperties');
  });

  it('does not require what has a default, however deep', () => {
    const inner = Type.Object({ a: Type.Array(Type.Integer(), { default: [] }), b: Type.Integer() });
    const shown = { properties: { inner: { required: ['b'] } } };
    expect(toRoute('POST', '/a', engine, { input: { inner } }).inputSchema).toMatchObject(shown);
  });

  it('requires of answers what they give', () => {
    const output = Type.Object({ a: Type.Array(Type.Integer(), { default: [] }) });
    expect(toRoute('GET', '/a', engine, { output }).output).toMatchObject({ 200: { required: ['a'] } });
  });
});
