/** The ids taken over from callers (decision 2.10): nothing that could break a header, a log line or a page. */
const acceptable = /^[A-Za-z0-9\-_.:]{1,128}$/;

/** Keeps the id a request came with when it is acceptable, else makes one. */
export function requestIdOf(given: string | string[] | undefined, newId: () => string): string {
  return typeof given === 'string' && acceptable.test(given) ? given : newId();
}
