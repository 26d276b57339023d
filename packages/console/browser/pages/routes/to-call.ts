import type { JsonObject } from '@waymark/client-gen/runtime';
import type { ApiDocument, ApiOperation } from './api-document.ts';
import { asList, isMembers } from './json.ts';
import type { ListedRoute } from './surfaces.ts';

/** How the generated client would call a route, and what it takes: one object. */
export interface CallPlan {
  readonly schema: JsonObject;
  /** As `connect` of the runtime wants it. */
  readonly operation: {
    readonly method: Method;
    readonly path: string;
    readonly query: readonly string[];
    readonly members?: true;
    readonly content?: string;
    readonly timeoutMs: number;
  };
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

/** A call that waits for a model or a slow service answers within that, or says why not. */
const timeoutMs = 120_000;

/** @returns why there is no form, as a sentence, where a route takes what no form can give */
export function toCallPlan(
  { method: given, path }: ListedRoute,
  { parameters, body, content }: ApiOperation,
  { resolve }: Pick<ApiDocument, 'resolve'>,
): CallPlan | string {
  const method = methods.find((one) => one === given);
  if (method === undefined) return 'It is no call: a socket, or a page.';
  if (body && !/json/i.test(body.mediaType)) return 'It takes a file. The curl line sends one.';
  const fields = parameters.filter(({ place }) => place === 'path' || place === 'query');
  const schema = body ? resolve(body.schema) : {};
  const members = isMembers(schema['properties']) ? schema['properties'] : undefined;
  const whole = body && (content ?? (members ? undefined : 'body'));
  const properties = Object.fromEntries([
    ...fields.map((one) => [one.argument, resolve(one.schema)]),
    ...(whole === undefined
      ? Object.entries(members ?? {}).map(([name, one]) => [name, resolve(one)])
      : [[whole, schema]]),
  ]) as JsonObject;
  const required = [
    ...fields.filter((one) => one.required).map(({ argument }) => argument),
    ...(whole === undefined ? asList(schema['required']) : [whole]),
  ];
  return {
    schema: { type: 'object', properties, required },
    operation: {
      ...{ method, path, timeoutMs },
      query: fields.filter(({ place }) => place === 'query').map(({ argument }) => argument),
      ...(body && (whole === undefined ? { members: true as const } : { content: whole })),
    },
  };
}
