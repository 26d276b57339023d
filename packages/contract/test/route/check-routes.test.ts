import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { checkRoutes } from '../../src/route/check-routes.ts';
import { defineRoute } from '../../src/route/define-route.ts';
import type { InputShape } from '../../src/route/handler.ts';
import { media } from '../../src/route/media.ts';
import { from } from '../../src/route/place.ts';
import { type EngineRouteOptions, toRoute } from '../../src/route/to-route.ts';
import { verifies } from '../../src/testing/index.ts';

function oddities(options: EngineRouteOptions): readonly string[] {
  const route = toRoute('GET', '/a', { kind: 'handler' }, { declaredAt: 'app.ts:3', ...options });
  expect(route.problems).toEqual([]);
  return checkRoutes([route]).map(({ severity, at, declaration, ...found }) => {
    expect([severity, at, declaration]).toEqual(['warning', 'app.ts:3', 'route GET /a']);
    return `${found.code}: ${found.rule}; ${found.nearest ?? found.fix}`;
  });
}

const away = '^(a+)+$';

describe('checkRoutes', () => {
  it('finds nothing odd about usual routes', () => {
    expect(oddities({})).toEqual([]);
    expect(
      oddities({
        input: {
          id: Type.Integer({ minimum: 1, title: 'Id', description: 'x', examples: [1] }),
          since: Type.String({ format: 'date-time', pattern: '^\\d+' }),
          own: { type: 'string', format: 'phone-of-ours', 'x-unit': 'm', nullable: true },
        },
        output: { 200: media('image/png'), 404: Type.Object({ title: Type.String() }) },
        ...{ tool: true, summary: 'Does a.' },
      }),
    ).toEqual([]);
  });

  it('finds patterns that may run away, wherever input is checked', () => {
    verifies('boot.pattern-warning');
    const rule = `the pattern "${away}" can read one text in many ways, and a bad text takes for ever`;
    const fix = 'let what repeats inside of a repetition begin with something of its own';
    expect(oddities({ input: { q: Type.Array(Type.String({ pattern: away })) } })).toEqual([
      `pattern-runs-away: input "q" at /items: ${rule}; ${fix}`,
    ]);
    expect(oddities({ input: { type: 'object', patternProperties: { [away]: {} } } })).toEqual([
      `pattern-runs-away: the input: ${rule}; ${fix}`,
    ]);
    // Nothing is checked against it.
    expect(oddities({ output: Type.String({ pattern: away }) })).toEqual([]);
  });

  it('finds patterns that take long for as much as they may be given, with a text that shows it', () => {
    verifies('route.pattern.warned');
    const told = (schema: object) => oddities({ input: { q: schema } }).map((one) => one.slice(0, 24));
    const slow = 'pattern-slow: input "q":';
    const quadratic = '^[^@]+@[^@]+\\.[^@]+$';
    for (const [pattern, most, found] of [
      [quadratic, undefined, []],
      [quadratic, 1_024, []],
      [quadratic, 4_472, []],
      [quadratic, 4_473, [slow]],
      ['^\\S+@\\S+\\.\\S+$', undefined, []],
      ['^\\S+@\\S+\\.\\S+$', 391, []],
      ['^\\S+@\\S+\\.\\S+$', 392, [slow]],
      ['^[a-z]+(?:-[a-z]+)*$', 1_000_000, []],
    ] as const)
      expect(told(Type.String({ pattern, ...(most && { maxLength: most }) })), `${pattern} ${most}`).toEqual(
        found,
      );
    expect(told(Type.String({ pattern: quadratic, contentEncoding: 'base64' }))).toEqual([slow]);
    const named = (maxLength: number) =>
      oddities({ input: { type: 'object', patternProperties: { 'a+$': {} }, propertyNames: { maxLength } } });
    expect([named(1_024), named(5_000).length]).toEqual([[], 1]);
    expect(oddities({ input: { q: Type.String({ pattern: quadratic, maxLength: 5_000 }) } })).toEqual([
      'pattern-slow: input "q": the pattern "^[^@]+@[^@]+\\.[^@]+$" takes the power 2 of the length of a text such as ' +
        '"a@a" and many times ".a", which may have 5000 characters; write maxLength: 1024, or let no two loops in a row ' +
        'read the same',
    ]);
  });

  it('finds formats that were probably meant to be others', () => {
    expect(oddities({ input: { q: Type.String({ format: 'datetime' }) } })).toEqual([
      'format-unknown: input "q": nobody checks the format "datetime"; date-time',
    ]);
  });

  it('leaves patterns alone that stand beside a format: libraries write those', () => {
    expect(oddities({ input: { q: Type.String({ pattern: '^(a+)+$', format: 'email' }) } })).toEqual([]);
  });

  it('finds hints that contradict each other, and tools that nobody describes', () => {
    expect(oddities({ destructive: true })).toEqual([
      'hints-contradict: is said to be readOnly and destructive; take one of the two hints out',
    ]);
    expect(oddities({ tool: true })).toEqual([
      'tool-undescribed: is a tool, and all that a model reads of it is "GET /a"; write a summary',
    ]);
  });

  it('says to describe a tool with what its declaration has', () => {
    const handler = defineRoute('POST', '/a', { tool: true }, () => 1);
    const other = toRoute('POST', '/a', { kind: 'x' }, { tool: true, facts: { describedBy: 'talk' } });
    expect(checkRoutes([handler, other]).map(({ code, fix }) => [code, fix])).toEqual([
      ['tool-undescribed', 'write a summary, or a comment at the start of the handler'],
      ['tool-undescribed', 'talk'],
    ]);
  });

  const besidePath = (path: string, input: InputShape): readonly unknown[] =>
    checkRoutes([toRoute('GET', path, { kind: 'handler' }, { input })]).map(({ code, rule, nearest }) => [
      ...[code, rule, nearest],
    ]);

  it.each([
    ['/a/{id}', 'idd', 'id'],
    ['/a/{ticketId}', 'ticketid', 'ticketId'],
    ['/a/{ticket_id}', 'ticketId', 'ticket_id'],
    ['/a/{address}', 'adress', 'address'],
    ['/a/{ticket}', 'tikcet', 'ticket'],
    ['/a/{customer}', 'custmer', 'customer'],
  ])('finds on %s the parameter %s, which was meant to be {%s}', (path, name, meant) => {
    expect(besidePath(path, { [name]: Type.Integer() })).toEqual([
      ['parameter-near', `input "${name}" travels in the query, and "${path}" has {${meant}}`, meant],
    ]);
  });

  it.each([
    ['a plural', '/a/{ticket}', { tickets: Type.String() }],
    ['another word', '/a/{id}', { ip: Type.String(), in: Type.String(), kid: Type.String() }],
    ['another short word', '/a/{from}', { form: Type.String() }],
    ['a numbered one', '/a/{version1}', { version2: Type.String() }],
    ['a part of it', '/a/{id}', { ticketId: Type.String() }],
    ['one beside the one of the path', '/a/{id}', { id: Type.Integer(), idd: Type.Integer() }],
    ['one that was moved on purpose', '/a/{id}', { idd: from('query', Type.Integer()) }],
  ])('finds nothing odd about %s', (_, path, input) => {
    expect(besidePath(path, input)).toEqual([]);
  });

  it('says nothing of the control plane, which nobody declared', () => {
    const route = toRoute('GET', '/a', { kind: 'control' }, { plane: 'control', tool: true });
    expect(checkRoutes([route])).toEqual([]);
  });
});
