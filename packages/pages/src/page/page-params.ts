import { HTTPError, Type } from '@waymark/contract';
import { isOptions, readSchema } from '@waymark/contract/declaring';
import { type EngineContext, toDetail } from '@waymark/contract/engine';
import { isLibrarySchema } from '@waymark/contract/schema';
import type { PageFault } from '../page-rules.ts';
import type { PageParams, ParamType } from './page.ts';

/** The value that a call gives one param. */
export type BindParam = (context: Pick<EngineContext, 'input' | 'principal'>) => unknown;

/** The params of a page, read. */
export interface ReadParams {
  /** What callers give, by name. */
  readonly input: Readonly<Record<string, object>>;
  /** In their order. */
  readonly params: ReadonlyMap<string, BindParam>;
  readonly faults: readonly PageFault[];
}

/** The name that is bound to the root principal, and that no caller can give. */
export const principalParam = '@principal';

const words: Readonly<Record<string, () => object>> = {
  integer: () => Type.Integer(),
  number: () => Type.Number(),
  string: () => Type.String(),
  boolean: () => Type.Boolean(),
  json: () => Type.Unknown(),
};

/** Any value that SQL has, as JSON writes it. In a path or a query it is text: nothing is guessed. */
const scalar = (): object => Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

/** Reads the params of a page. Names in its path are text, unless a map says more. */
export function readParams(given: unknown, pathNames: readonly string[]): ReadParams {
  const types = toTypes(given, pathNames);
  if (!types) return { input: {}, params: new Map(), faults: [noParams] };
  const faults = Object.keys(types).flatMap(checkName);
  const input = Object.entries(types).filter(([name]) => name !== principalParam);
  return {
    input: Object.fromEntries(faults.length > 0 ? [] : input),
    params: new Map(Object.entries(types).map(([name, schema]) => [name, toBind(name, schema)])),
    faults,
  };
}

const noParams: PageFault = {
  code: 'page-params',
  rule: 'its params are neither a list of names nor a map of name to type',
  fix: "write params: ['id'], or params: { id: 'integer' }",
};

/** @returns undefined for what is neither a list of names nor a map of types */
function toTypes(given: unknown, pathNames: readonly string[]): Readonly<Record<string, object>> | undefined {
  if (given === undefined) return {};
  if (Array.isArray(given)) {
    const isNames = given.every((name) => typeof name === 'string') && new Set(given).size === given.length;
    if (!isNames) return undefined;
    return Object.fromEntries(
      given.map((name) => [name, pathNames.includes(name) ? Type.String() : scalar()]),
    );
  }
  if (!isOptions(given)) return undefined;
  const schemas = Object.entries(given as PageParams).map(([name, type]) => [name, toSchema(type)] as const);
  return schemas.every(([, schema]) => schema !== undefined)
    ? (Object.fromEntries(schemas) as Readonly<Record<string, object>>)
    : undefined;
}

function toSchema(type: ParamType): object | undefined {
  if (typeof type === 'string') return Object.hasOwn(words, type) ? words[type]?.() : undefined;
  return isOptions(type) || isLibrarySchema(type) ? type : undefined;
}

function checkName(name: string): readonly PageFault[] {
  // `where owner = @principal` must never be what a caller says.
  if (name === 'principal')
    return [
      {
        code: 'page-principal',
        rule: 'the param "principal" would be given by callers',
        fix: `write "${principalParam}" for the root principal, or take another name`,
      },
    ];
  return name === principalParam || /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)
    ? []
    : [{ code: 'page-params', rule: `"${name}" is no name of a param`, fix: 'write a word' }];
}

function toBind(name: string, schema: object): BindParam {
  if (name === principalParam) return ({ principal }) => rootOf(principal);
  const read = readSchema(schema, 'input', `param "${name}"`).schema;
  const whole = (read as { readonly type?: unknown }).type === 'integer';
  return ({ input }) => {
    // Own members only: a param may be called `constructor`.
    const value = Object.hasOwn(input, name) ? input[name] : null;
    if (whole && typeof value === 'number' && !Number.isSafeInteger(value)) throw tooGreat(name);
    // The functions of SQL take JSON as text.
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  };
}

function rootOf({ authenticated, rootId }: EngineContext['principal']): string {
  if (!authenticated) throw new HTTPError(401, 'authentication is needed here');
  return rootId;
}

function tooGreat(name: string): HTTPError {
  const errors = [{ path: `/${name}`, message: 'must be an integer between -(2^53 - 1) and 2^53 - 1' }];
  return new HTTPError(422, toDetail(errors), { errors });
}
