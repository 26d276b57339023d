import { HTTPError, Type } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { parsePath } from '@waymark/contract/route';
import type { SqlText } from '../database/sql-text.ts';
import { type Fields, isFieldType, toField, toSchema } from '../fields/field.ts';
import { checkInteger } from '../fields/stored.ts';
import type { SqlRuleFault } from '../sql-rules.ts';
import {
  checkNames,
  checkPath,
  countFault,
  paramsForm,
  placeholderFault,
  principalParam,
  readSql,
} from './check-params.ts';

/** Where the value of one placeholder comes from. */
export type BindValue = (context: Pick<EngineContext, 'input' | 'principal'>) => unknown;

/** The params of a query, read. */
export interface ReadParams {
  /** What callers give, by name. */
  readonly input: Readonly<Record<string, object>>;
  /** The value for each position of the statement. */
  readonly values: readonly BindValue[];
  /** The root principal is among them: nobody without a name can ask. */
  readonly named: boolean;
  readonly text: SqlText | undefined;
  readonly faults: readonly SqlRuleFault[];
}

/** Any value that SQL has, as JSON writes it. Text wins in a path or a query: nothing is guessed. */
const scalar = (): object => Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

/** Reads the params of a query against its placeholders and its path. */
export function readParams(path: string, sql: unknown, params: unknown): ReadParams {
  const pathNames = typeof path === 'string' ? namesIn(path) : [];
  const given = toMap(params, pathNames);
  const read = readSql(sql);
  const names = given ? Object.keys(given) : [];
  const faults = given
    ? [...read.faults, ...checkNames(names), ...checkPath(names, pathNames)]
    : [...read.faults, paramsForm];
  const binding = read.text && faults.length === 0 ? bindParams(read.text, names, given ?? {}) : noBinding;
  return {
    input: Object.fromEntries(
      Object.entries(given ?? {})
        .filter(([name]) => name !== principalParam)
        .map(([name, type]) => [name, toSchema(type)]),
    ),
    values: binding.values,
    named: names.includes(principalParam),
    text: read.text,
    faults: [...faults, ...binding.faults],
  };
}

/** @returns undefined for what is neither a list of names nor a map of types */
function toMap(params: unknown, pathNames: readonly string[]): Fields | undefined {
  if (params === undefined) return {};
  if (Array.isArray(params)) {
    if (!params.every((name) => typeof name === 'string') || new Set(params).size < params.length)
      return undefined;
    return Object.fromEntries(
      params.map((name) => [name, pathNames.includes(name) ? Type.String() : scalar()]),
    );
  }
  return typeof params === 'object' && params !== null && Object.values(params).every(isFieldType)
    ? (params as Fields)
    : undefined;
}

const noBinding: Pick<ReadParams, 'values' | 'faults'> = { values: [], faults: [] };

function bindParams(
  { parameters }: SqlText,
  names: readonly string[],
  types: Fields,
): Pick<ReadParams, 'values' | 'faults'> {
  const positional = parameters.length > 0 && parameters[0] === undefined;
  if (positional && parameters.length !== names.length)
    return { values: [], faults: [countFault(parameters.length, names.length)] };
  const wanted = positional ? names : parameters.map((name) => paramFor(name ?? ''));
  const unbound = wanted.filter((name) => !names.includes(name));
  const unused = names.filter((name) => !wanted.includes(name));
  return {
    values: wanted.map((name) => toBindValue(name, types)),
    faults: [
      ...unbound.map((name) => placeholderFault(`its placeholder ${signed(name)} is not among its params`)),
      ...unused.map((name) => placeholderFault(`its param "${name}" has no placeholder`)),
    ],
  };
}

/** Every sign before a name means the same to SQLite. */
function paramFor(placeholder: string): string {
  return `@${placeholder}` === principalParam ? principalParam : placeholder;
}

function signed(name: string): string {
  return name === principalParam ? name : `:${name}`;
}

function toBindValue(name: string, types: Fields): BindValue {
  if (name === principalParam) return ({ principal }) => rootOf(principal);
  const type = types[name];
  const whole = type !== undefined && toField(name, type).kind === 'integer';
  return ({ input }) => {
    // Own members only: a param may be called `constructor`.
    const value = Object.hasOwn(input, name) ? input[name] : null;
    if (whole) checkInteger(name, value);
    // The functions of SQL take JSON as text.
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  };
}

function rootOf({ authenticated, rootId }: EngineContext['principal']): string {
  if (!authenticated) throw new HTTPError(401, 'authentication is needed here');
  return rootId;
}

function namesIn(path: string): readonly string[] {
  const parsed = parsePath(path);
  return parsed.ok
    ? parsed.segments.flatMap((segment) => (segment.kind === 'literal' ? [] : [segment.name]))
    : [];
}
