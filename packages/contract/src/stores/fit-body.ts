import type { Json, Values } from '../engine/json.ts';

/** Bytes of JSON that the body of a delivery may have: receivers are not asked to take more (Standard Webhooks). */
export const maxDeliveryBytes = 20_000;

/** What stands at the end of a text that was cut. */
const mark = '…';

/**
 * Makes a body small enough for a webhook: of its texts the longest are cut, however deep they stand, down to one length, and
 * `truncated: true` says so. A list or an object that is too large without its texts becomes a text, which is cut.
 *
 * @returns the body itself where it fits
 * @throws {Error} where it would not fit without any text
 */
export function fitBody(body: Values, maxBytes: number = maxDeliveryBytes): Values {
  if (bytesOf(body) <= maxBytes) return body;
  // Names, ids and words are shorter: none of them is cut while there is a list that can be.
  const short = Math.min(100, maxBytes / 8);
  for (let marked: Values = { ...body, truncated: true }; ; ) {
    const excess = bytesOf(mapTexts(marked, (text) => cut(text, short))) - maxBytes;
    if (excess <= 0) return cutTexts(marked, maxBytes);
    const folded = foldLargest(marked, maxBytes, excess, short);
    if (folded === undefined) return cutTexts(marked, maxBytes);
    marked = folded;
  }
}

/** Cuts the longest texts to the same length, the greatest that fits. @throws {Error} where none does */
function cutTexts(body: Values, maxBytes: number): Values {
  const sizes: number[] = [];
  mapTexts(body, (text) => {
    sizes.push(encodedBytes(text));
    return '';
  });
  const room = maxBytes - bytesOf(mapTexts(body, () => ''));
  if (room < 0) throw new Error(`a delivery is larger than ${maxBytes} bytes without its texts`);
  let [low, high] = [0, room];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizes.reduce((sum, size) => sum + Math.min(size, middle), 0) <= room) low = middle;
    else high = middle - 1;
  }
  return mapTexts(body, (text) => cut(text, low));
}

/** A text of at most so many bytes in JSON. */
function cut(text: string, maxBytes: number): string {
  if (encodedBytes(text) <= maxBytes) return text;
  const room = maxBytes - encodedBytes(mark);
  if (room < 0) return '';
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += encodedBytes(character);
    if (bytes > room) break;
    end += character.length;
  }
  return text.slice(0, end) + mark;
}

/**
 * Writes the largest list or object of a body as a text: deep down, as long as that saves enough. Nobody has to read it as
 * JSON, which it is no more once it was cut.
 */
function foldLargest(body: Values, maxBytes: number, excess: number, short: number): Values | undefined {
  const weight = (value: unknown): number =>
    isCompound(value) ? bytesOf(mapTexts(value, (text) => cut(text, short))) : 0;
  const fold = <T extends object>(value: T): T | undefined => {
    const weighed = Object.entries(value).map(([key, one]) => [key, one as Json, weight(one)] as const);
    const [key, one, bytes] = weighed.reduce((a, b) => (b[2] > a[2] ? b : a), ['', null, 0] as const);
    if (bytes === 0) return undefined;
    const deeper = bytes > excess && isCompound(one) ? fold(one) : undefined;
    // One level below, nothing may be large enough to do.
    const saves = deeper !== undefined && weight(one) - weight(deeper) >= excess;
    const folded = saves ? deeper : JSON.stringify(one).slice(0, maxBytes);
    return (Array.isArray(value) ? value.with(Number(key), folded) : { ...value, [key]: folded }) as T;
  };
  return fold(body);
}

function mapTexts<T>(value: T, map: (text: string) => string): T {
  if (typeof value === 'string') return map(value) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, map)) as T;
  if (!isCompound(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, mapTexts<unknown>(one, map)]),
  ) as T;
}

function isCompound(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Without the quotes. */
function encodedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
