import { nearest, type Problem } from '@waymark/contract';

/** A broken rule, before it is known which declaration broke it. */
export type Found = Omit<Problem, 'declaration' | 'at'>;

/** Scopes are words: a token separates them by spaces, and they are matched by equality. */
export function checkScopes(scopes: unknown): readonly Found[] {
  const areWords =
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === 'string' && /^[\x21-\x7e]+$/.test(scope));
  return areWords ? [] : [{ rule: 'scopes are not a list of words without spaces' }];
}

/** Options that nobody reads, with the name that was probably meant. */
export function checkNames(options: object, known: readonly string[]): readonly Found[] {
  return Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const close = nearest(name, known);
      return { rule: `unknown option "${name}"`, ...(close !== undefined && { nearest: close }) };
    });
}
