import type { Operation } from '../model/api.ts';
import { isObject } from '../model/json.ts';
import { type Field, type FormShape, plainText } from './fields.ts';
import { readField, readJson } from './read-field.ts';

/** What stands in a form. */
export interface Entered {
  /** By the place and name of each field: `query limit`. */
  readonly texts: ReadonlyMap<string, string>;
  /** The whole body as JSON, where it is written so; undefined where it is told by its members. */
  readonly json: string | undefined;
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Blob } | undefined;
}

/** A call as it would be made: what is sent, and what its tool and its method of the client would be given. */
export interface Draft {
  /** With the query, below the root of the service. Names in braces stand where a value is missing. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: DraftBody;
  /** Values by their names for tools and the client. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly faults: readonly Fault[];
}

/** What is sent. */
export type DraftBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'file'; readonly name: string; readonly type: string; readonly bytes?: Blob };

/** What keeps a call from being made. */
export interface Fault {
  /** The key of a field, or `body`. */
  readonly at: string;
  readonly message: string;
}

/** The key of a field among what was entered. */
export function keyOf({ place, name }: Pick<Field, 'place' | 'name'>): string {
  return `${place} ${name}`;
}

/** Puts a call together from what was entered. */
export function toDraft(operation: Operation, shape: FormShape, entered: Entered): Draft {
  const faults: Fault[] = [];
  const values = new Map<string, unknown>();
  const given = new Map<Field, unknown>();
  const read = (field: Field): void => {
    const reading = readField(field, entered.texts.get(keyOf(field)) ?? '');
    if (reading.is === 'fault') faults.push({ at: keyOf(field), message: reading.message });
    if (reading.is === 'value') given.set(field, reading.value);
  };
  shape.fields.forEach(read);
  for (const [field, value] of given) {
    const message = misfit(field, value);
    if (message !== undefined) faults.push({ at: keyOf(field), message });
    if (field.place !== 'header') values.set(field.argument, value);
  }
  const target = toTarget(operation.path, given);
  const headers = [...given].flatMap(([{ place, name }, value]) =>
    place === 'header' ? [[name.toLowerCase(), plainText(value)] as const] : [],
  );
  const body = toBody(operation, shape, entered, { faults, values, read, given });
  return { target, headers, body, values, faults };
}

/** What an address or a header has no room for. */
function misfit({ place, rest }: Field, value: unknown): string | undefined {
  const text = plainText(value);
  if (place === 'header')
    return /^[\t\x20-\x7e]*$/.test(text) ? undefined : 'has a character that no header can have';
  if (place !== 'path') return undefined;
  // An address that has them is another one.
  const parts = rest ? text.split('/') : [text];
  return parts.some((part) => part === '.' || part === '..')
    ? 'cannot be "." or ".." in an address'
    : undefined;
}

function toTarget(path: string, given: ReadonlyMap<Field, unknown>): string {
  const fields = [...given];
  const filled = path.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const found = fields.find(([field]) => field.place === 'path' && field.name === name);
    if (!found) return whole;
    const text = plainText(found[1]);
    return found[0].rest ? text.split('/').map(encode).join('/') : encode(text);
  });
  const query = fields.flatMap(([{ place, name }, value]) =>
    place === 'query'
      ? (Array.isArray(value) ? value : [value]).map((one) => `${encode(name)}=${encode(plainText(one))}`)
      : [],
  );
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

interface Reading {
  readonly faults: Fault[];
  readonly values: Map<string, unknown>;
  readonly given: ReadonlyMap<Field, unknown>;
  read(field: Field): void;
}

function toBody(
  { facts }: Operation,
  { body }: FormShape,
  { json, file }: Entered,
  { faults, values, given, read }: Reading,
): DraftBody {
  if (body.kind === 'none') return { kind: 'none' };
  if (body.kind === 'file') return toFileBody(body, file, faults);
  if (json === undefined && body.members.length > 0) {
    body.members.forEach(read);
    const members = body.members.filter((one) => given.has(one));
    for (const one of members) values.set(one.argument, given.get(one));
    // Without members it can be left out, unless it must not.
    return members.length === 0 && !body.required
      ? { kind: 'none' }
      : { kind: 'json', value: Object.fromEntries(members.map((one) => [one.name, given.get(one)])) };
  }
  const text = (json ?? '').trim();
  if (text === '' && !body.required) return { kind: 'none' };
  const reading = text === '' ? ({ is: 'fault', message: 'is needed' } as const) : readJson(text);
  if (reading.is !== 'value') {
    faults.push({ at: 'body', message: reading.is === 'fault' ? reading.message : 'is needed' });
    return { kind: 'none' };
  }
  const { value } = reading;
  if (facts.content !== undefined) values.set(facts.content, value);
  else if (isObject(value)) for (const [name, one] of Object.entries(value)) values.set(name, one);
  return { kind: 'json', value };
}

function toFileBody(
  { mediaType, required }: { readonly mediaType: string; readonly required: boolean },
  file: Entered['file'],
  faults: Fault[],
): DraftBody {
  const usual = mediaType.includes('*') ? 'application/octet-stream' : mediaType;
  if (file) return { kind: 'file', name: file.name, type: file.type || usual, bytes: file.bytes };
  if (!required) return { kind: 'none' };
  faults.push({ at: 'body', message: 'needs a file' });
  return { kind: 'file', name: 'file', type: usual };
}

/** A character that is half of another one cannot be sent. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
