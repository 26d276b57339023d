import type { Finding } from './finding.ts';
import { toFinding } from './finding.ts';

/** One broken rule of one declaration, found at boot. */
export interface Problem {
  /** The rule in a stable word, from the `RuleBook` of the package that owns the declaration: `unknown-option`. */
  readonly code?: string;
  /** A warning does not keep a server from starting; everything else does. */
  readonly severity?: 'warning';
  /** Kind and name: `agent "guard"`, `route GET /tickets/{id}`. */
  readonly declaration: string;
  /** What is wrong: `unknown tool "door_snapsot"`. */
  readonly rule: string;
  /** The valid name that looks most like the one given. */
  readonly nearest?: string;
  /** What to write instead, when that can be said. */
  readonly fix?: string;
  /** `src/app.ts:12`. */
  readonly at?: string;
}

/** Whether a problem keeps a server from starting; a warning does not. */
export function isError({ severity }: Pick<Problem, 'severity'>): boolean {
  return severity !== 'warning';
}

/** Refuses an application at boot: lists everything wrong with its declarations, all at once (decision 1.8). Never thrown later. */
export class DeclarationError extends Error {
  override readonly name = 'DeclarationError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const title = problems.length === 1 ? '1 declaration problem' : `${problems.length} declaration problems`;
    super([title, ...problems.map((problem) => `  ${toProblemLine(problem)}`)].join('\n'));
    this.problems = problems;
  }

  /** The problems as programs read them. */
  get findings(): readonly Finding[] {
    return this.problems.map(toFinding);
  }
}

/** One line for a person: `src/app.ts:12  agent "guard": unknown tool "door_snapsot" (did you mean "door_snapshot"?)`. */
export function toProblemLine({ declaration, rule, nearest, fix, at }: Problem): string {
  const hint = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
  return `${at === undefined ? '' : `${at}  `}${declaration}: ${rule}${hint}${fix === undefined ? '' : `; ${fix}`}`;
}
