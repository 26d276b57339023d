import type { Values } from '@waymark/contract';
import { isRecord } from '../protocol/envelope.ts';
import type { Refusal } from '../protocol/refusal.ts';
import { mismatch } from '../transport/check-headers.ts';
import { readHeaderValue } from '../transport/header-value.ts';

/** A parameter that clients repeat in a header, so that proxies can route by it. */
export interface ParameterHeader {
  /** From the arguments to the value: names of properties. */
  readonly path: readonly string[];
  /** `Mcp-Param-Region`. */
  readonly header: string;
  /** What node calls it. */
  readonly key: string;
}

/** The parameters of a tool that are repeated in headers, and the rules that its marks break. */
export interface ParameterHeaders {
  readonly headers: readonly ParameterHeader[];
  readonly faults: readonly string[];
}

/** The keyword that marks a property of an input schema: `'x-mcp-header': 'Region'`. */
const keyword = 'x-mcp-header';
/** The letters of a header's name (RFC 9110, 5.6.2). */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** `number` is not among them: clients and servers write fractions differently. */
const markable: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** Reads the `x-mcp-header` marks of an input schema. Clients drop a tool whose marks break a rule. */
export function parameterHeaders(inputSchema: object): ParameterHeaders {
  const headers: ParameterHeader[] = [];
  const faults: string[] = [];
  const visit = (node: unknown, path: readonly string[]): void => {
    if (!isRecord(node)) return;
    const mark = node[keyword];
    if (mark !== undefined) {
      const key = typeof mark === 'string' ? `mcp-param-${mark.toLowerCase()}` : '';
      const taken = headers.some((other) => other.key === key);
      const fault = faultOf(mark, node['type'], path, taken);
      if (fault === undefined) headers.push({ path, header: `Mcp-Param-${String(mark)}`, key });
      else faults.push(`${keyword} of "${path.join('.')}" ${fault}`);
    }
    for (const [member, value] of Object.entries(node)) {
      if (member === 'properties' && isRecord(value))
        for (const [name, property] of Object.entries(value)) visit(property, [...path, name]);
      else if (holdsMark(value))
        faults.push(`${keyword} below "${member}" marks no parameter of a fixed name`);
    }
  };
  visit(inputSchema, []);
  return { headers, faults };
}

/** In a list, a choice or a definition there is no one value to repeat. */
function holdsMark(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, keyword) || Object.values(value).some(holdsMark);
}

function faultOf(mark: unknown, type: unknown, path: readonly string[], taken: boolean): string | undefined {
  if (typeof mark !== 'string' || !token.test(mark)) return 'is not the name of a header';
  if (path.length === 0) return 'marks the whole input';
  if (!markable.has(type)) return 'marks something else than a string, an integer or a boolean';
  return taken ? `is "${mark}", which another parameter has` : undefined;
}

/** Compares the headers of a call with its arguments. A parameter that is not given, or null, has no header. */
export function checkParameterHeaders(
  parameters: readonly ParameterHeader[],
  values: Values,
  headers: Readonly<Record<string, string>>,
): Refusal | undefined {
  for (const { path, header, key } of parameters) {
    const sent = headers[key];
    if (!repeats(sent, valueAt(values, path)))
      return mismatch(header, sent, `params.arguments.${path.join('.')}`);
  }
  return undefined;
}

function repeats(sent: string | undefined, value: unknown): boolean {
  if (value === undefined || value === null) return sent === undefined;
  if (sent === undefined) return false;
  const text = readHeaderValue(sent);
  if (typeof value !== 'number') return text === String(value);
  return text !== undefined && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && Number(text) === value;
}

function valueAt(values: Values, path: readonly string[]): unknown {
  let value: unknown = values;
  for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}
