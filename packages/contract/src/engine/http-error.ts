import { toFinding } from '../declaring/finding.ts';
import type { Json } from './json.ts';
import type { Finding } from './plugin.ts';

/** One thing wrong with the input: `path` is a JSON pointer (`/lines/0/count`), `message` reads on from it. */
export interface InputError {
  readonly path: string;
  readonly message: string;
}

/** What a problem document says besides status and detail. */
export interface ProblemMembers {
  /** A word for programs, where one is named: `approval_required`. */
  readonly code?: string;
  /** Members of a 422. */
  readonly errors?: readonly InputError[];
  /** The whole result of a run that failed. */
  readonly run?: Json;
  /** Of an approval that is not open any more: how it was decided, by whom (null: its run ended), and when. */
  readonly decision?: 'approved' | 'denied' | 'withdrawn';
  readonly decided_by?: string | null;
  readonly decided_at_ms?: number | null;
}

/** The options of an `HTTPError`. */
export interface HTTPErrorOptions extends ErrorOptions, ProblemMembers {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The only error whose message a caller ever reads. Anything else thrown is logged and answered `internal error`. */
export class HTTPError extends Error {
  override readonly name = 'HTTPError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: ProblemMembers;

  /**
   * @param status 400 to 599; another number is answered 500
   * @param message written for the caller; it becomes `detail`
   */
  constructor(status: number, message: string, options: HTTPErrorOptions = {}) {
    const { headers = {}, cause, ...members } = options;
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.headers = headers;
    this.members = members;
  }
}

/**
 * The service cannot work right now: a part of it has not started, or is about to stop. It says nothing of the work it
 * was thrown in, so no run ends by it: whoever works on one gives it back, to be tried again.
 */
export class HostError extends Error {
  override readonly name = 'HostError';
}

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

/** Everything wrong with the declarations of an application, all at once (decision 1.8). Never thrown after boot. */
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
