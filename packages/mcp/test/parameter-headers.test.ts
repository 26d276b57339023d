import { Type } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { parameterHeaders } from '../src/tools/parameter-headers.ts';
import { serve, standingAlone, tool } from './support.ts';

const route = tool('send', {
  input: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      to: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'To-City' } } },
      free: { type: 'string' },
    },
  },
});

const statusOf = async (values: object, headers: Readonly<Record<string, string>>) => {
  const mcp = serve([route]);
  const request = standingAlone('tools/call', { name: 'send', arguments: values }, { headers });
  const { status, body } = await mcp.send(request.message, { headers: request.headers });
  expect(mcp.calls).toHaveLength(status === 200 ? 1 : 0);
  return body.error ? [status, body.error.code] : status;
};

describe('a parameter that is repeated in a header', () => {
  it.each([
    [{ region: 'north' }, { 'mcp-param-region': 'north' }],
    [{ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8=?=' }],
    [{ region: '' }, { 'mcp-param-region': '=?base64??=' }],
    [{ region: '' }, { 'mcp-param-region': '' }],
    [{ count: 42 }, { 'mcp-param-count': '42' }],
    [{ count: -1 }, { 'mcp-param-count': '-1' }],
    [{ count: 42 }, { 'mcp-param-count': '42.0' }],
    [{ dry: true }, { 'mcp-param-dry': 'true' }],
    [{ dry: false }, { 'mcp-param-dry': 'false' }],
    [{ to: { city: 'Oslo' } }, { 'mcp-param-to-city': 'Oslo' }],
    [{ region: null, free: 'x' }, {}],
    [{}, { 'mcp-param-unknown': 'x' }],
  ])('is taken as %j with %j', async (values, headers) => {
    expect(await statusOf(values, headers)).toBe(200);
  });

  it.each([
    [{ region: 'north' }, {}],
    [{ region: 'north' }, { 'mcp-param-region': 'North' }],
    [{ region: 'north' }, { 'mcp-param-region': '=?base64?bm9ydGg?=' }],
    [{}, { 'mcp-param-region': 'north' }],
    [{ region: null }, { 'mcp-param-region': 'null' }],
    [{ count: 42 }, { 'mcp-param-count': '43' }],
    [{ count: 42 }, { 'mcp-param-count': '0x2a' }],
    [{ count: 0 }, { 'mcp-param-count': '' }],
    [{ dry: true }, { 'mcp-param-dry': 'TRUE' }],
    [{ to: { city: 'Oslo' } }, {}],
    [{ to: 'Oslo' }, { 'mcp-param-to-city': 'Oslo' }],
  ])('is refused as %j with %j', async (values, headers) => {
    expect(await statusOf(values, headers)).toEqual([400, -32020]);
  });

  it('is not looked for on older revisions', async () => {
    const mcp = serve([route]);
    expect((await mcp.call('send', { region: 'north' })).isError).toBe(false);
  });

  it('can be declared with a schema of TypeBox', () => {
    const { inputSchema } = tool('send', { input: { region: Type.String({ 'x-mcp-header': 'Region' }) } });
    expect(parameterHeaders(inputSchema)).toEqual({
      headers: [{ path: ['region'], header: 'Mcp-Param-Region', key: 'mcp-param-region' }],
      faults: [],
    });
  });
});

describe('a mark that breaks a rule', () => {
  const of = (properties: object) => parameterHeaders({ type: 'object', properties });

  it.each([
    ['an empty name', '', { type: 'string' }],
    ['a space', 'My Region', { type: 'string' }],
    ['a colon', 'Region:1', { type: 'string' }],
    ['a letter that is not ASCII', 'Région', { type: 'string' }],
    ['a line break', 'Region\n', { type: 'string' }],
    ['no text', 7, { type: 'string' }],
    ['a number', 'Score', { type: 'number' }],
    ['an object', 'Data', { type: 'object' }],
    ['a list', 'Items', { type: 'array', items: { type: 'string' } }],
    ['no type', 'Any', {}],
  ])('is a fault, and no header: %s', (_case, mark, schema) => {
    const { headers, faults } = of({ value: { ...schema, 'x-mcp-header': mark } });
    expect([headers, faults.length]).toEqual([[], 1]);
  });

  it('is a fault for two parameters with one header, whatever their case', () => {
    const { headers, faults } = of({
      a: { type: 'string', 'x-mcp-header': 'MyField' },
      b: { type: 'string', 'x-mcp-header': 'myfield' },
    });
    expect(headers).toHaveLength(1);
    expect(faults).toEqual(['x-mcp-header of "b" is "myfield", which another parameter has']);
  });

  it.each([
    { list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'X' } } },
    { choice: { anyOf: [{ type: 'string', 'x-mcp-header': 'X' }] } },
    { map: { type: 'object', additionalProperties: { type: 'string', 'x-mcp-header': 'X' } } },
  ])('is a fault where there is no one value: %j', (properties) => {
    const { headers, faults } = of(properties);
    expect([headers, faults.length]).toEqual([[], 1]);
  });

  it('is a fault on the input as a whole', () => {
    expect(parameterHeaders({ type: 'object', 'x-mcp-header': 'X' }).faults).toHaveLength(1);
  });
});
