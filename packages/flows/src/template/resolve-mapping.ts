import type { Json } from '@waymark/contract';
import { parseTemplate } from './template.ts';

/** The two values that templates speak of. */
export interface StepValues {
  /** What reached the step: `$`. */
  readonly incoming: Json;
  /** What the flow was started with: `$input`. */
  readonly input: Json;
}

/** Members by name. */
export type Members = { readonly [name: string]: Json | undefined };

/** Replaces the templates of a mapping by the values they stand for, at any depth; null where there is none. */
export function resolveMapping(mapping: Members, values: StepValues): Members {
  return Object.fromEntries(
    Object.entries(mapping).map(([name, member]) => [name, resolve(member ?? null, values)]),
  );
}

function resolve(mapped: Json, values: StepValues): Json {
  if (typeof mapped === 'string') return resolveText(mapped, values);
  if (isList(mapped)) return mapped.map((item) => resolve(item, values));
  return isMembers(mapped) ? resolveMapping(mapped, values) : mapped;
}

function resolveText(text: string, values: StepValues): Json {
  const template = parseTemplate(text);
  // The check at boot refuses what is no template.
  if (!template) return text;
  return template.kind === 'text' ? template.text : valueAt(values[template.of], template.path);
}

/** Own members and items only: nobody reads `constructor` or `length` by accident. */
function valueAt(value: Json, path: readonly string[]): Json {
  let found: Json = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return null;
    if (isList(found) && !/^\d+$/.test(name)) return null;
    found = (found as Members)[name] ?? null;
  }
  return found;
}

/** Whether a value has members, so that it can be the arguments of a tool. */
export function isMembers(value: Json): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
