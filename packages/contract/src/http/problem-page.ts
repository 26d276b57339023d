import type { ProblemMembers } from '../engine/http-error.ts';
import type { Principal } from '../principal/principal.ts';

/** A refusal or failure that a browser is to be shown as a page. */
export interface ShownProblem {
  readonly status: number;
  /** What happened, in words for the caller. */
  readonly detail: string;
  readonly code: ProblemMembers['code'];
  readonly requestId: string;
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  /** Whether some route was found for it. */
  readonly matched: boolean;
  /** The caller; undefined where it is not known. */
  readonly principal: Principal | undefined;
  readonly clientAddress: string;
  /** Of the request, as sent; lower-cased names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A page in place of a problem document. */
export interface ProblemPage {
  readonly html: string;
  /** Default: that of the problem. */
  readonly status?: number;
  /** Headers besides those of the problem, lower-cased names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the page of a problem. Must not throw, and escapes what it shows: much of it was written by whoever asks. */
export type ToProblemPage = (problem: ShownProblem) => ProblemPage;
