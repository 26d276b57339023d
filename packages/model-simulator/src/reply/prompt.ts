import { isObject } from '../json.ts';

/** Tokens that an image counts, whatever its size. */
const tokensPerImage = 1000;

/** Tokens of a text: a quarter of its UTF-8 bytes, rounded up. */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** One piece of a prompt, in the order in which a model reads it. */
export interface PromptBlock {
  /** The piece as JSON without its cache mark: two pieces are the same when their texts are. */
  readonly json: string;
  readonly tokens: number;
  /** How long the prefix up to here should be kept, if it should. */
  readonly breakpoint: '5m' | '1h' | undefined;
}

/**
 * Makes a piece of a prompt. Its tokens are those of its JSON, in which an image counts `tokensPerImage` instead of its
 * data.
 */
export function toPromptBlock(value: unknown, breakpoint?: '5m' | '1h'): PromptBlock {
  const whole = JSON.stringify(value) ?? '';
  const json = whole.includes('"cache_control"') ? JSON.stringify(value, withoutCacheMarks) : whole;
  if (!json.includes('"image')) return { json, tokens: countTokens(json), breakpoint };
  let images = 0;
  const lean = JSON.stringify(value, (key, member: unknown) => {
    if (key === 'cache_control') return undefined;
    if (!isImage(member)) return member;
    images++;
    return { type: 'image' };
  });
  return { json, tokens: countTokens(lean) + images * tokensPerImage, breakpoint };
}

function withoutCacheMarks(key: string, member: unknown): unknown {
  return key === 'cache_control' ? undefined : member;
}

function isImage(member: unknown): boolean {
  if (!isObject(member)) return false;
  return member['type'] === 'image_url' || (member['type'] === 'image' && 'source' in member);
}
