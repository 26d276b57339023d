import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { readSchema, readWholeSchema } from '../../src/declaring/read-schema.ts';
import { toEnforcedSchema } from '../../src/route/parameters.ts';
import { from } from '../../src/route/place.ts';
import { toRoute } from '../../src/route/to-route.ts';
import type { StandardSchema } from '../../src/schema/standard-schema.ts';
import { verifies } from '../../src/testing/index.ts';

const library = (given: object = {}, vendor = 'byhand'): StandardSchema => ({
  '~standard': {
    ...{ version: 1, vendor },
    validate: (value: unknown) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no' }] }),
    jsonSchema: { input: () => ({ $schema: 'x', type: 'string' }), output: () => ({ type: 'integer' }) },
    ...given,
  },
});

const read = (given: object, side: 'input' | 'output' = 'input') => {
  const { schema, standard, faults } = readSchema(given, side, 'it');
  return {
    schema,
    library: standard !== undefined,
    faults: faults.map(({ rule, fix }) => `${rule}; ${fix}`),
  };
};

describe('readSchema', () => {
  it('reads the side that is asked for', () => {
    verifies('face.library.described');
    expect(read(library())).toEqual({ schema: { type: 'string' }, library: true, faults: [] });
    expect(read(library(), 'output')).toEqual({ schema: { type: 'integer' }, library: true, faults: [] });
    expect(read(Object.assign(() => 1, library()))).toMatchObject({
      schema: { type: 'string' },
      library: true,
    });
  });

  it('leaves TypeBox and JSON Schema as they are', () => {
    const schema = Type.String();
    expect(readSchema(schema, 'input', 'it')).toEqual({ schema, standard: undefined, faults: [] });
    expect(read(Object.create(null) as object)).toMatchObject({ library: false, faults: [] });
  });

  it('looks through a reference at the root, and keeps what else is referred to', () => {
    const named = (schema: object) => library({ jsonSchema: { input: () => schema, output: () => schema } });
    expect(read(named({ $ref: '#/$defs/N', $defs: { N: { type: 'number' } } })).schema).toEqual({
      type: 'number',
    });
    const tree = { type: 'array', items: { $ref: '#/$defs/T' } };
    expect(read(named({ $ref: '#/$defs/T', $defs: { T: tree } })).schema).toEqual({
      ...tree,
      $defs: { T: tree },
    });
  });

  it('leaves formats that only the library knows out, wherever they stand, and what it says of them beside', () => {
    verifies('face.library.described');
    const given = {
      type: 'object',
      properties: {
        format: { type: 'string', format: 'base64', contentEncoding: 'base64' },
        code: { anyOf: [{ type: 'string', format: 'starts_with', pattern: '^a' }, { format: 'email' }] },
      },
      default: { format: 'jwt' },
    };
    expect(read(library({ jsonSchema: { input: () => given } })).schema).toEqual({
      ...given,
      properties: {
        format: { type: 'string', contentEncoding: 'base64' },
        code: { anyOf: [{ type: 'string', pattern: '^a' }, { format: 'email' }] },
      },
    });
    // What a program writes itself is its own business.
    expect(read({ type: 'string', format: 'card' }).schema).toEqual({ type: 'string', format: 'card' });
  });

  it.each<[object, string]>([
    [
      library({ validate: undefined }, 'effect'),
      'it is a schema of effect that validates nothing; write Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.toCodecJson(schema))), from effect 4',
    ],
    [
      library({ jsonSchema: undefined }, 'valibot'),
      'it is a schema of valibot that gives no JSON Schema; write toStandardJsonSchema(schema), from @valibot/to-json-schema',
    ],
    [
      library({ jsonSchema: undefined }, 'zod'),
      'it is a schema of zod that gives no JSON Schema; take it from zod 4.2 or newer, whose schemas give their JSON Schema',
    ],
    [
      library({ jsonSchema: undefined }, 'constructor'),
      'it is a schema of constructor that gives no JSON Schema; write it with Type.…, as JSON Schema, or with a library that has ~standard.jsonSchema',
    ],
    [
      library({
        jsonSchema: {
          input: () => {
            throw new Error('Date has none\nat all');
          },
        },
      }),
      'it is a schema of byhand that gives no JSON Schema of its input: Date has none; write what JSON can hold, and turn it into what you need with a transform',
    ],
    [
      new Map(),
      'it is an object of the class Map, not a schema; write it with Type.…, as JSON Schema, or with a library that has ~standard.jsonSchema',
    ],
  ])('refuses what could not be enforced: %o', (given, line) => {
    verifies('face.library.refused');
    expect(read(given)).toEqual({ schema: {}, library: false, faults: [line] });
  });

  it('is told of schemas that hold themselves', () => {
    const endless: Record<string, unknown> = { type: 'object' };
    endless['properties'] = { endless };
    expect(read(endless).faults[0]).toContain('holds itself');
    expect(read(library({ jsonSchema: { input: () => endless } })).faults[0]).toContain('holds itself');
  });
});

describe('readWholeSchema', () => {
  it('looks into the schema, too', () => {
    expect(readWholeSchema({ type: 'strin' }, 'input', 'it').faults[0]?.rule).toContain(
      'it has the type "strin"',
    );
    const odd = { jsonSchema: { input: () => ({ type: 'string', own: 1, default: 5 }) } };
    // Words of the library's own, which nobody else is held to.
    expect(readWholeSchema(library(odd), 'input', 'it').faults).toEqual([]);
    const lost = { jsonSchema: { input: () => ({ $ref: '#/$defs/lost' }) } };
    expect(readWholeSchema(library(lost), 'input', 'it').faults[0]?.rule).toContain('points to nothing');
  });
});

describe('a route with schemas of libraries', () => {
  it('needs what its library needs, asked once and whatever it answers', () => {
    const needs = (validate: () => unknown, schema: object = {}): unknown => {
      const { parameters } = toRoute(
        'POST',
        '/p',
        { kind: 'handler' },
        { input: { o: library({ validate, jsonSchema: { input: () => schema } }) } },
      );
      return parameters[0]?.required;
    };
    expect(needs(() => ({ value: undefined }))).toBe(false);
    expect(needs(() => ({ issues: [] }))).toBe(true);
    expect(
      needs(() => {
        throw new Error('unexpected');
      }),
    ).toBe(true);
    expect(needs(() => Promise.reject(new Error('later')))).toBe(true);
    expect(needs(() => Promise.resolve({ value: 1 }), { default: 1 })).toBe(false);
  });

  it('moves one, be it a function or of a class', () => {
    const moved = from(
      'query',
      Object.assign(() => 1, library()),
    );
    const { parameters, problems } = toRoute('POST', '/p', { kind: 'handler' }, { input: { o: moved } });
    expect(problems).toEqual([]);
    expect(parameters[0]).toMatchObject({
      name: 'o',
      place: 'query',
      schema: { type: 'string' },
      required: true,
    });
  });

  it("leaves to JSON Schema what is no library's", () => {
    const route = toRoute('POST', '/p', { kind: 'handler' }, { input: { o: library(), n: Type.Integer() } });
    expect(toEnforcedSchema(route)).toEqual({
      type: 'object',
      properties: { o: {}, n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    });
    const plain = toRoute('POST', '/p', { kind: 'handler' }, { input: { n: Type.Integer() } });
    expect(toEnforcedSchema(plain)).toBe(plain.inputSchema);
  });
});
