import { asList, asObject, asText, asTexts, type JsonObject, memberOf } from './json.ts';
import { References } from './references.ts';

/** What the page shows: an OpenAPI document, read without believing that it has its form. */
export interface Api {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly groups: readonly Group[];
  readonly operations: ReadonlyMap<string, Operation>;
  readonly references: References;
  /** How callers show who they are; empty where no authentication is configured. */
  readonly schemes: readonly Scheme[];
  /** The path of the MCP endpoint. */
  readonly mcp: string | undefined;
  /** The path of this page, as the document knows it. */
  readonly docs: string | undefined;
  /** Routes that the document has no operation for. */
  readonly omitted: readonly string[];
}

export type Scheme = 'apiKey' | 'bearer';

/** The operations of one tag. */
export interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** One route. */
export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly responses: readonly Answer[];
  readonly access: Access;
  readonly facts: Facts;
}

/** Who may call it. */
export interface Access {
  readonly scopes: readonly string[];
  /** Callers without a credential, too. */
  readonly open: boolean;
}

/** What OpenAPI has no word for. */
export interface Facts {
  readonly tool: boolean;
  readonly approval: boolean;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly progress: boolean;
  readonly timeoutMs: number | undefined;
  /** The method of the generated client. */
  readonly client: string | undefined;
  /** The name of the whole body, for tools and the client. */
  readonly content: string | undefined;
}

export interface Parameter {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header';
  /** Its name for tools and the client. */
  readonly argument: string;
  readonly required: boolean;
  readonly deprecated: boolean;
  /** Takes the rest of a path, its slashes included. */
  readonly rest: boolean;
  readonly description: string;
  readonly schema: unknown;
  readonly example: unknown;
}

/** What may be sent. */
export interface Body {
  readonly required: boolean;
  readonly mediaType: string;
  /** Undefined for bytes. */
  readonly schema: unknown;
  readonly example: unknown;
}

/** What comes back. */
export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly headers: readonly { readonly name: string; readonly description: string }[];
  readonly contents: readonly Content[];
}

export interface Content {
  readonly mediaType: string;
  readonly schema: unknown;
  readonly example: unknown;
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head', 'trace'];
const places = ['path', 'query', 'header'];

/** Reads a document. */
export function readApi(document: unknown): Api {
  const references = new References(document);
  const { info, paths, tags, components, 'x-waymark': extension } = asObject(document);
  const operations = new Map<string, Operation>();
  for (const [path, item] of Object.entries(asObject(paths)))
    for (const [method, value] of Object.entries(asObject(item))) {
      if (!methods.includes(method)) continue;
      const operation = readOperation({ method, path, references }, asObject(value));
      operations.set(operation.id, operation);
    }
  const schemes = Object.keys(asObject(memberOf(components, 'securitySchemes')));
  return {
    title: asText(memberOf(info, 'title')) || 'API',
    version: asText(memberOf(info, 'version')),
    description: asText(memberOf(info, 'description')),
    groups: toGroups(asList(tags).map(asObject), [...operations.values()]),
    operations,
    references,
    schemes: schemes.filter((one) => one === 'apiKey' || one === 'bearer'),
    mcp: asText(memberOf(extension, 'mcp')) || undefined,
    docs: asText(memberOf(extension, 'docs')) || undefined,
    omitted: asTexts(memberOf(extension, 'omitted')),
  };
}

/** In the order of the tags, then whatever has a tag that nobody described. */
function toGroups(tags: readonly JsonObject[], operations: readonly Operation[]): readonly Group[] {
  const described = new Map(tags.map((tag) => [asText(tag['name']), asText(tag['description'])]));
  const names = new Set([...described.keys(), ...operations.map(({ tag }) => tag)]);
  return [...names]
    .map((name) => ({
      name,
      description: described.get(name) ?? '',
      operations: operations.filter(({ tag }) => tag === name),
    }))
    .filter((group) => group.operations.length > 0);
}

interface At {
  readonly method: string;
  readonly path: string;
  readonly references: References;
}

function readOperation({ method, path, references }: At, value: JsonObject): Operation {
  return {
    id: asText(value['operationId']) || `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    tag: asTexts(value['tags'])[0] ?? 'other',
    summary: asText(value['summary']),
    description: asText(value['description']),
    deprecated: value['deprecated'] === true,
    parameters: asList(value['parameters'])
      .map((one) => references.resolve(one))
      .filter((one) => places.includes(asText(one['in'])))
      .map(readParameter),
    body: value['requestBody'] === undefined ? undefined : readBody(references.resolve(value['requestBody'])),
    responses: Object.entries(asObject(value['responses'])).map(([status, one]) =>
      readAnswer(status, references.resolve(one)),
    ),
    access: readAccess(value['security']),
    facts: readFacts(asObject(value['x-waymark'])),
  };
}

function readParameter(value: JsonObject): Parameter {
  const name = asText(value['name']);
  const extension = value['x-waymark'];
  return {
    name,
    // One of `places`, as was looked at.
    place: value['in'] as Parameter['place'],
    argument: asText(memberOf(extension, 'name')) || name,
    required: value['required'] === true,
    deprecated: value['deprecated'] === true,
    rest: memberOf(extension, 'rest') === true,
    description: asText(value['description']),
    schema: value['schema'],
    example: value['example'],
  };
}

function readBody(value: JsonObject): Body {
  const contents = readContents(value['content']);
  const chosen = contents.find(({ mediaType }) => isJson(mediaType)) ?? contents[0];
  return {
    required: value['required'] === true,
    mediaType: chosen?.mediaType ?? '*/*',
    schema: chosen?.schema,
    example: chosen?.example,
  };
}

function readAnswer(status: string, value: JsonObject): Answer {
  return {
    status,
    description: asText(value['description']),
    headers: Object.entries(asObject(value['headers'])).map(([name, one]) => ({
      name,
      description: asText(memberOf(one, 'description')),
    })),
    contents: readContents(value['content']),
  };
}

function readContents(value: unknown): readonly Content[] {
  return Object.entries(asObject(value)).map(([mediaType, one]) => ({
    mediaType,
    schema: memberOf(one, 'schema'),
    example: memberOf(one, 'example'),
  }));
}

/** Each requirement names the same scopes under another scheme; an empty one is for callers without any. */
function readAccess(value: unknown): Access {
  const needs = asList(value).map(asObject);
  const first = needs.find((one) => Object.keys(one).length > 0) ?? {};
  return {
    scopes: asTexts(Object.values(first)[0]),
    open: needs.length === 0 || needs.some((one) => Object.keys(one).length === 0),
  };
}

function readFacts(value: JsonObject): Facts {
  const { timeout_ms: timeoutMs } = value;
  return {
    tool: value['tool'] === true,
    approval: value['approval'] === 'required',
    readOnly: value['read_only'] === true,
    destructive: value['destructive'] === true,
    progress: value['progress'] === true,
    timeoutMs: typeof timeoutMs === 'number' ? timeoutMs : undefined,
    client: asText(value['client']) || undefined,
    content: asText(value['content']) || undefined,
  };
}

/** Whether a media type is JSON, `application/problem+json` included. */
export function isJson(mediaType: string): boolean {
  return /^[^;]*[/+]json\b/i.test(mediaType);
}
