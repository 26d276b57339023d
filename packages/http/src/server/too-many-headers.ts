/** Headers of a request. */
export const maxHeaders = 100;

/** What a client is told that sent more. */
export const tooManyHeaders = `there are more than ${maxHeaders} headers`;

/** Whether a request has too many. @param rawHeaders names and values */
export function hasTooManyHeaders({ rawHeaders }: { readonly rawHeaders: readonly string[] }): boolean {
  return rawHeaders.length > 2 * maxHeaders;
}
