import type { Json } from '@waymark/contract';
import { readMarker } from '@waymark/contract/tools';
import { isMembers } from '../template/resolve-mapping.ts';

/** What a parallel step answered. */
export interface StepAnswer {
  readonly tool: string;
  readonly value: Json;
}

/**
 * Joins the answers of parallel steps, in the order of the steps. `collect` makes a list of them; `merge` one object: the
 * members of objects, of which the later win, and what is no object, or a picture, under the name of its tool.
 */
export function mergeAnswers(answers: readonly StepAnswer[], merge: 'collect' | 'merge'): Json {
  if (merge === 'collect') return answers.map(({ value }) => value);
  // Entries make members of any name, `__proto__` too.
  return Object.fromEntries(
    answers.flatMap(({ tool, value }) =>
      isMembers(value) && !readMarker(value) ? Object.entries(value) : [[tool, value]],
    ),
  );
}
