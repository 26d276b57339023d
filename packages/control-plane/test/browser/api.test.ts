import { describe, expect, it } from 'vitest';
import { readApi } from '../../browser/docs/model/api.ts';
import { References } from '../../browser/docs/model/references.ts';
import { limitWords, typeWords } from '../../browser/docs/model/schema-words.ts';
import { searchGroups } from '../../browser/docs/model/search.ts';

const document = {
  info: { title: 'Desk', version: '1.0.0' },
  tags: [
    { name: 'tickets', description: 'All of them.' },
    { name: 'nobody', description: 'Has none.' },
  ],
  paths: {
    '/tickets/{id}': {
      parameters: [],
      get: {
        operationId: 'get_ticket',
        summary: 'Reads one ticket.',
        tags: ['tickets'],
        parameters: [{ name: 'id', in: 'path', required: true, 'x-waymark': { name: 'number' } }],
        security: [{ apiKey: ['tickets:read'] }, { bearer: ['tickets:read'] }],
        responses: { 404: { $ref: '#/components/responses/NotFound' } },
        'x-waymark': { tool: true, approval: 'required', client: 'getTicket' },
      },
      delete: { operationId: 'drop', tags: ['elsewhere'], security: [{ apiKey: ['a'] }, {}] },
    },
  },
  components: {
    responses: { NotFound: { description: 'Nothing is there.' } },
    securitySchemes: { apiKey: {} },
  },
};

describe('readApi', () => {
  it('groups operations by their tags, those that nobody described last', () => {
    const { groups, operations, schemes } = readApi(document);
    expect(groups.map(({ name, operations: those }) => [name, those.map(({ id }) => id)])).toEqual([
      ['tickets', ['get_ticket']],
      ['elsewhere', ['drop']],
    ]);
    expect(schemes).toEqual(['apiKey']);
    expect(operations.get('get_ticket')).toMatchObject({
      method: 'GET',
      access: { scopes: ['tickets:read'], open: false },
      facts: { tool: true, approval: true, client: 'getTicket' },
      parameters: [{ name: 'id', argument: 'number', place: 'path' }],
      responses: [{ status: '404', description: 'Nothing is there.' }],
    });
    expect(operations.get('drop')?.access).toEqual({ scopes: ['a'], open: true });
  });

  it.each([[null], [undefined], ['text'], [[]], [{}], [{ paths: { '/': null, '/a': { get: 7 } }, tags: 7 }]])(
    'makes something of %o',
    (value) => {
      expect(readApi(value).title).toBe('API');
    },
  );

  it('takes names for names that every object has', () => {
    const api = readApi(JSON.parse('{"paths":{"__proto__":{"get":{"operationId":"constructor"}}}}'));
    expect(api.operations.get('constructor')?.path).toBe('__proto__');
    expect(api.references.resolve({ $ref: '#/constructor' })).toEqual({});
  });
});

describe('searchGroups', () => {
  const { groups } = readApi(document);
  const found = (search: string): readonly string[] =>
    searchGroups(groups, search).flatMap(({ operations }) => operations.map(({ id }) => id));

  it('finds what has all words somewhere: path, summary, scope, method', () => {
    expect(found('')).toEqual(['get_ticket', 'drop']);
    expect(found('ONE  tickets:read')).toEqual(['get_ticket']);
    expect(found('delete')).toEqual(['drop']);
    expect(found('one delete')).toEqual([]);
  });
});

describe('References', () => {
  const references = new References({
    components: {
      schemas: {
        Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } },
        'a/b~c': { type: 'integer' },
        Ring: { $ref: '#/components/schemas/Ring' },
      },
    },
  });

  it('finds what they stand for, with what stands beside them', () => {
    expect(references.resolve({ $ref: '#/components/schemas/a~1b~0c', description: 'Counts.' })).toEqual({
      type: 'integer',
      description: 'Counts.',
    });
    expect(references.resolve({ $ref: '#/components/schemas/Node' })['type']).toBe('object');
  });

  it.each(['#/components/schemas/Ring', '#/nowhere', 'https://elsewhere.example/x', '#'])(
    'comes to an end at %s',
    ($ref) => {
      expect(references.resolve({ $ref })['$ref']).toBeUndefined();
    },
  );
});

describe('what is said of a schema', () => {
  const references = new References({});

  it.each([
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ type: ['integer', 'null'] }, 'integer or null'],
    [{ anyOf: [{ const: 'open' }, { const: 'closed' }] }, '"open" or "closed"'],
    [{ enum: [1, 2, 3, 4, 5, 6, 7, 8] }, '1, 2, 3, 4, 5, 6 or 2 more'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Ticket' } }, 'list of Ticket'],
    [true, 'anything'],
    [false, 'nothing'],
    [{ properties: {} }, 'object'],
  ])('tells the type of %o', (schema, words) => {
    expect(typeWords(schema, references)).toBe(words);
  });

  it('ends where a type holds itself', () => {
    const list: Record<string, unknown> = { type: 'array' };
    list['items'] = list;
    expect(typeWords(list, references)).toBe('list of list of list of list');
  });

  it('tells its limits', () => {
    expect(limitWords({ minimum: 1, maximum: 1000, default: 50 })).toEqual(['1 to 1,000', 'default 50']);
    expect(limitWords({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toEqual(['0 or more']);
    expect(limitWords({ maxLength: 5, pattern: '^a' })).toEqual(['up to 5 characters', 'matches ^a']);
    expect(limitWords({ exclusiveMinimum: 0, minItems: 1, uniqueItems: true })).toEqual([
      'more than 0',
      '1 or more items',
      'no item twice',
    ]);
  });
});
