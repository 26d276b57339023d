import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { OpenApiDocument } from '@waymark/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import openapiTS, { astToString } from 'openapi-typescript';

/**
 * Puts a document before everybody who reads such documents: two validators of OpenAPI, a validator of JSON Schema
 * 2020-12 for each schema in it, and a generator of types, whose output has to compile.
 *
 * @throws {Error} saying who refused what
 */
export async function checkDocument(document: OpenApiDocument): Promise<void> {
  // As it travels: whatever JSON does not carry must not be needed.
  const sent = (): OpenApiDocument => JSON.parse(JSON.stringify(document)) as OpenApiDocument;
  const { valid, errors } = await new Validator().validate(sent() as object as Record<string, unknown>);
  if (!valid) throw new Error(`openapi-schema-validator: ${JSON.stringify(errors)}`);
  await SwaggerParser.validate(sent() as unknown as Parameters<typeof SwaggerParser.validate>[0]);
  checkSchemas(sent());
  await checkTypes(sent());
}

/** Keywords that belong to OpenAPI 3.0, or that have another meaning inside a document than outside. */
const foreign = new Set(['nullable', 'example', '$id', '$anchor', 'definitions']);

/** Compiles each schema of a document, with what its references mean there. */
function checkSchemas(document: OpenApiDocument): void {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    allowUnionTypes: true,
  });
  addFormats.default(ajv);
  for (const [name, schema] of Object.entries(document.components.schemas))
    ajv.addSchema(standalone(schema), `schema:${name}`, false, false);
  for (const { pointer, schema } of schemasOf(document)) {
    for (const keyword of keywordsOf(schema))
      if (foreign.has(keyword)) throw new Error(`${pointer}: the keyword ${keyword}`);
    if (!ajv.validateSchema(schema as object)) throw new Error(`${pointer}: ${ajv.errorsText()}`);
    ajv.compile(standalone(schema));
  }
}

/** A document is no schema, so that a validator of schemas cannot follow references through it. */
function standalone(schema: unknown): object {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/components/schemas/', '"$ref":"schema:');
  return JSON.parse(text) as object;
}

/** Every schema of a document that is not part of another one. */
export function schemasOf(
  document: OpenApiDocument,
): readonly { readonly pointer: string; readonly schema: unknown }[] {
  const found: { pointer: string; schema: unknown }[] = [];
  const walk = (value: unknown, pointer: string, inSchemas: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (inSchemas || key === 'schema') found.push({ pointer: at, schema: part });
      else walk(part, at, at === '/components/schemas');
    }
  };
  walk(document, '', false);
  return found;
}

/** The keywords of a schema and its parts; names of properties are none, values of `default` and the like hold none. */
function keywordsOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap(keywordsOf);
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (['const', 'enum', 'default', 'examples', 'required'].includes(keyword)) return [keyword];
    if (keyword === 'properties' || keyword === 'patternProperties')
      return [keyword, ...Object.values(value as object).flatMap(keywordsOf)];
    return [keyword, ...keywordsOf(value)];
  });
}

async function checkTypes(document: OpenApiDocument): Promise<void> {
  const types = astToString(
    await openapiTS(document as unknown as Parameters<typeof openapiTS>[0], { silent: true }),
  );
  const folder = await mkdtemp(join(tmpdir(), 'waymark-openapi-'));
  try {
    const file = join(folder, 'document.ts');
    await writeFile(file, types);
    const compiler = join(import.meta.dirname, '../node_modules/.bin/tsc');
    await promisify(execFile)(
      compiler,
      ['--noEmit', '--strict', '--ignoreConfig', '--module', 'nodenext', file],
      { cwd: folder },
    );
  } catch (error) {
    throw new Error(`openapi-typescript: ${(error as { stdout?: string }).stdout ?? String(error)}`, {
      cause: error,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
