import { readExplanations } from './explanation.ts';

/** Names the command that says more of what was found, for the codes that have a page; each once. */
export function explainHint(codes: readonly (string | undefined)[]): string | undefined {
  const named = new Set(codes.filter((code) => code !== undefined));
  if (named.size === 0) return undefined;
  const known = new Set(readExplanations().map(({ code }) => code));
  const explained = [...named].filter((code) => known.has(code));
  return explained.length === 0 ? undefined : `waymark explain ${explained.join(' ')}`;
}
