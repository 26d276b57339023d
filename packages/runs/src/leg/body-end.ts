import type { Json, RunEnd, RunScope } from '@waymark/contract';

/** What a driver's function is, whatever it computes: all of it is JSON. */
export type Body = (scope: RunScope) => Promise<RunEnd<Json>>;

/** What a driver's function came to. */
export type BodyEnd =
  | { readonly ok: true; readonly end: RunEnd<Json>; readonly output: Json }
  | { readonly ok: false; readonly error: unknown };
