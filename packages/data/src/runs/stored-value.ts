import { createHash } from 'node:crypto';
import type { Json } from '@waymark/contract';
import type { Statement } from '../database/sql-transaction.ts';

/** Stands in the column of an input that is not written: no JSON is this text. */
export const notWritten = '~';

/** A JSON value as its column holds it, and what of it is kept beside. */
export interface StoredValue {
  /** JSON; behind `@` JSON without the bytes of its images; behind `#` only where the value is. */
  readonly text: string;
  readonly blobs: readonly StoredBlob[];
}

interface StoredBlob {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** Blobs by their hash. */
export type Blobs = ReadonlyMap<string, Uint8Array>;

/** No blobs: values read with it have large parts replaced by their type and size. */
export const noBlobs: Blobs = new Map();

/** What is in a column behind `@`. */
interface WithImages {
  readonly images: readonly {
    readonly path: readonly string[];
    readonly hash: string;
    readonly bytes: number;
  }[];
  readonly value: Json;
}

/** What is in a column behind `#`. */
interface Elsewhere {
  readonly type: 'string' | 'array' | 'object';
  readonly hash: string;
  readonly bytes: number;
}

/** Values up to this size stand in their row. */
const inlineBytes = 64 * 1024;

/** A blob larger than this is several rows: a libsql server takes none of more than 5 MB. */
const pieceBytes = 4 * 1_048_576;

/** Characters of a hash; behind it `~` and a number where a row has a further piece of a blob. */
export const hashLength = 43;

const nothingBeside: readonly StoredBlob[] = [];

/** Takes images out of a value, as bytes, and a large value out of its row. */
export function encodeValue(value: Json): StoredValue {
  const text = JSON.stringify(value);
  return text.includes('"type":"image"') ? withoutImages(value, text) : fitted(value, text, nothingBeside);
}

/**
 * The value again. What is no longer kept has its type and size: an image empty `data` and `bytes`, a large value
 * `{type, bytes}`.
 */
export function decodeValue(text: string, blobs: Blobs): Json {
  if (text === 'null') return null;
  if (text.startsWith('#')) {
    const { hash, type, bytes }: Elsewhere = JSON.parse(text.slice(1));
    const held = blobs.get(hash);
    return held ? decodeValue(Buffer.from(held).toString(), blobs) : { type, bytes };
  }
  if (!text.startsWith('@')) {
    const plain: Json = JSON.parse(text);
    return plain;
  }
  const { images, value }: WithImages = JSON.parse(text.slice(1));
  for (const { path, hash, bytes } of images) putImage(value, path, blobs.get(hash), bytes);
  return value;
}

/** Writes the blobs of values, where a condition holds. @param args those of the condition, and `holder` */
export function insertBlobs(
  values: readonly StoredValue[],
  condition: string,
  args: Readonly<Record<string, string | number>> & { readonly holder: string },
): readonly Statement[] {
  if (values.every(({ blobs }) => blobs.length === 0)) return [];
  const sql = `insert into svc__blob (holder, hash, bytes) select :holder, :hash, :bytes where ${condition}
    on conflict do nothing`;
  return values.flatMap(({ blobs }) =>
    blobs.flatMap(toPieces).map((piece) => ({ sql, args: { ...args, ...piece } })),
  );
}

/** The rows of a blob. */
export function toPieces(blob: StoredBlob): readonly StoredBlob[] {
  const { hash, bytes } = blob;
  if (bytes.length <= pieceBytes) return [blob];
  return Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, n) => ({
    hash: n === 0 ? hash : `${hash}~${n}`,
    bytes: bytes.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  }));
}

/** The rows of `select hash, bytes`. */
export function toBlobs(rows: readonly (readonly unknown[])[] = []): Blobs {
  // What the table's types promise.
  const pieces = new Map(rows.map(([hash, bytes]) => [hash as string, bytes as Uint8Array]));
  if (rows.every(([hash]) => (hash as string).length <= hashLength)) return pieces;
  const blobs = new Map<string, Uint8Array>();
  for (const [hash, first] of pieces) {
    if (hash.length > hashLength) continue;
    const all = [first];
    for (let next = pieces.get(`${hash}~1`); next; next = pieces.get(`${hash}~${all.length}`)) all.push(next);
    blobs.set(hash, all.length === 1 ? first : Buffer.concat(all));
  }
  return blobs;
}

function withoutImages(value: Json, text: string): StoredValue {
  const images: WithImages['images'][number][] = [];
  const blobs: StoredBlob[] = [];
  const bare = mapImages(value, [], (path, data) => {
    const bytes = Buffer.from(data, 'base64');
    // Another spelling of the same bytes would not come back as it was.
    if (data === '' || bytes.toString('base64') !== data) return data;
    const hash = hashOf(bytes);
    blobs.push({ hash, bytes });
    images.push({ path, hash, bytes: bytes.length });
    return '';
  });
  if (images.length === 0) return fitted(value, text, nothingBeside);
  return fitted(value, `@${JSON.stringify({ images, value: bare })}`, blobs);
}

function fitted(value: Json, text: string, blobs: readonly StoredBlob[]): StoredValue {
  // A character has three bytes at most.
  if (text.length * 3 <= inlineBytes || Buffer.byteLength(text) <= inlineBytes) return { text, blobs };
  const bytes = Buffer.from(text);
  const hash = hashOf(bytes);
  const type = Array.isArray(value) ? 'array' : typeof value;
  return {
    text: `#${JSON.stringify({ type, hash, bytes: bytes.length })}`,
    blobs: [...blobs, { hash, bytes }],
  };
}

type Visit = (path: readonly string[], data: string) => string;

function mapImages(value: Json | undefined, path: readonly string[], visit: Visit): Json | undefined {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one, i) => mapImages(one, [...path, String(i)], visit) ?? null);
  const isImage = 'type' in value && value.type === 'image';
  // Without a prototype, or a member `__proto__` would be lost.
  const mapped: Record<string, Json | undefined> = Object.create(null);
  for (const [name, member] of Object.entries(value)) {
    const at = [...path, name];
    mapped[name] =
      isImage && name === 'data' && typeof member === 'string'
        ? visit(at, member)
        : mapImages(member, at, visit);
  }
  return mapped;
}

function putImage(value: Json, path: readonly string[], held: Uint8Array | undefined, bytes: number): void {
  // The path was taken from this very value, whose containers are freshly parsed.
  let image = value as Record<string, Json>;
  for (const name of path.slice(0, -1)) image = image[name] as Record<string, Json>;
  if (held) image['data'] = Buffer.from(held).toString('base64');
  else image['bytes'] = bytes;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
