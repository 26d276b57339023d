import type { Json } from '@waymark/contract';
import { readMarker } from '@waymark/contract/tools';
import { isMembers } from '../template/resolve-mapping.ts';

/**
 * A value as a model reads it: a text as it is, an object that is a text named `input` and nothing else by that text,
 * anything else as JSON, with the sizes of pictures and files in the place of their bytes.
 */
export function toText(value: Json): string {
  if (typeof value === 'string') return value;
  if (isMembers(value) && typeof value['input'] === 'string' && Object.keys(value).length === 1)
    return value['input'];
  return JSON.stringify(value, withoutBytes);
}

function withoutBytes(_name: string, value: unknown): unknown {
  const marked = readMarker(value);
  if (!marked || !('data' in marked)) return value;
  const { kind, data, ...rest } = marked;
  return { [`$${kind}`]: { ...rest, bytes: Buffer.byteLength(data, 'base64') } };
}
