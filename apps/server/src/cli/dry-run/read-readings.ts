import type { Json } from '@waymark/contract';
import { markUnkept } from '@waymark/contract/text';
import { UsageError } from '../output/usage-error.ts';
import { readFile } from './frame-files.ts';

/**
 * The readings in a file of JSON, one for each frame: those of a list, or the same one for all. Without any frame each
 * reading is a look.
 */
export function readReadings(file: string, frames: number): readonly Json[] {
  const value = parse(file);
  if (!isList(value)) return Array.from({ length: Math.max(1, frames) }, () => value);
  if (frames > 0 && value.length !== frames)
    throw new UsageError(
      `${file} has ${value.length} readings for ${frames} frames: write one for each, or one value`,
    );
  if (value.length === 0) throw new UsageError(`${file} has no reading`);
  return value;
}

function parse(file: string): Json {
  const text = new TextDecoder().decode(readFile(file));
  try {
    return JSON.parse(markUnkept(text) ?? text) as Json;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

/** `Array.isArray` says nothing of readonly lists. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
