import type { Problem } from './declaration-error.ts';

/**
 * The rules of one kind of declaration, by code: a stable word for programs, and what is asked of a declaration. The
 * package that owns the kind exports its book, and whatever it finds carries one of these codes.
 */
export type RuleBook = Readonly<Record<string, string>>;

/** A broken rule, before it is known which declaration broke it. */
export interface Fault<Code extends string = string> extends Omit<Problem, 'declaration' | 'at' | 'code'> {
  readonly code: Code;
}

/**
 * Says which declaration broke the rules, and where it stands.
 *
 * @param declaration kind and name: `apiKey "reader"`
 * @param at `src/app.ts:12`; anything but a text is left out, since a program without types may pass it
 */
export function toProblems(declaration: string, at: unknown, faults: readonly Fault[]): readonly Problem[] {
  return faults.map((fault) => ({ declaration, ...fault, ...(typeof at === 'string' && { at }) }));
}
