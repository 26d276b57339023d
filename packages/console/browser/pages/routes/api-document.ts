import { asList, asMembers, asText, type Members } from './json.ts';

/** What the OpenAPI document says of a route. It is read without believing that it has its form. */
export interface ApiOperation {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ApiParameter[];
  readonly body: ApiBody | undefined;
  /** Of the first success that is JSON. */
  readonly answer: unknown;
  /** The method of the generated client, where the document names it. */
  readonly client: string | undefined;
  /** The name that the whole body has for tools and the client. */
  readonly content: string | undefined;
}

/** Something that goes into the path, the query or a header. */
export interface ApiParameter {
  readonly name: string;
  readonly place: string;
  /** Its name for tools and the client. */
  readonly argument: string;
  readonly required: boolean;
  readonly schema: unknown;
  readonly example: unknown;
}

/** What is sent. */
export interface ApiBody {
  readonly mediaType: string;
  readonly schema: unknown;
  readonly example: unknown;
}

/** The document, as far as the console uses it. */
export interface ApiDocument {
  /** By method and path: `GET /tickets/{id}`. */
  readonly operations: ReadonlyMap<string, ApiOperation>;
  /** The path of the MCP endpoint. */
  readonly mcp: string | undefined;
  /** The path of its page. */
  readonly docs: string | undefined;
  /** What a reference stands for; anything else is itself. */
  resolve(value: unknown): Members;
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];
/** How many references may lead to each other. */
const furthest = 20;

/** Reads the document. */
export function readApiDocument(document: unknown): ApiDocument {
  const { paths, 'x-waymark': extension } = asMembers(document);
  const resolve = (value: unknown): Members => resolveIn(document, value);
  const operations = new Map<string, ApiOperation>();
  for (const [path, item] of Object.entries(asMembers(paths)))
    for (const [method, value] of Object.entries(asMembers(item)))
      if (methods.includes(method))
        operations.set(`${method.toUpperCase()} ${path}`, toOperation(asMembers(value), resolve));
  const { mcp, docs } = asMembers(extension);
  return { operations, mcp: asText(mcp) || undefined, docs: asText(docs) || undefined, resolve };
}

function toOperation(value: Members, resolve: ApiDocument['resolve']): ApiOperation {
  const facts = asMembers(value['x-waymark']);
  const body = value['requestBody'] === undefined ? undefined : resolve(value['requestBody']);
  return {
    id: asText(value['operationId']),
    summary: asText(value['summary']),
    description: asText(value['description']),
    parameters: asList(value['parameters']).map((one) => toParameter(resolve(one))),
    body: body && toBody(asMembers(body['content'])),
    answer: toAnswer(asMembers(value['responses']), resolve),
    client: asText(facts['client']) || undefined,
    content: asText(facts['content']) || undefined,
  };
}

function toParameter(value: Members): ApiParameter {
  const name = asText(value['name']);
  return {
    name,
    place: asText(value['in']),
    argument: asText(asMembers(value['x-waymark'])['name']) || name,
    required: value['required'] === true,
    schema: value['schema'],
    example: value['example'],
  };
}

/** JSON where it may be, else whatever stands first. */
function toBody(content: Members): ApiBody | undefined {
  const all = Object.entries(content);
  const [mediaType, chosen] = all.find(([type]) => isJson(type)) ?? all[0] ?? [];
  if (mediaType === undefined) return undefined;
  const { schema, example } = asMembers(chosen);
  return { mediaType, schema, example };
}

function toAnswer(responses: Members, resolve: ApiDocument['resolve']): unknown {
  const [, success] = Object.entries(responses).find(([status]) => /^2/.test(status)) ?? [];
  const found = Object.entries(asMembers(resolve(success)['content'])).find(([type]) => isJson(type));
  return asMembers(found?.[1])['schema'];
}

function resolveIn(document: unknown, value: unknown): Members {
  let found = asMembers(value);
  for (let i = 0; i < furthest && typeof found['$ref'] === 'string'; i++) {
    const { $ref, ...beside } = found;
    found = { ...asMembers(follow(document, asText($ref))), ...beside };
  }
  return typeof found['$ref'] === 'string' ? {} : found;
}

function follow(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let found: unknown = document;
  for (const part of reference.slice(2).split('/'))
    found = asMembers(found)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  return found;
}

function isJson(mediaType: string): boolean {
  return /^[^;]*[/+]json\b/i.test(mediaType);
}
