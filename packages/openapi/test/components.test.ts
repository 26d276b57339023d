import { Type } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { documentOf, operationOf, route } from './tables.ts';

/** As TypeBox writes `Type.Cyclic`. */
const tree = (value: string) => ({
  $defs: {
    Node: {
      $id: 'Node',
      type: 'object',
      properties: { value: { type: value }, children: { type: 'array', items: { $ref: 'Node' } } },
    },
  },
  $ref: 'Node',
});
const treeComponent = (value: string, name: string) => ({
  type: 'object',
  properties: {
    value: { type: value },
    children: { type: 'array', items: { $ref: `#/components/schemas/${name}` } },
  },
});
const bodyOf = (schema: object) => {
  const document = documentOf([route('POST', '/a', { input: { type: 'object', ...schema } })]);
  return {
    schema: document.paths['/a']?.post?.requestBody?.content['application/json']?.schema,
    schemas: document.components.schemas,
  };
};

describe('Components', () => {
  it('turns a cyclic type into one component, however often it is used', () => {
    const document = documentOf([
      route('POST', '/a', { input: { tree: tree('string') }, output: tree('string') }),
    ]);
    expect(Object.keys(document.components.schemas)).toEqual(['Problem', 'Node']);
    expect(document.components.schemas['Node']).toEqual(treeComponent('string', 'Node'));
    expect(document.paths['/a']?.post?.responses[200]).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } },
    });
  });

  it('takes a cyclic type as TypeBox makes it', () => {
    const Tree = Type.Cyclic(
      { Node: Type.Object({ value: Type.String(), children: Type.Array(Type.Ref('Node')) }) },
      'Node',
    );
    const { schemas } = documentOf([route('GET', '/a', { output: Type.Object({ tree: Tree }) })]).components;
    expect(schemas['Node']).toEqual({ ...treeComponent('string', 'Node'), required: ['value', 'children'] });
  });

  it('keeps different types of one name apart', () => {
    const { schemas } = documentOf([
      route('GET', '/a', { output: tree('string') }),
      route('GET', '/b', { output: tree('integer') }),
    ]).components;
    expect(schemas['Node']).toEqual(treeComponent('string', 'Node'));
    expect(schemas['Node_2']).toEqual(treeComponent('integer', 'Node_2'));
  });

  it('does not let a type take the name of the error schema', () => {
    const schema = { $defs: { Problem: { type: 'string' } }, $ref: '#/$defs/Problem' };
    expect(operationOf(route('GET', '/a', { output: schema })).responses[200]).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem_2' } } },
    });
  });

  it('resolves pointers into definitions, with escaped names, and to any other place', () => {
    const { schema, schemas } = bodyOf({
      properties: { a: { $ref: '#/$defs/x~1y%20z' }, b: { $ref: '#/properties/c' }, c: { type: 'string' } },
      $defs: { 'x/y z': { type: 'integer' } },
    });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        a: { $ref: '#/components/schemas/x_y_z' },
        b: { $ref: '#/components/schemas/c' },
        c: { type: 'string' },
      },
    });
    expect(schemas).toMatchObject({ x_y_z: { type: 'integer' }, c: { type: 'string' } });
  });

  it('resolves definitions that a part brings with it', () => {
    const part = { $defs: { Inner: { type: 'integer' } }, type: 'array', items: { $ref: '#/$defs/Inner' } };
    const document = documentOf([route('POST', '/a', { input: { list: part } })]);
    expect(document.components.schemas['Inner']).toEqual({ type: 'integer' });
  });

  it('makes a component of a schema that refers to itself as a whole', () => {
    const { schema, schemas } = bodyOf({ properties: { child: { $ref: '#' } } });
    const expected = {
      type: 'object',
      properties: { child: { $ref: '#/components/schemas/create_a_input' } },
    };
    expect(schema).toEqual(expected);
    expect(schemas['create_a_input']).toEqual(expected);
  });

  it('leaves data alone, whatever it looks like', () => {
    const data = {
      properties: {
        a: { default: { $ref: 'x', nullable: true }, examples: [{ example: 1 }] },
        b: { const: { example: 1 }, enum: [{ $id: 'y' }] },
      },
    };
    expect(bodyOf(data).schema).toEqual({ type: 'object', ...data });
  });

  it('takes properties by any name for properties', () => {
    const properties = {
      $ref: { type: 'string' },
      example: { type: 'string' },
      $id: { type: 'string' },
      nullable: { type: 'boolean' },
    };
    expect(bodyOf({ properties }).schema).toEqual({ type: 'object', properties });
  });

  it('drops what only stands alone or in OpenAPI 3.0', () => {
    const part = {
      $id: 'https://example.com/s',
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'string',
      nullable: true,
      example: 'x',
    };
    expect(bodyOf({ properties: { part } }).schema).toEqual({
      type: 'object',
      properties: { part: { type: 'string', examples: ['x'] } },
    });
  });

  it('goes through every keyword that holds schemas', () => {
    const ref = { $ref: '#/$defs/T' };
    const seen = { $ref: '#/components/schemas/T' };
    const holders = (one: object) => ({
      additionalProperties: one,
      allOf: [one],
      anyOf: [one],
      dependentSchemas: { a: one },
      else: one,
      if: one,
      not: one,
      patternProperties: { x: one },
      properties: { a: { prefixItems: [one], items: one, contains: one } },
      propertyNames: { ...one, maxLength: 9 },
    });
    expect(bodyOf({ ...holders(ref), $defs: { T: { type: 'string' } } }).schema).toEqual({
      type: 'object',
      ...holders(seen),
    });
  });

  it('leaves out what a library left in its description and JSON does not have', () => {
    const schema = { type: 'string', 'x-own': { call: () => 1, n: 1n, kept: [true] }, 'x-all': () => 1 };
    const one = { ...route('GET', '/a'), facts: { answers: { 200: [schema] } } };
    expect(documentOf([one]).paths['/a']?.get?.responses[200]).toMatchObject({
      content: { 'application/json': { schema: { type: 'string', 'x-own': { kept: [true] } } } },
    });
    expect(JSON.stringify(documentOf([one]))).not.toContain('x-all');
  });
});
