import type { Json } from '@waymark/contract';
import { parseJson } from '../json.ts';

/** Finds the JSON in what a model wrote: all of it, what stands in a fence, or from the first bracket to the last. */
export function readJson(text: string): Json | undefined {
  const whole = parseJson(text.trim());
  if (whole !== undefined) return whole;
  const fenced = /```(?:json)?([\s\S]*?)```/i.exec(text)?.[1];
  const inFence = fenced === undefined ? undefined : parseJson(fenced.trim());
  if (inFence !== undefined) return inFence;
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  return start < 0 || end < start ? undefined : parseJson(text.slice(start, end + 1));
}
