import { HTTPError, type Route } from '@waymark/contract';
import {
  type JsonLimits,
  jsonExcess,
  jsonExcessPieces,
  jsonPieces,
  mayNamePrototype,
} from '@waymark/contract/http';
import { refuseInfinite } from '@waymark/contract/route';
import { markUnkept, markUnkeptPieces } from '@waymark/contract/text';
import secureJson from 'secure-json-parse';
import { jsonBreak } from './json-break.ts';
import { toPointer } from './validator.ts';

/** Nesting that a JSON body may have (decision 2.6). */
export const maxJsonDepth = 64;

/**
 * Reads a JSON body: UTF-8 only, at most `maxJsonDepth` deep, without `__proto__` keys and without a `constructor`
 * that holds a `prototype`.
 *
 * @param maxValues items and members, however deep, and the body itself
 * @param route whose input it is
 * @throws {HTTPError} 400 · 413 too many values · 422 a number that is not kept as it is
 */
export function parseJson(bytes: Uint8Array, maxValues: number, route?: Route): unknown {
  return parseJsonText(decode(bytes), maxValues, route);
}

/** The same of what is text already. */
export function parseJsonText(text: string, maxValues: number, route?: Route): unknown {
  refuseExcess(jsonExcess(text, { levels: maxJsonDepth, values: maxValues }), maxValues);
  const marked = markUnkept(text);
  const value = parse(text, marked);
  if (marked !== undefined) refuseInfinite(value, route && placeOf(route));
  return value;
}

/** What is done with an object that is read in part: it throws where no more of it need be read. */
export type Look = (members: object) => void;

/** `parseJson`, a piece at a time. @throws {HTTPError} also what `look` throws */
export function* parseJsonPieces(
  bytes: Uint8Array,
  maxValues: number,
  route?: Route,
  look?: Look,
): Generator<void, unknown> {
  return yield* parseJsonTextPieces(decode(bytes), maxValues, route, look);
}

/** The same of what is text already. */
export function* parseJsonTextPieces(
  text: string,
  maxValues: number,
  route?: Route,
  look?: Look,
): Generator<void, unknown> {
  refuseExcess(yield* jsonExcessPieces(text, { levels: maxJsonDepth, values: maxValues }), maxValues);
  yield;
  return yield* parsePieces(text, look, route && placeOf(route));
}

/** Reads a text a piece at a time. @throws {HTTPError} 400 malformed, or a key that is forbidden */
function* parsePieces(text: string, look?: Look, at?: string): Generator<void, unknown> {
  try {
    return yield* parseTextPieces(text, look, at);
  } catch (error) {
    throw error instanceof SyntaxError ? malformed(text, error) : error;
  }
}

/** The input that the whole body is, in whose paths its errors stand. */
export function placeOf({ parameters }: Route): string {
  const content = parameters.find(({ place }) => place === 'content');
  return content === undefined ? '' : `/${toPointer(content.name)}`;
}

/** @throws {HTTPError} 400 too deep · 413 too many values */
export function refuseExcess(excess: keyof JsonLimits | undefined, maxValues: number): void {
  if (excess === 'levels') throw new HTTPError(400, `the body is nested deeper than ${maxJsonDepth} levels`);
  if (excess === 'values') throw new HTTPError(413, `the body holds more than ${maxValues} values`);
}

/**
 * @param marked what is parsed in its place
 * @throws {HTTPError} 400 malformed, or a key that is forbidden
 */
function parse(text: string, marked = text): unknown {
  try {
    return mayNamePrototype(text) || text.startsWith(byteOrderMark)
      ? secureJson.parse(marked)
      : JSON.parse(marked);
  } catch (error) {
    const told = forbidden(error);
    throw told instanceof SyntaxError ? malformed(text, told) : told;
  }
}

/**
 * A text a piece at a time.
 *
 * @param at where it stands
 * @throws {SyntaxError} no JSON
 * @throws {HTTPError} 400 a key that is forbidden · 422 a number that is not kept
 */
export function* parseTextPieces(given: string, look?: Look, at?: string): Generator<void, unknown> {
  const text = given.startsWith(byteOrderMark) ? given.slice(1) : given;
  const marked = yield* markUnkeptPieces(text);
  const value = yield* jsonPieces(marked ?? text, look);
  yield;
  if (mayNamePrototype(text) && typeof value === 'object' && value !== null) {
    refusePrototype(value);
    yield;
  }
  if (marked !== undefined) refuseInfinite(value, at);
  return value;
}

/** @throws {HTTPError} 400 a key that is forbidden */
function refusePrototype(value: object): void {
  try {
    secureJson.scan(value);
  } catch (error) {
    throw forbidden(error);
  }
}

/** What becomes of an error of `secure-json-parse`. */
function forbidden(cause: unknown): unknown {
  return cause instanceof SyntaxError && cause.message === forbiddenKey
    ? new HTTPError(400, 'the body holds a "__proto__" or "constructor" key', { cause })
    : cause;
}

/** The refusal of what is no JSON. */
export function malformed(text: string, cause: SyntaxError): HTTPError {
  return new HTTPError(400, `the body is not JSON: ${placeIn(text)}`, { cause });
}

/** The refusal of bytes that are no text. */
export function notUtf8(cause?: unknown): HTTPError {
  return new HTTPError(400, 'the body is not UTF-8', cause === undefined ? {} : { cause });
}

const lineBreak = 0x0a;

/** Characters in which the place is looked for: to find it in 31 MiB took 800 ms (measured). */
const lookedThrough = 1_048_576;

/** Where, and never what: the body may hold a secret. */
function placeIn(given: string): string {
  const text = given.replace(/^\ufeff/, '');
  if (text === '') return 'it is empty';
  const at = jsonBreak(text.length > lookedThrough ? text.slice(0, lookedThrough) : text);
  // Where the rest was cut off, a word or an escape may be in two.
  if (text.length > lookedThrough && at > lookedThrough - 10) return `see behind its first ${at} characters`;
  let line = 1;
  let start = 0;
  for (let i = 0; i < at; i++)
    if (text.charCodeAt(i) === lineBreak) {
      line++;
      start = i + 1;
    }
  const place = `line ${line}, column ${at - start + 1}`;
  return at === text.length ? `it ends too early, at ${place}` : `see ${place}`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw notUtf8(cause);
  }
}

/** Only `secure-json-parse` knows of it. */
const byteOrderMark = '\ufeff';

/** How `secure-json-parse` words it. The texts of other syntax errors quote the body, which may hold any word. */
const forbiddenKey = 'Object contains forbidden prototype property';
