import { from, Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { operationOf, route } from './tables.ts';

const jsonOf = (...given: Parameters<typeof route>) => operationOf(route(...given)).requestBody;

describe('toRequestBody', () => {
  it('composes a JSON object of the body parameters', () => {
    verifies('openapi.bodies');
    expect(
      jsonOf('POST', '/a/{id}', {
        input: { id: { type: 'integer' }, n: { type: 'integer' }, s: { type: 'string', default: 'x' } },
      }),
    ).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { n: { type: 'integer' }, s: { type: 'string', default: 'x' } },
            required: ['n'],
            additionalProperties: false,
          },
        },
      },
    });
  });

  it('needs no body where every member may be left out', () => {
    expect(
      jsonOf('PATCH', '/a', {
        input: { n: Type.Optional({ type: 'integer' }), s: { type: 'string', default: 'x' } },
      }),
    ).toEqual({
      required: false,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { n: { type: 'integer' }, s: { type: 'string', default: 'x' } },
            additionalProperties: false,
          },
        },
      },
    });
  });

  it('takes one parameter as the whole body', () => {
    const rows = { type: 'array', items: { type: 'integer' } };
    expect(jsonOf('PUT', '/a', { input: { rows: from('content', rows) } })).toEqual({
      required: true,
      content: { 'application/json': { schema: rows } },
    });
    expect(jsonOf('PUT', '/a', { input: { rows: from('content', Type.Optional(rows)) } })?.required).toBe(
      false,
    );
  });

  it('keeps a raw JSON Schema as it is', () => {
    verifies('face.signature.raw-schema');
    const raw = {
      type: 'object',
      properties: { email: { type: 'string', format: 'email' }, age: { type: ['integer', 'null'] } },
      required: ['email'],
      dependentRequired: { age: ['email'] },
      minProperties: 1,
    } as const;
    expect(jsonOf('POST', '/a', { input: raw })).toEqual({
      required: true,
      content: { 'application/json': { schema: raw } },
    });
  });

  it('takes what travels elsewhere out of a raw JSON Schema', () => {
    const raw = {
      type: 'object',
      properties: { id: { type: 'string' }, n: { type: 'integer' } },
      required: ['id', 'n'],
      minProperties: 1,
    } as const;
    expect(jsonOf('POST', '/a/{id}', { input: raw })?.content['application/json']?.schema).toEqual({
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      minProperties: 1,
    });
  });

  it('takes any object where the route does', () => {
    expect(jsonOf('POST', '/a', { strict: false, body: 'json' })).toEqual({
      required: false,
      content: {
        'application/json': { schema: { type: 'object', properties: {}, additionalProperties: true } },
      },
    });
  });

  it('takes bytes of any type where the route says so', () => {
    verifies('openapi.binary');
    expect(jsonOf('POST', '/a/{id}', { body: 'bytes' })).toEqual({ required: false, content: { '*/*': {} } });
    expect(jsonOf('POST', '/a', { body: 'source' }, 'device')).toEqual({
      required: false,
      content: { '*/*': {} },
    });
  });

  it('describes none where none is read', () => {
    expect(jsonOf('GET', '/a')).toBeUndefined();
    expect(jsonOf('DELETE', '/a')).toBeUndefined();
    expect(jsonOf('POST', '/a/{id}')).toBeUndefined();
  });
});
