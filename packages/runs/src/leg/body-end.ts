import type { Json } from '@waymark/contract';
import type { RunEnd, RunScope } from '@waymark/contract/runs';

/** The function of a driver, whatever it computes: all of it is JSON. */
export type Body = (scope: RunScope) => Promise<RunEnd<Json>>;

/** The end of a driver's function: its result, or what it threw. */
export type BodyEnd =
  | { readonly ok: true; readonly end: RunEnd<Json>; readonly output: Json }
  | { readonly ok: false; readonly error: unknown };
