import { describe, expect, it } from 'vitest';
import { type Entered, toDraft } from '../../browser/docs/call/draft.ts';
import { fromBody, toFormShape } from '../../browser/docs/call/fields.ts';
import { toComplaint } from '../../browser/docs/call/problem.ts';
import { apiOf, jsonBody, onlyOperation } from './operations.ts';

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1 },
    body: { type: 'string', maxLength: 10_000 },
    status: { anyOf: [{ const: 'open' }, { const: 'closed' }, { type: 'null' }] },
    urgent: { type: 'boolean' },
    count: { type: ['integer', 'null'] },
    price: { type: 'number' },
    tags: { type: 'array', items: { type: 'string' } },
    deep: { type: 'object', properties: { a: { type: 'integer' } } },
    mixed: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  },
  required: ['title'],
};
const parameters = [
  { name: 'id', in: 'path', required: true, schema: { type: 'integer' }, example: 7 },
  { name: 'sort', in: 'query', schema: { type: 'string' } },
  { name: 'only', in: 'query', schema: { type: 'array', items: { type: 'integer' } } },
  { name: 'If-Match', in: 'header', schema: { type: 'string' } },
];
const api = apiOf({ parameters, requestBody: jsonBody(schema, { title: 'text', body: 'x' }) });
const operation = onlyOperation(api);
const shape = toFormShape(operation, api.references);

function draftOf(texts: Readonly<Record<string, string>>, more: Partial<Entered> = {}) {
  return toDraft(operation, shape, {
    texts: new Map(Object.entries(texts)),
    ...{ json: undefined, file: undefined, ...more },
  });
}

const notKept =
  'has 1234567890123456789, a number that JavaScript does not keep: as a text, in quotes, it is kept';

describe('toFormShape', () => {
  it('makes a field of each parameter and of each member of the body', () => {
    const members = shape.body.kind === 'json' ? shape.body.members : [];
    expect(
      [...shape.fields, ...members].map(({ name, entry, nullable, required }) => [
        name,
        entry.kind,
        nullable,
        required,
      ]),
    ).toEqual([
      ['id', 'integer', false, true],
      ['sort', 'text', false, false],
      ['only', 'lines', false, false],
      ['If-Match', 'text', false, false],
      ['title', 'text', false, true],
      ['body', 'text', false, false],
      ['status', 'choice', true, false],
      ['urgent', 'boolean', false, false],
      ['count', 'integer', true, false],
      ['price', 'number', false, false],
      ['tags', 'lines', false, false],
      ['deep', 'json', false, false],
      ['mixed', 'json', false, false],
    ]);
  });

  it('fills in examples of what must be given, and of nothing else', () => {
    const members = shape.body.kind === 'json' ? shape.body.members : [];
    const filled = [...shape.fields, ...members].filter(({ initial }) => initial !== '');
    expect(filled.map(({ name, initial }) => [name, initial])).toEqual([
      ['id', '7'],
      ['title', 'text'],
    ]);
  });

  it('leaves to whoever calls what is decided by a call', () => {
    const decision = { type: 'object', properties: { approve: { type: 'boolean' } }, required: ['approve'] };
    const one = apiOf({ requestBody: jsonBody(decision, { approve: true }) });
    expect(toFormShape(onlyOperation(one), one.references).body).toMatchObject({
      members: [{ name: 'approve', required: true, initial: '' }],
    });
  });

  it.each([
    ['a list', jsonBody({ type: 'array', items: {} })],
    ['one of several', jsonBody({ oneOf: [{ type: 'object' }, { type: 'string' }] })],
    ['what is put together', jsonBody({ type: 'object', properties: { a: {} }, allOf: [{}] })],
  ])('asks for %s as JSON', (_, requestBody) => {
    const one = apiOf({ requestBody });
    expect(toFormShape(onlyOperation(one), one.references).body).toMatchObject({ kind: 'json', members: [] });
  });

  it('asks for a file where the body is bytes', () => {
    const one = apiOf({ requestBody: { required: true, content: { 'image/*': {} } } });
    expect(toFormShape(onlyOperation(one), one.references).body).toEqual({
      ...{ kind: 'file', mediaType: 'image/*', required: true },
    });
  });
});

