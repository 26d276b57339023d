import { parsePath } from '@waymark/contract/route';

/** Whether a path has a parameter: one more thing to be given to a tool that takes what its flow says. */
export function hasParameter(path: string): boolean {
  const parsed = parsePath(path);
  // What is no path at all is said of its route.
  return parsed.ok && parsed.segments.some(({ kind }) => kind !== 'literal');
}
