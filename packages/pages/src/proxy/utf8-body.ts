import { isJsonType, isTextType } from '@waymark/contract/route';

/** A body that is text in UTF-8, or no text. */
interface Utf8Body {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** Gives back text in UTF-8, whatever its charset is. @returns undefined: nobody here knows that charset */
export function toUtf8Body(bytes: Uint8Array, mediaType: string): Utf8Body | undefined {
  const charset = charsetOf(mediaType);
  if (charset === undefined) return { bytes, mediaType };
  const decoder = decoderOf(hasBigEndianMark(bytes, charset) ? 'utf-16be' : charset);
  if (!decoder) return undefined;
  // Most JSON is UTF-8 whatever its header says (RFC 8259, 8.1).
  if (decoder.encoding === 'utf-8' || (isJsonType(mediaType) && isPlainUtf8(bytes)))
    return { bytes, mediaType };
  return {
    bytes: new TextEncoder().encode(decoder.decode(bytes)),
    mediaType: mediaType.replace(charsetIn, '; charset=utf-8'),
  };
}

/** The charset that a media type of text says it has. */
export function charsetOf(mediaType: string): string | undefined {
  if (!isTextType(mediaType) && !isJsonType(mediaType)) return undefined;
  const [, quoted, plain] = charsetIn.exec(mediaType) ?? [];
  return (quoted ?? plain)?.trim() || undefined;
}

const charsetIn = /;\s*charset\s*=\s*(?:"([^"]*)"?|([^\s;]*))/i;

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

/** What is called UTF-16 is little-endian unless its first bytes say otherwise (WHATWG Encoding, as for BOMs). */
function hasBigEndianMark([first, second]: Uint8Array, charset: string): boolean {
  return /^utf-?16$/i.test(charset) && first === 0xfe && second === 0xff;
}

/** Neither NUL, as in UTF-16, nor ESC, as in ISO-2022-JP, is ever in JSON. */
function isPlainUtf8(bytes: Uint8Array): boolean {
  if (bytes.includes(0) || bytes.includes(0x1b)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
