import { isUtf8 } from 'node:buffer';
import { JsonScan, type LongPart } from './json-scan.ts';
import { type Look, malformed, maxJsonDepth, notUtf8, parseTextPieces, refuseExcess } from './parse-json.ts';

/** Bytes from which a text is read by itself: they are the bulk of a large body, as pictures are. */
const longText = 4096;

/** Bytes that are looked through in a piece. */
const scannedBytes = 262_144;

/**
 * Bytes of a text that are read in a piece: 1 ms, and 5 ms where all of them are escapes. What is longer than a million
 * characters is kept outside of the heap (`buffer.toString`), and soon collected: garbage of the heap was kept until there
 * were 300 MB of it (measured).
 */
const pieceBytes = 1_048_576;

const quote = 0x22;
const backslash = 0x5c;

/** How a large body is read. */
export interface LargeJsonOptions {
  /** Where the body stands in the input. */
  readonly at?: string;
  readonly look?: Look | undefined;
  /** What has looked through some of it as it came; default: nothing has. */
  readonly scan?: JsonScan | undefined;
}

/** What looks through a large JSON body, as a whole or as it comes. */
export function scanOfLarge(maxValues: number): JsonScan {
  return new JsonScan({ levels: maxJsonDepth, values: maxValues }, longText);
}

/**
 * Reads a large JSON body as `parseJson` does, a piece at a time: nothing else can be done while JSON is parsed, and 32 MiB
 * take 50 to 140 ms (measured). Long texts are read by themselves, and what is left without them as `parseJsonPieces` does. The
 * body is never a string as a whole.
 *
 * @throws {HTTPError} what `parseJson` throws, and `look`
 */
export function* parseLargeJson(
  body: Uint8Array,
  maxValues: number,
  { at = '', look, scan = scanOfLarge(maxValues) }: LargeJsonOptions = {},
): Generator<void, unknown> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  yield* requireUtf8(bytes);
  refuseExcess(scan.excess, maxValues);
  for (let from = scan.length; from < bytes.length; from += scannedBytes) {
    scan.take(bytes.subarray(from, from + scannedBytes));
    refuseExcess(scan.excess, maxValues);
    yield;
  }
  const { long } = scan;
  try {
    const frame = yield* parseTextPieces(frameOf(bytes, long), look, at);
    const texts: string[] = [];
    for (const one of long) if (one.isText) texts.push(yield* readText(bytes, one));
    return fill(frame, texts);
  } catch (error) {
    // Its place is that in the whole.
    if (error instanceof SyntaxError) throw malformed(bytes.toString(), error);
    throw error;
  }
}

/** @throws {HTTPError} 400 */
function* requireUtf8(bytes: Buffer): Generator<void> {
  for (let from = 0; from < bytes.length; ) {
    const to = behindCharacter(bytes, from + pieceBytes);
    if (!isUtf8(bytes.subarray(from, to))) throw notUtf8();
    from = to;
    yield;
  }
}

/** The JSON with a short text for each long one, and of a long number as many digits as tell that it is too long. */
function frameOf(bytes: Buffer, long: readonly LongPart[]): string {
  if (long.length === 0) return bytes.toString();
  let end = 0;
  let texts = 0;
  const parts = long.flatMap(({ isText, ...one }) => {
    const before = bytes.subarray(end, one.start);
    end = one.end;
    return [before, Buffer.from(isText ? standIn(texts++) : '')];
  });
  return Buffer.concat([...parts, bytes.subarray(end)]).toString();
}

/** Longer than all texts that are left, so that none of them is taken for it. */
function standIn(i: number): string {
  return String(i).padEnd(longText + 1);
}

/** Reads a text as it is written, some of it at a time. @throws {SyntaxError} */
function* readText(bytes: Buffer, { start, end }: LongPart): Generator<void, string> {
  let text = '';
  for (let from = start; from < end; ) {
    const isEscaped = bytes.subarray(from, Math.min(end, from + pieceBytes)).includes(backslash);
    const to = Math.min(
      end,
      isEscaped ? behindEscape(bytes, from) : behindCharacter(bytes, from + pieceBytes),
    );
    const isParsed = isEscaped || holdsControl(bytes, from, to);
    text += isParsed ? parseText(bytes, from, to) : bytes.toString('utf8', from, to);
    from = to;
    yield;
  }
  return text;
}

/**
 * Parses a part of a text. Its quotes are put about it for as long as that takes, in place of what is there: to add them to a
 * string would copy it once more.
 *
 * @throws {SyntaxError}
 */
function parseText(bytes: Buffer, from: number, to: number): string {
  const { [from - 1]: before = quote, [to]: behind = quote } = bytes;
  bytes[from - 1] = quote;
  bytes[to] = quote;
  try {
    return JSON.parse(bytes.toString('utf8', from - 1, to + 1)) as string;
  } finally {
    bytes[from - 1] = before;
    bytes[to] = behind;
  }
}

/** Whether a part holds what a text must escape, and did not. */
function holdsControl(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) < 0x20) return true;
  return false;
}

/** Where a piece ends without cutting an escape, or a character, in two. */
function behindEscape(bytes: Buffer, start: number): number {
  let at = start;
  while (at < start + pieceBytes && at < bytes.length) at += lengthAt(bytes, at);
  return behindCharacter(bytes, at);
}

/** Where that character ends that a place is within, if it is. */
function behindCharacter(bytes: Buffer, place: number): number {
  let at = Math.min(place, bytes.length);
  // Bytes of a character behind its first.
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

function lengthAt(bytes: Buffer, at: number): number {
  if (bytes[at] !== backslash) return 1;
  return bytes[at + 1] === 0x75 ? 6 : 2;
}

/** Puts the long texts where they belong. */
function fill(frame: unknown, texts: readonly string[]): unknown {
  if (typeof frame === 'string') return frame.length > longText ? texts[Number(frame)] : frame;
  if (typeof frame !== 'object' || frame === null) return frame;
  const members = frame as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const member = members[name];
    const isDeep = typeof member === 'object' && member !== null;
    if (isDeep || (typeof member === 'string' && member.length > longText))
      members[name] = fill(member, texts);
  }
  return frame;
}
