import type { Json } from './json.ts';

/** One thing wrong with the input: `path` is a JSON pointer (`/lines/0/count`), `message` reads on from it. */
export interface InputError {
  readonly path: string;
  readonly message: string;
}

/** Members of a problem document besides status and detail. */
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
