import type { Json } from '@waymark/contract';
import { maxStoredLevels } from '../journal/stored-form.ts';

/** What is told of a step, and of tools' answers in it: more than a run keeps stands only in journals of earlier releases. */
const maxToldLevels = maxStoredLevels + 1;

const markers = ['$image', '$audio', '$bytes'];

/** The value with the sizes of pictures, sounds and files in the place of their bytes (decision 6.5). */
export function redactBytes(value: Json): Json {
  return isToldOtherwise(value, maxToldLevels) ? redact(value, maxToldLevels) : value;
}

/** Most values hold no bytes, and are no deeper than is kept: they are shown as they are. */
function isToldOtherwise(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isToldOtherwise(item, levels - 1));
  if (isBarePicture(value)) return true;
  for (const [name, member] of Object.entries(value))
    if (markers.includes(name) || isToldOtherwise(member, levels - 1)) return true;
  return false;
}

function redact(value: Json, levels: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '[nested too deeply to be told]';
  if (Array.isArray(value)) return value.map((item) => redact(item, levels - 1));
  if (isBarePicture(value)) return toSizes(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member = null]) => [
      name,
      markers.includes(name) ? toSizes(member) : redact(member, levels - 1),
    ]),
  );
}

/** As agents are given pictures: what stands behind a marker elsewhere. */
function isBarePicture(value: object): boolean {
  const { media_type: mediaType, data } = value as { readonly media_type?: Json; readonly data?: Json };
  return (
    typeof mediaType === 'string' &&
    typeof data === 'string' &&
    /^(?:image|audio|video)\//.test(mediaType) &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(data)
  );
}

function toSizes(marked: Json): Json {
  if (typeof marked !== 'object' || marked === null || Array.isArray(marked)) return null;
  const { data, ...rest } = marked as { readonly data?: Json };
  return typeof data === 'string' ? { ...rest, bytes: byteLength(data) } : { ...rest };
}

/** Of base64, without decoding it. */
function byteLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}
