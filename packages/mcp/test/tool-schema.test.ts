import { Type } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { toToolSchema } from '../src/tools/tool-schema.ts';
import { serve, tool, toolsOf } from './support.ts';

const Node = Type.Cyclic(
  { Node: Type.Object({ name: Type.String(), children: Type.Array(Type.Ref('Node')) }) },
  'Node',
);
const node = {
  type: 'object',
  required: ['name', 'children'],
  properties: {
    name: { type: 'string' },
    children: { type: 'array', items: { $ref: '#/$defs/Node' } },
  },
};
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('toToolSchema', () => {
  it('gives back a schema without bare names untouched', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        address: { $ref: '#/$defs/address' },
        other: { $ref: 'https://example.org/schema' },
        anchored: { $ref: '#here' },
      },
      $defs: { address: { $anchor: 'here', type: 'object', unevaluatedProperties: false } },
      if: { required: ['address'] },
    };
    expect(toToolSchema(schema)).toBe(schema);
  });

  it('moves what refers to itself under the root, with references from there', () => {
    expect(plain(toToolSchema(Node))).toEqual({ ...node, $defs: { Node: node } });
  });

  it('does so for a parameter, in a list, a choice or a map too', () => {
    const { inputSchema } = tool('grow', {
      input: {
        tree: Node,
        wood: Type.Array(Node),
        maybe: Type.Union([Node, Type.Null()]),
        named: Type.Record(Type.String(), Node),
      },
    });
    const shown = toToolSchema(inputSchema) as Record<string, unknown>;
    expect(plain(shown['$defs'])).toEqual({ Node: node });
    const references = JSON.stringify(shown).match(/"\$ref":"[^"]*"/g) ?? [];
    expect(references.length).toBeGreaterThanOrEqual(5);
    expect(new Set(references)).toEqual(new Set(['"$ref":"#/$defs/Node"']));
    expect(JSON.stringify(shown)).not.toContain('"$id"');
  });

  it('keeps two definitions of one name apart', () => {
    const leaf = (type: string) => ({ $id: 'Leaf', $defs: { X: { type } }, $ref: 'X' });
    const schema = { type: 'object', properties: { a: leaf('string'), b: leaf('integer') } };
    expect(toToolSchema(schema)).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/X' }, b: { $ref: '#/$defs/X_2' } },
      $defs: { X: { type: 'string' }, X_2: { type: 'integer' } },
    });
  });

  it('takes data for data, whatever it looks like', () => {
    const data = { $ref: 'Node', $id: 'kept', $defs: {} };
    const schema = { ...(plain(Node) as object), default: data, properties: { $ref: { const: data } } };
    expect(toToolSchema(schema)).toMatchObject({ default: data, properties: { $ref: { const: data } } });
  });
});

describe('a tool whose schemas refer to themselves', () => {
  it('is listed with references that clients can follow, and an object at the root', async () => {
    const mcp = serve([tool('grow', { input: { tree: Node }, output: Node })]);
    const { result } = await mcp.request('tools/list');
    const [listed] = toolsOf(result);
    expect(listed?.['inputSchema']).toMatchObject({
      type: 'object',
      properties: { tree: { $ref: '#/$defs/Node' } },
      $defs: { Node: node },
    });
    expect(listed?.['outputSchema']).toEqual({ ...node, $defs: { Node: node } });
  });

  it('wraps a list of them with its definitions at the root', async () => {
    const mcp = serve([tool('grow', { output: Type.Array(Node) })]);
    const { result } = await mcp.request('tools/list');
    const [listed] = toolsOf(result);
    expect(listed?.['outputSchema']).toEqual({
      type: 'object',
      properties: { result: { type: 'array', items: { $ref: '#/$defs/Node' } } },
      required: ['result'],
      $defs: { Node: node },
    });
  });
});
