import { validateValue } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import type { OpenApiDocument, Operation, Response } from '@waymark/openapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkDocument } from '../openapi-checks.ts';
import { fetchReferenceDocument } from './reference-document.ts';

describe('the document of the reference application', () => {
  let document: OpenApiDocument;
  let operations: readonly Operation[];
  beforeAll(async () => {
    document = await fetchReferenceDocument();
    operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  });

  it('is what two strict validators, a validator of schemas and a generator of types take', async () => {
    verifies('openapi.valid', 'openapi.schemas-valid');
    await checkDocument(document);
  });

  it('says of each success what it looks like: a schema, a media type, or that there is no content', () => {
    verifies('openapi.answers');
    const silent = operations.flatMap((operation) =>
      successesOf(operation)
        .filter(([status, { content }]) => status !== '204' && content === undefined)
        .map(([status]) => `${operation.operationId} ${status}`),
    );
    // A notification of MCP is taken without a word.
    expect(silent).toEqual(['create_svc_mcp 202']);
    const untyped = operations.flatMap((operation) =>
      successesOf(operation).flatMap(([, { content = {} }]) =>
        Object.entries(content)
          .filter(([type, { schema }]) => type === 'application/json' && schema === undefined)
          .map(() => operation.operationId),
      ),
    );
    expect(untyped).toEqual([]);
  });

  it('has an example of each JSON body, of each declared JSON answer and of each parameter that must be given', () => {
    verifies('openapi.examples');
    const without = operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => [
      ...parameters
        .filter((one) => one.required && !('example' in one))
        .map((one) => `${operationId} ${one.name}`),
      ...[requestBody?.content, ...Object.values(responses).map((one) => (one as Response).content)]
        .flatMap((content = {}) => Object.entries(content))
        .filter(([type, one]) => type === 'application/json' && !('example' in one))
        .map(() => operationId),
    ]);
    // Its handler declares no output.
    expect(without).toEqual(['get_tickets_by_id_summary']);
  });

  it('has examples that its own schemas allow', () => {
    verifies('openapi.examples');
    const wrong: unknown[] = [];
    for (const { schema, example } of examplesOf(document)) {
      const errors = validateValue(withComponents(schema, document), example);
      if (errors.length > 0) wrong.push({ schema, example, errors });
    }
    expect(wrong).toEqual([]);
    expect(examplesOf(document).length).toBeGreaterThan(80);
  });

  it('says what each tag is about', () => {
    verifies('openapi.tags');
    expect(document.tags.filter(({ description }) => description.length < 20)).toEqual([]);
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(
      new Set(document.tags.map((one) => one.name)),
    );
  });

  it.each<[id: string, reads: readonly string[], sends: object]>([
    ['list_tickets', [], { 200: ['Link'] }],
    ['get_tickets', ['If-None-Match'], { 200: ['ETag'] }],
    ['create_tickets', [], { 201: ['Location', 'ETag'] }],
    ['update_tickets', ['If-Match', 'If-None-Match'], { 200: ['ETag'] }],
    ['delete_tickets', ['If-Match', 'If-None-Match'], {}],
    [
      'get_devices_lobby_latest',
      ['If-None-Match'],
      { 200: ['ETag', 'Last-Modified', 'X-Frame-Seq', 'X-Frame-At', 'X-Frame-Age'] },
    ],
    ['get_assets_by_file', ['If-None-Match', 'If-Match', 'Range'], { 200: ['ETag'], 206: ['ETag'] }],
  ])('names the headers that %s reads and sends', (id, reads, sends) => {
    verifies('openapi.headers');
    const operation = operations.find(({ operationId }) => operationId === id);
    const inHeader = operation?.parameters?.filter((one) => one.in === 'header').map((one) => one.name);
    expect(inHeader ?? []).toEqual(reads);
    const sent = operation
      ? successesOf(operation).flatMap(([status, { headers }]) =>
          headers ? [[status, Object.keys(headers)]] : [],
        )
      : [];
    expect(Object.fromEntries(sent)).toEqual(sends);
    // Of a change it is a condition, with 412.
    const isRead = id.startsWith('get_') && reads.includes('If-None-Match');
    expect(Object.hasOwn(operation?.responses ?? {}, '304')).toBe(isRead);
  });
});

/** None of them is a reference: only errors are shared. */
function successesOf({ responses }: Operation): readonly (readonly [string, Response])[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, response]) => [status, response as Response]);
}

interface Example {
  readonly schema: object;
  readonly example: unknown;
}

/** Everything that has a schema and an example. */
function examplesOf(value: unknown): readonly Example[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('schema' in value && 'example' in value) return [value as Example];
  return Object.values(value).flatMap(examplesOf);
}

/** The schema as one of its own: references lead into the document. */
function withComponents(schema: object, { components }: OpenApiDocument): object {
  const text = JSON.stringify({ ...schema, $defs: components.schemas });
  return JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/')) as object;
}
