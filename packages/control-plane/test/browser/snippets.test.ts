import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDraft } from '../../browser/docs/call/draft.ts';
import { EventReader } from '../../browser/docs/call/event-reader.ts';
import { toFormShape } from '../../browser/docs/call/fields.ts';
import { prettyJson } from '../../browser/docs/call/pretty-json.ts';
import { placeholderOf } from '../../browser/docs/snippets/credential.ts';
import { toCurl } from '../../browser/docs/snippets/to-curl.ts';
import { toLiteral } from '../../browser/docs/snippets/to-literal.ts';
import { toMcp } from '../../browser/docs/snippets/to-mcp.ts';
import { toTypeScript } from '../../browser/docs/snippets/to-typescript.ts';
import { apiOf, jsonBody, onlyOperation } from './operations.ts';

const root = 'https://desk.example/api';
const securitySchemes = { apiKey: {}, bearer: {} };
const api = apiOf(
  {
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'If-Match', in: 'header', schema: { type: 'string' } },
    ],
    requestBody: jsonBody({ type: 'object', properties: { title: { type: 'string' } } }),
    security: [{ apiKey: ['tickets:write'] }],
    'x-waymark': { tool: true, client: 'updateTickets' },
  },
  { components: { securitySchemes } },
);
const operation = onlyOperation(api);
const draft = toDraft(operation, toFormShape(operation, api.references), {
  texts: new Map([
    ['path id', '7'],
    ['header If-Match', '"a"'],
    ['body title', "it's $HOME"],
  ]),
  ...{ json: undefined, file: undefined },
});

describe('snippets', () => {
  it('write a call for curl, with the key as a variable', () => {
    verifies('docs-page.snippets');
    expect(toCurl({ method: 'POST', root, draft, scheme: 'apiKey', events: true })).toBe(
      [
        'curl -X POST https://desk.example/api/tickets/7',
        '-H "x-api-key: $KEY"',
        `-H 'if-match: "a"'`,
        "-N -H 'accept: text/event-stream'",
        "-H 'content-type: application/json'",
        `--data-raw '{"title":"it'\\''s $HOME"}'`,
      ].join(' \\\n  '),
    );
  });

  it('write it with the method of the generated client', () => {
    verifies('docs-page.snippets');
    expect(toTypeScript({ operation, root, draft, scheme: 'apiKey' })).toBe(
      [
        "import { createClient } from './client.ts';",
        '',
        "const client = createClient({ baseUrl: 'https://desk.example/api', apiKey: process.env['KEY'] });",
        `const answer = await client.updateTickets({ id: 7, title: 'it\\'s $HOME' }, { headers: { 'if-match': '"a"' } });`,
        'console.log(answer);',
      ].join('\n'),
    );
    const unnamed = { ...operation, facts: { ...operation.facts, client: undefined } };
    expect(toTypeScript({ operation: unnamed, root, draft, scheme: undefined })).toBeUndefined();
  });

  it('write bytes as a file', () => {
    const body = { kind: 'file', name: 'a b.png', type: 'image/png' } as const;
    const call = { ...draft, body, values: new Map([['body', 1]]), headers: [] };
    expect(toCurl({ method: 'POST', root, draft: call, scheme: undefined, events: false })).toContain(
      "-H 'content-type: image/png' \\\n  --data-binary '@a b.png'",
    );
    const taken = {
      ...operation,
      parameters: operation.parameters.map((one) => ({ ...one, argument: 'body' })),
    };
    expect(toTypeScript({ operation: taken, root, draft: call, scheme: 'bearer' })).toContain(
      "client.updateTickets({ body: 1, body_: await readFile('a b.png'), contentType: 'image/png' })",
    );
  });

  it('write it as a message of MCP where it is a tool', () => {
    verifies('docs-page.snippets');
    expect(JSON.parse(toMcp(operation, draft) ?? '')).toEqual({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'update', arguments: { id: 7, title: "it's $HOME" } },
    });
    expect(toMcp({ ...operation, facts: { ...operation.facts, tool: false } }, draft)).toBeUndefined();
  });

  it('show how a key is sent, and never the key', () => {
    const open = { ...operation, access: { scopes: [], open: true } };
    const token = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.x';
    expect(placeholderOf(api, operation, undefined)).toBe('apiKey');
    expect(placeholderOf(api, operation, token)).toBe('bearer');
    expect(placeholderOf({ ...api, schemes: ['bearer'] }, operation, 'key')).toBe('bearer');
    expect(placeholderOf(api, open, undefined)).toBeUndefined();
    expect(placeholderOf(api, open, 'key')).toBe('apiKey');
    expect(placeholderOf({ ...api, schemes: [] }, operation, 'key')).toBeUndefined();
  });
});

describe('toLiteral', () => {
  it('writes any value of JSON as TypeScript reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        // A program, as the snippet is one.
        const read: unknown = new Function(`return (${toLiteral(plain)});`)();
        expect(JSON.stringify(read)).toBe(JSON.stringify(plain));
      }),
    );
    const odd: unknown = JSON.parse('{"__proto__":{"a":1},"a-b":"\\u2028\'\\"\\\\"}');
    expect(JSON.stringify(new Function(`return (${toLiteral(odd)});`)())).toBe(JSON.stringify(odd));
  });

  it('takes lines of their own for what is long', () => {
    const value = { list: ['x'.repeat(50), 'y'.repeat(50)], short: 1 };
    expect(toLiteral(value)).toBe(
      `{\n  list: [\n    '${'x'.repeat(50)}',\n    '${'y'.repeat(50)}',\n  ],\n  short: 1,\n}`,
    );
  });
});

describe('prettyJson', () => {
  it('writes JSON as JSON.stringify does, from its text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = prettyJson(JSON.stringify(value))
          .map((one) => one.text)
          .join('');
        expect(text).toBe(JSON.stringify(JSON.parse(JSON.stringify(value)), null, 2));
      }),
    );
    const large = prettyJson('{"a":12345678901234567890}').map((one) => one.text);
    expect(large.join('')).toBe('{\n  "a": 12345678901234567890\n}');
  });
});

describe('EventReader', () => {
  it('reads the same events in whatever pieces they come', () => {
    const text =
      ': hello\n\nevent: step\ndata: {"a":\ndata: 1}\n\ndata:x\r\n\r\nid: 7\n\nevent: last\ndata: ü\n\ndata: not whole';
    const events = [
      { name: 'step', data: '{"a":\n1}' },
      { name: 'message', data: 'x' },
      { name: 'last', data: 'ü' },
    ];
    fc.assert(
      fc.property(fc.array(fc.nat({ max: text.length })), (cuts) => {
        const reader = new EventReader();
        const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        expect(at.slice(1).flatMap((end, i) => reader.push(text.slice(at[i], end)))).toEqual(events);
      }),
    );
  });
});
