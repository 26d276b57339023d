import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { resolveMapping } from '../src/template/resolve-mapping.ts';
import { meantTemplate, parseTemplate } from '../src/template/template.ts';

const incoming = {
  id: 7,
  title: 'Lamp',
  open: false,
  none: null,
  items: [{ id: 1 }, { id: 2, tags: ['a', 'b'] }],
  'a-b': { c: 'deep' },
};
const input = { input: 'Hello.', order: { id: 42 } };

const resolve = (text: string) => resolveMapping({ it: text }, { incoming, input })['it'];

describe('a template', () => {
  it.each([
    ['$', incoming],
    ['$.id', 7],
    ['$.open', false],
    ['$.none', null],
    ['$.items', incoming.items],
    ['$.items.0.id', 1],
    ['$.items.1.tags.1', 'b'],
    ['$.a-b.c', 'deep'],
  ])('%s stands for what reached the step, or a part of it', (text, value) => {
    verifies('flow.template.incoming');
    expect(resolve(text)).toEqual(value);
  });

  it.each([
    ['$input', input],
    ['$input.input', 'Hello.'],
    ['$input.order.id', 42],
  ])('%s stands for the input of the flow, or a part of it', (text, value) => {
    verifies('flow.template.input');
    expect(resolve(text)).toEqual(value);
  });

  it.each([
    ['$$', '$'],
    ['$$.id', '$.id'],
    ['$$input', '$input'],
    ['$$5.00', '$5.00'],
    ['$$$', '$$'],
  ])('%s is a text that begins with a dollar sign', (text, value) => {
    verifies('flow.template.escape');
    expect(resolve(text)).toBe(value);
  });

  it.each(['', 'plain', 'costs $5', 'a $.id b', '{$.id}', ' $'])('%j is a text like any other', (text) => {
    expect(resolve(text)).toBe(text);
  });

  it.each([
    '$.missing',
    '$.items.2',
    '$.items.2.id',
    '$.items.-1',
    '$.items.length',
    '$.items.id',
    '$.title.0',
    '$.title.length',
    '$.none.id',
    '$.constructor',
    '$.constructor.name',
    '$.__proto__',
    '$.__proto__.toString',
    '$.toString',
    '$.items.map',
    '$.items.__proto__',
    '$input.missing',
  ])('%s, which leads nowhere, is null', (text) => {
    expect(resolve(text)).toBeNull();
  });

  it('reads members with hostile names where they are data', () => {
    const hostile = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as never;
    const values = { incoming: hostile, input: null };
    expect(resolveMapping({ a: '$.__proto__.x', b: '$.constructor' }, values)).toEqual({ a: 1, b: 2 });
  });
});

describe('a mapping', () => {
  it('is replaced at any depth, and left as it is where it holds no template', () => {
    const mapping = {
      ...{ id: '$.id', whole: '$', list: ['$input.order.id', [{ deep: '$.items.0.id' }], 'text', '$$'] },
      object: { a: { b: '$.open' } },
      ...{ n: 1, yes: true, nothing: null },
    };
    expect(resolveMapping(mapping, { incoming, input })).toEqual({
      ...{ id: 7, whole: incoming, list: [42, [{ deep: 1 }], 'text', '$'] },
      object: { a: { b: false } },
      ...{ n: 1, yes: true, nothing: null },
    });
  });

  it('has names that are never templates, and makes members of any name', () => {
    const mapping = JSON.parse('{"$.id": "$.id", "__proto__": "$.title"}') as never;
    const resolved = resolveMapping(mapping, { incoming, input });
    expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype);
    expect(Object.entries(resolved)).toEqual([
      ['$.id', 7],
      ['__proto__', 'Lamp'],
    ]);
  });

  it('gives values that are not read as templates again', () => {
    const values = { incoming: { text: '$input.order', list: ['$'] }, input };
    expect(resolveMapping({ text: '$.text', list: '$.list' }, values)).toEqual({
      text: '$input.order',
      list: ['$'],
    });
  });
});

describe('what is no template', () => {
  it.each([
    ['$foo', '$.foo'],
    ['$foo.bar', '$.foo.bar'],
    ['$.', '$'],
    ['$.a..b', '$.a.b'],
    ['$.a.', '$.a'],
    ['$inputs.x', '$input.x'],
    ['$imput', '$input'],
    ['$input.', '$input'],
    ['$.items[0].id', '$.items.0.id'],
    ['$[0]', '$.0'],
    ['$["id"]', '$.id'],
    ['${input.x}', '$input.x'],
    ['${id}', '$.id'],
  ])('%s was probably meant to be %s', (text, meant) => {
    expect(parseTemplate(text)).toBeUndefined();
    expect(meantTemplate(text)).toBe(meant);
    expect(parseTemplate(meant)).toBeDefined();
  });

  it.each(['$5.00', '$ id', '$.a b', '$[', '${', '$é'])('%s was probably meant as a text', (text) => {
    expect(parseTemplate(text)).toBeUndefined();
    expect(meantTemplate(text)).toBeUndefined();
  });
});
