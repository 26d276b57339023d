import { HTTPError } from '@waymark/contract';
import { ByteWindow } from './byte-window.ts';

/** The headers of a part are a line or two. */
const maxHeadBytes = 8_192;

const lineEnd = Buffer.from('\r\n');
const over = Buffer.from('--');
const cr = 0x0d;
const lf = 0x0a;

/** The boundary of a `multipart/…` media type; undefined of any other. Some cameras write its dashes along. */
export function mixedBoundary(mediaType: string): string | undefined {
  if (!/^\s*multipart\//i.test(mediaType)) return undefined;
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(mediaType) ?? [];
  const boundary = (quoted ?? plain ?? '').replace(/^--/, '');
  return boundary === '' ? undefined : boundary;
}

/**
 * Cuts a `multipart/x-mixed-replace` body into the pictures in it, whatever the pieces in which it comes. A part is over
 * where its `Content-Length` says, or where the next boundary begins.
 */
export class MixedParts {
  readonly #boundary: Buffer;
  readonly #maxPartBytes: number;
  readonly #window = new ByteWindow();
  /** Of the part that is being read; undefined in front of one. */
  #length: number | 'unknown' | undefined;
  /** Bytes of it in which there is no boundary, and in front of one those in which its headers do not end. */
  #searched = 0;

  /** @param maxPartBytes a larger part is an error (413), as soon as that is known */
  constructor(boundary: string, maxPartBytes: number) {
    this.#boundary = Buffer.from(`--${boundary}`);
    this.#maxPartBytes = maxPartBytes;
  }

  /** Takes the next piece in. @returns the parts that are complete now @throws {HTTPError} 413, 422 */
  add(piece: Uint8Array): readonly Uint8Array[] {
    this.#window.add(piece);
    const parts: Uint8Array[] = [];
    while (this.#length !== undefined || this.#readHead()) {
      const part = this.#readPart();
      if (!part) break;
      if (part.length > 0) parts.push(part);
    }
    return parts;
  }

  /** The body is over, and with it a part that did not say how long it is. */
  end(): Uint8Array | undefined {
    if (this.#length !== 'unknown' || this.#window.length === 0) return undefined;
    return this.#take(this.#window.length, this.#window.length);
  }

  /** Passes over what stands in front of a part: anything, the boundary, and headers. False until all of it is there. */
  #readHead(): boolean {
    for (;;) {
      const { bytes } = this.#window;
      const start = bytes.indexOf(this.#boundary);
      if (start === -1) {
        // No boundary begins in what is let go.
        this.#window.skip(Math.max(0, bytes.length - this.#boundary.length + 1));
        return false;
      }
      const after = start + this.#boundary.length;
      // The end of the whole, which some send between two parts.
      if (bytes.subarray(after, after + over.length).equals(over)) {
        this.#window.skip(after + over.length);
        continue;
      }
      const end = headEnd(bytes, Math.max(after, start + this.#searched));
      if ((end?.at ?? bytes.length) - after > maxHeadBytes)
        throw new HTTPError(422, 'the parts of the stream cannot be told apart');
      if (!end) {
        this.#window.skip(start);
        // Of the end of the head, the first three bytes may have come.
        this.#searched = Math.max(0, bytes.length - start - 3);
        return false;
      }
      this.#length = lengthIn(bytes.toString('latin1', after, end.at));
      if (typeof this.#length === 'number') this.#checkSize(this.#length);
      this.#window.skip(end.next);
      this.#searched = 0;
      return true;
    }
  }

  #readPart(): Uint8Array | undefined {
    if (typeof this.#length === 'number')
      return this.#window.length < this.#length ? undefined : this.#take(this.#length, this.#length);
    const { bytes } = this.#window;
    const next = bytes.indexOf(this.#boundary, this.#searched);
    if (next === -1) {
      // It may have begun in the last bytes, behind the end of a line.
      this.#searched = Math.max(0, bytes.length - this.#boundary.length + 1);
      this.#checkSize(this.#searched - lineEnd.length);
      return undefined;
    }
    const line = next - lineEnd.length;
    const end = line >= 0 && bytes.subarray(line, next).equals(lineEnd) ? line : next;
    this.#checkSize(end);
    return this.#take(end, next);
  }

  /** @param end of the part @param next where what follows begins */
  #take(end: number, next: number): Uint8Array {
    const part = new Uint8Array(this.#window.bytes.subarray(0, end));
    this.#window.skip(next);
    this.#length = undefined;
    this.#searched = 0;
    return part;
  }

  #checkSize(length: number): void {
    if (length > this.#maxPartBytes) throw new HTTPError(413, 'a part is too large');
  }
}

/**
 * An empty line. One pass to the first, however much there is behind it: a piece may hold ten thousand heads.
 *
 * @returns where it begins, and what follows it
 */
function headEnd(bytes: Buffer, from: number): { readonly at: number; readonly next: number } | undefined {
  for (let line = bytes.indexOf(lf, from); line !== -1; line = bytes.indexOf(lf, line + 1)) {
    if (bytes[line + 1] === lf) return { at: line, next: line + 2 };
    const ends = line > from && bytes[line - 1] === cr && bytes[line + 1] === cr && bytes[line + 2] === lf;
    if (ends) return { at: line - 1, next: line + 3 };
  }
  return undefined;
}

function lengthIn(head: string): number | 'unknown' {
  const [, digits] = /^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*\r?$/im.exec(head) ?? [];
  return digits === undefined ? 'unknown' : Number(digits);
}
