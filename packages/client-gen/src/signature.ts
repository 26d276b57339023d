import { media } from '@waymark/contract';
import type { SchemaObject as Node } from '@waymark/contract/schema';
import { docComment, lineWidth } from './layout.ts';
import { callName, type Operation } from './operations.ts';
import type { TypeWriter } from './type-writer.ts';

/** Declares the types of an operation and writes the signature of its method. */
export function toSignature(operation: Operation, types: TypeWriter, indent: string): string {
  const input = toInput(operation, types);
  const result = toResult(operation, types);
  const options = `options?: ${operation.progress ? 'ProgressOptions' : 'CallOptions'}`;
  const line = `${indent}${operation.method}(${input}, ${options}): Promise<${result}>;`;
  const broken = [
    `${indent}${operation.method}(`,
    `${indent}  ${input},`,
    `${indent}  ${options},`,
    `${indent}): Promise<${result}>;`,
  ].join('\n');
  return `${docComment(toDoc(operation), indent)}${line.length <= lineWidth ? line : broken}\n`;
}

/** The types of what an operation takes and answers, for whoever calls it in another way. */
export function toTypeNames(operation: Operation): { readonly input: string; readonly output: string } {
  const input = takesNothing(inputSchema(operation)) ? 'NoInput' : operation.inputType;
  return { input, output: toResultName(operation) };
}

function toDoc({ route, path }: Operation): string {
  const { method, summary, description, deprecated } = route;
  const texts = [
    summary === `${method} ${route.path}` ? '' : summary.trim(),
    description.trim(),
    `\`${method} ${path}\``,
    deprecated === undefined ? '' : `@deprecated since ${deprecated}`,
  ];
  return texts.filter((text) => text !== '').join('\n\n');
}

function toInput(operation: Operation, types: TypeWriter): string {
  const { inputType } = operation;
  const schema = inputSchema(operation);
  if (takesNothing(schema)) return 'input?: NoInput';
  const { parameters } = operation.route;
  const texts = parameters.filter(({ place }) => place === 'path' || place === 'query');
  types.declare(inputType, [{ schema }], {
    doc: `What \`${callName(operation)}\` takes.`,
    loose: true,
    texts: new Set(texts.map(({ name }) => name)),
  });
  return `${schema.required.length === 0 ? 'input?' : 'input'}: ${inputType}`;
}

function takesNothing(schema: ReturnType<typeof inputSchema>): boolean {
  const { properties, required } = schema;
  const isOpen = 'additionalProperties' in schema || 'patternProperties' in schema;
  return Object.keys(properties).length === 0 && required.length === 0 && !isOpen;
}

/** The input schema of the route, as a caller of the client sees it. */
function inputSchema({
  route,
  raw,
}: Operation): Node & { readonly properties: Node; readonly required: readonly string[] } {
  const {
    additionalProperties,
    patternProperties,
    propertyNames,
    required = [],
    ...schema
  } = route.inputSchema as Node;
  const properties = (schema['properties'] ?? {}) as Node;
  const names = new Set(route.parameters.map(({ name }) => name));
  // Only a JSON body has room for members that are no parameters.
  const hasRoom = sendsMembers(route);
  return {
    ...schema,
    properties: {
      ...Object.fromEntries(Object.entries(properties).filter(([name]) => names.has(name))),
      ...(raw && {
        [raw.bytes]: media('*/*'),
        [raw.contentType]: { type: 'string', description: 'What the body is: `image/png`.' },
      }),
    },
    required: [
      // Not the schema's own list: defaults count as given.
      ...route.parameters.filter((one) => one.required).map(({ name }) => name),
      ...(hasRoom ? (required as readonly string[]).filter((name) => !names.has(name)) : []),
    ],
    ...(hasRoom && {
      ...(additionalProperties !== false && additionalProperties !== undefined && { additionalProperties }),
      ...(patternProperties !== undefined && { patternProperties }),
      ...(propertyNames !== undefined && { propertyNames }),
    }),
  };
}

/** Whether the body is a JSON object of what travels neither in path nor query. */
export function sendsMembers({ body, parameters }: Operation['route']): boolean {
  return body === 'json' && !parameters.some(({ place }) => place === 'content');
}

function toResult(operation: Operation, types: TypeWriter): string {
  const { outputType, answer } = operation;
  if (answer.kind === 'declared')
    types.declare(outputType, answer.schemas, { doc: `What \`${callName(operation)}\` answers.` });
  return toResultName(operation);
}

function toResultName({ outputType, answer }: Operation): string {
  if (answer.kind !== 'declared') return answer.kind === 'unknown' ? 'unknown' : 'void';
  return answer.mayBeEmpty ? `${outputType} | undefined` : outputType;
}
