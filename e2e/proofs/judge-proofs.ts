import type { Requirement } from '../requirements.ts';

/** How what was proved stands beside what is required. */
export interface Judgement {
  /** How many requirements must be proved, and how many of them are. */
  readonly required: number;
  readonly proved: number;
  readonly problems: readonly string[];
}

/** Holds the ids that passing tests have cited against the requirements: each must be among them. */
export function judgeProofs(requirements: readonly Requirement[], cited: ReadonlySet<string>): Judgement {
  const known = new Set(requirements.map(({ id }) => id));
  const unproved = requirements.filter(({ id }) => !cited.has(id));
  return {
    required: requirements.length,
    proved: requirements.length - unproved.length,
    problems: [
      ...[...cited].filter((id) => !known.has(id)).map((id) => `${id}: no requirement has this id`),
      ...unproved.map(({ id, clause, text }) => `${id} (${clause}): no test that ran proves: ${text}`),
    ],
  };
}
