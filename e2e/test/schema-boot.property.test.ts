import { callTool, createRouteTable, defineRoute } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import { byTier, verifies } from '@waymark/contract/testing';
import { createDispatcher } from '@waymark/core-routes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const names = ['a', 'b', 'c'];
const name = fc.constantFrom(...names);
const types = fc.constantFrom('string', 'integer', 'number', 'boolean', 'object', 'array', 'null', 'sting');
const small = fc.oneof(fc.integer({ min: -1, max: 5 }), fc.constant('2'));
const patterns = fc.constantFrom(
  '^a+$',
  '(',
  '\\p{L}',
  '[',
  '(?<x>a)\\k<x>',
  '\\u{1F600}',
  'a{2,1}',
  '\\k<y>',
  '',
);
const references = fc.constantFrom(
  '#',
  '#/$defs/a',
  '#/$defs/b/properties/a',
  '#a',
  'https://x.test/s',
  'a',
  '#/%',
);

/** Any value is fine for some keywords, and wrong for others. */
const schemas = fc.letrec((tie) => {
  const schema = tie('schema');
  const list = fc.array(schema, { maxLength: 3 });
  const byName = fc.dictionary(name, schema, { maxKeys: 3 });
  return {
    schema: fc.oneof(
      // Deeper ones are refused, all of them, and take most of the time.
      { maxDepth: 2, depthSize: 'small' },
      fc.record({ type: fc.oneof(types, fc.array(types, { maxLength: 2 })) }, { requiredKeys: [] }),
      fc.record(
        {
          type: types,
          $id: fc.constantFrom('https://x.test/s', 'a'),
          $anchor: name,
          $ref: references,
          $defs: byName,
          properties: byName,
          patternProperties: fc.dictionary(patterns, schema, { maxKeys: 2 }),
          additionalProperties: fc.oneof(schema, fc.boolean()),
          propertyNames: schema,
          required: fc.array(name, { maxLength: 2 }),
          dependentRequired: fc.dictionary(name, fc.array(name), { maxKeys: 2 }),
          items: fc.oneof(schema, list),
          prefixItems: list,
          contains: schema,
          ...{ allOf: list, anyOf: list, oneOf: list },
          ...Object.fromEntries(['not', 'if', 'then', 'else'].map((keyword) => [keyword, schema])),
          ...{ enum: fc.array(fc.jsonValue(), { maxLength: 3 }), const: fc.jsonValue() },
          ...{ pattern: patterns, format: fc.constantFrom('email', 'date-time', 'odd', 'regex') },
          ...{ minLength: small, maxItems: small, minimum: small, multipleOf: small },
          ...{ uniqueItems: fc.boolean(), default: fc.jsonValue() },
        },
        { requiredKeys: [] },
      ),
    ),
  };
}).schema;

const principal: Principal = { id: 'ann', rootId: 'ann', authenticated: true, scopes: [] };

describe('a schema that passes the boot', () => {
  it('fails no request: it is compiled when its route is first called', { timeout: 120_000 }, async () => {
    verifies('boot.nothing-waits');
    const seen = { started: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(schemas, fc.jsonValue(), async (schema, value) => {
        const route = defineRoute('POST', '/x', { input: { a: schema } }, () => 'here');
        const table = createRouteTable([route]);
        if (table.problems.length > 0) {
          seen.refused++;
          return;
        }
        seen.started++;
        const result = await callTool(createDispatcher(table.freeze()), {
          ...{ route, principal, via: 'mcp', requestId: 'r' },
          arguments: { a: value },
        });
        expect([200, 422]).toContain(result.status);
      }),
      { numRuns: byTier({ quick: 100, slow: 150, drill: 600 }), seed: 7 },
    );
    // The property says something only where both happen.
    expect(seen.started).toBeGreaterThan(20);
    expect(seen.refused).toBeGreaterThan(20);
  });
});
