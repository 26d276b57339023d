import type { Visit } from '../door/visit.ts';

/** Headers of an answer that depend on its caller: what the rate limit leaves, and a session that is taken back. */
export function extraHeaders({ allowance, takesBack }: Visit): readonly string[] | undefined {
  const rate = allowance?.toHeaders();
  return takesBack === undefined ? rate : [...(rate ?? []), 'set-cookie', takesBack];
}