describe('toDraft', () => {
  it('puts each value where it travels, typed', () => {
    const draft = draftOf({
      ...{ 'path id': '7', 'query sort': 'a&b=c', 'query only': '1\n 2 \n', 'header If-Match': '"x"' },
      ...{ 'body title': "it's", 'body status': '"open"', 'body urgent': 'false', 'body count': 'null' },
      ...{ 'body tags': 'a\nb', 'body deep': '{"a":1}', 'body mixed': '5', 'body price': '1e3' },
    });
    expect(draft.faults).toEqual([]);
    expect(draft.target).toBe('/tickets/7?sort=a%26b%3Dc&only=1&only=2');
    expect(draft.headers).toEqual([['if-match', '"x"']]);
    const body = {
      ...{ title: "it's", status: 'open', urgent: false, count: null, price: 1000 },
      ...{ tags: ['a', 'b'], deep: { a: 1 }, mixed: 5 },
    };
    expect(draft.body).toEqual({ kind: 'json', value: body });
    // Headers are no arguments.
    expect(Object.fromEntries(draft.values)).toEqual({ id: 7, sort: 'a&b=c', only: [1, 2], ...body });
  });

  it.each([
    ['path id', '', 'is needed'],
    ['path id', '1.5', 'is not a whole number'],
    ['path id', '9007199254740993', 'is not a whole number'],
    ['query only', '1\nx', 'line 2 is not a whole number'],
    ['header If-Match', 'ключ', 'has a character that no header can have'],
    ['body title', '', 'is needed'],
    ['body price', '1,5', 'is not a number'],
    ['body deep', '{a:1}', 'is not JSON'],
    ['body price', '1234567890123456789', notKept],
    ['body deep', '{"a": 1234567890123456789}', notKept],
  ])('says of %s "%s" that it %s', (at, text, message) => {
    const { faults } = draftOf({ 'path id': '1', 'body title': 'x', [at]: text });
    expect(faults).toEqual([{ at, message }]);
  });

  it('leaves a name in braces where a value of the path is missing', () => {
    expect(draftOf({ 'body title': 'x' }).target).toBe('/tickets/{id}');
  });

  it('keeps a value in its segment', () => {
    const text = apiOf({
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    });
    const of = (value: string) =>
      toDraft(onlyOperation(text), toFormShape(onlyOperation(text), text.references), {
        ...{ texts: new Map([['path id', value]]), json: undefined, file: undefined },
      });
    expect(of('a/b?c#d').target).toBe('/tickets/a%2Fb%3Fc%23d');
    expect(of('..').faults).toEqual([{ at: 'path id', message: 'cannot be "." or ".." in an address' }]);
    expect(of('\ud800').target).toBe('/tickets/%EF%BF%BD');
  });

  it('takes the whole body as JSON', () => {
    const whole = draftOf({ 'path id': '1' }, { json: '{"title":"a","more":[1]}' });
    expect(whole.body).toEqual({ kind: 'json', value: { title: 'a', more: [1] } });
    expect(Object.fromEntries(whole.values)).toEqual({ id: 1, title: 'a', more: [1] });
    expect(draftOf({ 'path id': '1' }, { json: '{' }).faults).toEqual([
      { at: 'body', message: 'is not JSON' },
    ]);
    expect(draftOf({ 'path id': '1' }, { json: ' ' }).faults).toEqual([{ at: 'body', message: 'is needed' }]);
  });

  it('gives a body that is one parameter under its name to tools and the client', () => {
    const one = apiOf({ requestBody: jsonBody({ type: 'array' }), 'x-waymark': { content: 'rows' } });
    const draft = toDraft(onlyOperation(one), toFormShape(onlyOperation(one), one.references), {
      ...{ texts: new Map(), json: '[1]', file: undefined },
    });
    expect([draft.body, [...draft.values]]).toEqual([{ kind: 'json', value: [1] }, [['rows', [1]]]]);
  });
});

describe('fromBody', () => {
  const members = shape.body.kind === 'json' ? shape.body.members : [];

  it('spreads a body over its fields, and back', () => {
    const value = { title: 'a', status: null, tags: ['x', 'y'], deep: { a: 1 }, urgent: true, count: 3 };
    const texts = fromBody(members, value);
    const entries = [...(texts ?? [])].map(([name, text]) => [`body ${name}`, text]);
    expect(draftOf({ 'path id': '1', ...Object.fromEntries(entries) }).body).toEqual({ kind: 'json', value });
  });

  it.each([[[1]], [{ title: 'a', other: 1 }], ['text']])('has no fields for %o', (value) => {
    expect(fromBody(members, value)).toBeUndefined();
  });
});

describe('toComplaint', () => {
  it('tells faults by their fields, and the rest beside', () => {
    const errors = [
      { path: '/title', message: 'is too short' },
      { path: '/title', message: 'is too short' },
      { path: '/deep/a', message: 'must be integer' },
      { path: '/x', message: 'is not known' },
      { path: '', message: 'is not valid' },
    ];
    const complaint = toComplaint(422, { detail: 'all', errors }, operation, shape, 'key');
    expect([...complaint.faults]).toEqual([
      ['body title', ['is too short']],
      ['body deep', ['/a must be integer']],
    ]);
    expect(complaint.others).toEqual(['/x is not known', 'is not valid']);
  });

  it.each([
    [401, 'nobody', 'This call needs a key with the scope a. Enter one above.'],
    [401, 'key', 'The key is not known, or no longer valid. Check that it was copied whole.'],
    [403, 'key', 'This key may not do that: it needs the scope a.'],
    [403, 'session', 'Who you are signed in as may not do that: it needs the scope a.'],
    [404, 'key', undefined],
  ] as const)('advises about %s of %s', (status, caller, advice) => {
    const guarded = onlyOperation(apiOf({ security: [{ apiKey: ['a'] }] }));
    expect(toComplaint(status, {}, guarded, shape, caller).advice).toBe(advice);
  });
});
