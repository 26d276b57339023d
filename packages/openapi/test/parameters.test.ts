import { from, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toOpenApi } from '../src/index.ts';
import { documentOf, operationOf, route } from './tables.ts';

const word = '#/components/schemas/Word';
const $defs = {
  Maybe: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
  Alias: { $ref: '#/$defs/Maybe' },
  Null: { enum: [null] },
  Word: { type: 'string' },
  Words: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/Word' } }, { type: 'null' }] },
  Fixed: {
    $id: 'https://x.test/fixed',
    anyOf: [{ $ref: '#/$defs/Word' }, { type: 'null' }],
    $defs: { Word: { type: 'boolean' } },
  },
};

describe('toParameters', () => {
  it('describes path parameters in the order of the path, as text where no schema is given', () => {
    verifies('openapi.parameters');
    const operation = operationOf(
      route('GET', '/a/{id}/b/{name}', { input: { id: { type: 'integer', minimum: 1 } } }),
    );
    expect(operation.parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
      { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
    ]);
  });

  it('describes query parameters: required ones, optional ones, ones with a default, lists', () => {
    const input = {
      needed: { type: 'string' },
      maybe: Type.Optional({ type: 'boolean' }),
      limit: { type: 'integer', default: 50 },
      tags: Type.Optional({ type: 'array', items: { type: 'string' } }),
    };
    expect(operationOf(route('GET', '/a', { input })).parameters).toEqual([
      { name: 'needed', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'maybe', in: 'query', required: false, schema: { type: 'boolean' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 50 } },
      {
        name: 'tags',
        in: 'query',
        required: false,
        style: 'form',
        explode: true,
        schema: { type: 'array', items: { type: 'string' } },
      },
    ]);
  });

  it.each<[string, object, object]>([
    ['one of two types', { type: ['string', 'null'], maxLength: 5 }, { type: 'string', maxLength: 5 }],
    ['one of three', { type: ['string', 'integer', 'null'] }, { type: ['string', 'integer'] }],
    [
      'a branch',
      { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], description: 'How many.' },
      { type: 'integer', minimum: 1, description: 'How many.' },
    ],
    [
      'a branch of several',
      { oneOf: [{ type: 'integer' }, { const: 'all' }, { const: null }] },
      { oneOf: [{ type: 'integer' }, { const: 'all' }] },
    ],
    ['a value', { enum: ['open', null, 'closed'] }, { enum: ['open', 'closed'] }],
    [
      'of items',
      { type: 'array', items: { type: ['string', 'null'] } },
      { type: 'array', items: { type: 'string' } },
    ],
  ])('offers no null where text is all there is: %s', (_, given, shown) => {
    const inQuery = operationOf(route('GET', '/a', { input: { q: Type.Optional(given) } }));
    expect(inQuery.parameters?.[0]?.schema).toEqual(shown);
    const inPath = operationOf(route('GET', '/a/{q}', { input: { q: given } }));
    expect(inPath.parameters?.[0]?.schema).toEqual(shown);
    // JSON has null.
    const inBody = operationOf(route('POST', '/a', { input: { q: given } }));
    expect(inBody.requestBody?.content['application/json']?.schema).toMatchObject({
      properties: { q: given },
    });
  });

  it.each<[string, object, object]>([
    ['a definition', { $ref: '#/$defs/Maybe' }, { type: 'integer', minimum: 1 }],
    [
      'a definition of a definition, with words of its own',
      { $ref: '#/$defs/Alias', description: 'Whose.' },
      { type: 'integer', minimum: 1, description: 'Whose.' },
    ],
    [
      'a definition beside what it says as well',
      { $ref: '#/$defs/Maybe', minimum: 5 },
      { minimum: 5, allOf: [{ type: 'integer', minimum: 1 }] },
    ],
    ['a choice of it', { anyOf: [{ $ref: '#/$defs/Null' }, { $ref: '#/$defs/Word' }] }, { $ref: word }],
    [
      'a part',
      { allOf: [{ type: ['string', 'null'] }, { minLength: 2 }] },
      { allOf: [{ type: 'string' }, { minLength: 2 }] },
    ],
    [
      'a part that is a definition',
      { allOf: [{ $ref: '#/$defs/Maybe' }, { maximum: 9 }] },
      { allOf: [{ type: 'integer', minimum: 1 }, { maximum: 9 }] },
    ],
    [
      'items by their places',
      { type: 'array', prefixItems: [{ type: ['string', 'null'] }, { $ref: '#/$defs/Maybe' }] },
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer', minimum: 1 }] },
    ],
    ['a definition without it', { $ref: '#/$defs/Word' }, { $ref: word }],
    [
      'a definition that refers to another',
      { $ref: '#/$defs/Words' },
      { type: 'array', items: { $ref: word } },
    ],
    // A copy of it would refer to something else.
    [
      'a definition that cannot stand elsewhere',
      { $ref: '#/$defs/Fixed' },
      { $ref: '#/components/schemas/Fixed' },
    ],
  ])('offers no null behind references and parts: %s', (_, q, shown) => {
    const input = { type: 'object', properties: { q }, $defs } as const;
    const document = documentOf([
      route('GET', '/a', { input }),
      route('POST', '/a', { input, output: { 200: { $ref: '#/$defs/Maybe', $defs } } }),
    ]);
    expect(document.paths['/a']?.get?.parameters?.[0]?.schema).toEqual(shown);
    // Others who refer to the definition still may give null.
    expect(document.components.schemas['Maybe']).toEqual($defs.Maybe);
  });

  it('comes to an end where definitions lead back, or to more than anybody could write', () => {
    const twice = (i: number): object => ({ anyOf: [{ $ref: `#/$defs/${i}` }, { $ref: `#/$defs/${i}` }] });
    const pairs = Array.from({ length: 40 }, (_, i) =>
      i === 39 ? { type: ['integer', 'null'] } : twice(i + 1),
    );
    const loop = { anyOf: [{ type: 'null' }, { type: 'integer' }, { $ref: '#/$defs/0' }] };
    for (const definitions of [pairs, [loop]]) {
      const q = { $ref: '#/$defs/0' };
      const input = {
        type: 'object',
        properties: { q },
        $defs: Object.fromEntries(Object.entries(definitions)),
      } as const;
      const document = documentOf([route('GET', '/a', { input })]);
      expect(JSON.stringify(document).length).toBeLessThan(50_000);
    }
  });

  it('says of every list that its name is repeated', () => {
    const lists = {
      behind: { $ref: '#/$defs/Words' },
      part: { allOf: [{ type: 'array' }, { items: { type: 'integer' } }] },
      maybe: { type: ['array', 'null'] },
      oneOrMany: { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'integer' } }] },
    };
    const others = { word: { $ref: '#/$defs/Word' }, maybe: { $ref: '#/$defs/Maybe' }, any: {} };
    const styles = (properties: object): readonly unknown[] => {
      const input = { type: 'object', properties, $defs } as const;
      const { parameters = [] } = operationOf(route('GET', '/a', { input: input as never }));
      return parameters.map(({ style, explode }) => [style, explode]);
    };
    expect(styles(lists)).toEqual(Object.keys(lists).map(() => ['form', true]));
    expect(styles(others)).toEqual(Object.keys(others).map(() => [undefined, undefined]));
  });

  it('gives an example that the whole schema takes, behind a reference, too', () => {
    const input = {
      type: 'object',
      properties: { q: { $ref: '#/$defs/Alias' } },
      required: ['q'],
      $defs,
    } as const;
    const { paths } = toOpenApi([route('GET', '/a', { input })], { title: 'Test', version: '1.0.0' });
    expect(paths['/a']?.get?.parameters?.[0]?.example).toBe(1);
  });

  it('is made of a definition in which a library left what JSON does not have', () => {
    const described = {
      type: 'object',
      $defs: { Id: { type: ['integer', 'null'], 'x-own': { n: 1n } } },
      properties: { id: { $ref: '#/$defs/Id' } },
    };
    const input = {
      '~standard': {
        ...{ version: 1 as const, vendor: 'own' },
        validate: (value: unknown) => ({ value: value as object }),
        jsonSchema: { input: () => described, output: () => described },
      },
    };
    const { schema } = operationOf(route('GET', '/a', { input })).parameters?.[0] ?? {};
    expect(schema).toMatchObject({ type: 'integer' });
  });

  it('offers no null as a default either', () => {
    const q = { type: ['boolean', 'null'], default: null };
    expect(operationOf(route('GET', '/a', { input: { q } })).parameters).toEqual([
      { name: 'q', in: 'query', required: false, schema: { type: 'boolean' } },
    ]);
  });

  it('describes a body parameter that was moved to the query', () => {
    const operation = operationOf(
      route('POST', '/a', { input: { a: { type: 'string' }, notify: from('query', { type: 'boolean' }) } }),
    );
    expect(operation.parameters).toEqual([
      { name: 'notify', in: 'query', required: true, schema: { type: 'boolean' } },
    ]);
    expect(operation.requestBody?.content['application/json']?.schema).toMatchObject({
      properties: { a: { type: 'string' } },
      required: ['a'],
    });
  });

  it('writes the rest of a path as a parameter that says so', () => {
    const document = documentOf([route('GET', '/files/{path*}')]);
    expect(document.paths['/files/{path}']?.get?.parameters).toEqual([
      { name: 'path', in: 'path', required: true, schema: { type: 'string' }, 'x-waymark': { rest: true } },
    ]);
  });

  it('shows description and deprecation where readers of OpenAPI look for them', () => {
    const schema = { type: 'string', description: 'How long.', deprecated: true, default: 'short' };
    expect(operationOf(route('GET', '/a', { input: { style: schema } })).parameters).toEqual([
      { name: 'style', in: 'query', required: false, description: 'How long.', deprecated: true, schema },
    ]);
  });

  it('has no list where a route takes nothing', () => {
    expect(operationOf(route('GET', '/a'))).not.toHaveProperty('parameters');
  });
});
