import { from, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { documentOf, operationOf, route } from './tables.ts';

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
