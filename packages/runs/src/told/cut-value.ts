import type { Json } from '@waymark/contract';
import type { RunStep } from '@waymark/contract/runs';

/** Characters of JSON of one value that are shown when nobody says. */
export const shownByDefault = 16_384;

/** The most that can be asked for: whatever is longer was stored apart, and is told by its size. */
export const longestShown = 65_536;

/** A value, or the beginning of its JSON where that is longer: `{"$cut": "…", "chars": 70000}`. */
export function cutValue(value: Json, most: number): Json {
  // Of most values this is seen without writing them.
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  const text = JSON.stringify(value);
  if (text.length <= most) return value;
  // Not between the halves of a character.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return { $cut: text.slice(0, end), chars: text.length };
}

/** A step whose arguments and result are no longer than that. */
export function cutStep(step: RunStep, most: number): RunStep {
  const { arguments: given, result } = step;
  return {
    ...step,
    ...(given !== undefined && { arguments: cutValue(given, most) }),
    ...(result !== undefined && { result: cutValue(result, most) }),
  };
}
