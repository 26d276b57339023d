import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Type } from '../../src/index.ts';
import { boundTexts, maxPatternLength } from '../../src/schema/bound-texts.ts';

const pattern = '^[^@]+@[^@]+$';

describe('boundTexts', () => {
  it('gives a text with a pattern 1,024 characters, wherever it stands', () => {
    verifies('route.pattern.length');
    const text = { type: 'string', pattern };
    const bound = { ...text, maxLength: maxPatternLength };
    const around = (one: object) => ({
      $defs: { T: one },
      properties: { pattern: one, list: { items: one }, tuple: { prefixItems: [one] } },
      additionalProperties: one,
      propertyNames: one,
      anyOf: [one, { allOf: [one] }],
      if: { type: 'object' },
      else: one,
    });
    expect(boundTexts(around(text))).toEqual(around(bound));
  });

  it.each([
    ['quadratic', pattern, 1_024],
    ['cubic', '^\\S+@\\S+\\.\\S+$', 256],
    ['worse', '^.*.*.*.*x$', 64],
    ['none at all', '(', 1_024],
  ])('gives less to those that cost more: %s', (_, source, maxLength) => {
    verifies('route.pattern.length');
    expect(boundTexts({ type: 'string', pattern: source })).toHaveProperty('maxLength', maxLength);
    expect(boundTexts({ patternProperties: { [source]: {} } })).toHaveProperty('propertyNames', {
      maxLength,
    });
  });

  it('leaves alone what has a length, or nothing to match', () => {
    for (const schema of [
      { type: 'string' },
      { type: 'string', pattern, maxLength: 9 },
      { type: 'string', format: 'uri' },
      { type: 'string', format: 'email' },
      { type: 'string', pattern, contentEncoding: 'base64' },
      { type: ['integer', 'null'], pattern },
      { properties: { pattern: { type: 'string' } } },
      { default: { pattern: 'x' }, enum: [{ pattern: 'x' }] },
      { patternProperties: { '^.*$': {} } },
      { patternProperties: { '^[\\s\\S]*$': {} } },
      { patternProperties: { '^a+$': {} }, propertyNames: { maxLength: 5_000 } },
    ])
      expect(boundTexts(schema)).toBe(schema);
  });

  it('bounds the formats that take long', () => {
    for (const format of ['date-time', 'idn-hostname', 'regex', 'uri-template'])
      expect(boundTexts({ type: 'string', format })).toHaveProperty('maxLength', 1_024);
  });

  it('lets nothing pass that was refused for matching', () => {
    expect(boundTexts({ not: { pattern: 'x' } })).toEqual({
      maxLength: 1_024,
      not: { pattern: 'x', maxLength: 1_024 },
    });
    expect(
      boundTexts({ maxLength: 5_000, not: { anyOf: [{ pattern: 'x' }, { pattern: 'y', maxLength: 3 }] } }),
    ).toEqual({
      maxLength: 5_000,
      not: {
        anyOf: [
          { pattern: 'x', maxLength: 5_000 },
          { pattern: 'y', maxLength: 3 },
        ],
      },
    });
    expect(boundTexts({ if: { pattern: 'x' }, else: { minLength: 3 } })).toEqual({
      maxLength: 1_024,
      if: { pattern: 'x', maxLength: 1_024 },
      else: { minLength: 3 },
    });
  });

  it('keeps the hidden marks of a schema', () => {
    const schema = Type.Optional(Type.String({ pattern }));
    expect('~optional' in boundTexts(schema as never)).toBe(true);
  });
});
