import { asObject, asTexts, isObject, type JsonObject } from '../model/json.ts';
import { type References, referenceName } from '../model/references.ts';
import { branchesOf, limitWords, typeWords } from '../model/schema-words.ts';
import { el, unfolding } from './dom.ts';
import { inline } from './prose.ts';

/** How a schema is shown. */
interface Showing {
  readonly references: References;
  /** Which members are marked: of what is sent those that must be there, of what comes back those that may not be. */
  readonly marks: 'required' | 'optional';
}

/**
 * Shows a schema: its type, what it asks, and its members. What lies deeper is made when somebody opens it, so a schema that
 * holds itself never ends and costs nothing.
 */
export function schemaView(schema: unknown, references: References, marks: Showing['marks']): HTMLElement {
  const showing = { references, marks };
  const inside = insideOf(schema, showing);
  const hasMembers = isObject(references.resolve(schema)['properties']);
  return el('div', { class: 'schema' }, !hasMembers && typeLine(schema, references), ...inside);
}

/** A type with what it asks. */
export function typeLine(schema: unknown, references: References): HTMLElement {
  const limits = limitWords(references.resolve(schema));
  return el(
    'span',
    { class: 'type' },
    el('span', { class: 'type-name' }, typeWords(schema, references)),
    ...limits.map((one) => el('span', { class: 'limit' }, one)),
  );
}

/** What of a schema has parts of its own. */
function insideOf(schema: unknown, showing: Showing): readonly HTMLElement[] {
  const { references } = showing;
  const resolved = references.resolve(schema);
  const { properties, items, allOf, additionalProperties, patternProperties } = resolved;
  const named: readonly (readonly [string, unknown])[] = [
    ...(isObject(patternProperties)
      ? Object.entries(patternProperties).map(([name, one]) => [`names like ${name}`, one] as const)
      : []),
    ...(isObject(additionalProperties) ? [['any other name', additionalProperties] as const] : []),
  ];
  return [
    ...(isObject(properties) && Object.keys(properties).length > 0
      ? [memberList(properties, asTexts(resolved['required']), showing)]
      : []),
    ...named.map(([name, one]) => branch(name, one, showing)),
    ...(hasInside(items) ? [branch('each item', items, showing)] : []),
    ...(Array.isArray(allOf) ? allOf.map((one) => branch('and also', one, showing)) : []),
    ...branchesOf(resolved)
      .filter((one) => hasInside(one))
      .map((one) => branch('or', one, showing)),
  ];
}

function branch(label: string, schema: unknown, showing: Showing): HTMLElement {
  const line = [el('span', { class: 'soft' }, label), ' ', typeLine(schema, showing.references)];
  if (!hasInside(schema)) return el('div', { class: 'branch' }, ...line);
  return unfolding(line, () => insideOf(schema, showing), { class: 'branch' });
}

function memberList(properties: JsonObject, required: readonly string[], showing: Showing): HTMLElement {
  return el(
    'ul',
    { class: 'members' },
    ...Object.entries(properties).map(([name, schema]) =>
      el('li', {}, member(name, schema, required.includes(name), showing)),
    ),
  );
}

function member(name: string, schema: unknown, required: boolean, showing: Showing): HTMLElement {
  const { references, marks } = showing;
  const { description } = references.resolve(schema);
  const line = [
    el('code', { class: 'name' }, name),
    required && marks === 'required' && el('span', { class: 'required' }, 'required'),
    typeLine(schema, references),
    !required && marks === 'optional' && el('span', { class: 'limit' }, 'may be absent'),
    typeof description === 'string' && el('span', { class: 'about' }, ...inline(description)),
  ];
  if (!hasInside(schema)) return el('div', { class: 'member' }, ...line);
  return unfolding(line, () => insideOf(schema, showing), { class: 'member' });
}

/** Whether there is more to see than a type. A reference is taken for something, and never followed. */
function hasInside(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (referenceName(schema) !== undefined) return true;
  const { properties, additionalProperties, patternProperties, items, allOf } = asObject(schema);
  return (
    (isObject(properties) && Object.keys(properties).length > 0) ||
    isObject(additionalProperties) ||
    isObject(patternProperties) ||
    Array.isArray(allOf) ||
    hasInside(items) ||
    branchesOf(schema).some((one) => hasInside(one))
  );
}
