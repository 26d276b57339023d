/** How something came out. */
export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

/** Waits for something, whatever comes of it. */
export async function settle<T>(step: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await step };
  } catch (error) {
    return { ok: false, error };
  }
}

/** The failure that stands first, whichever came first. */
export function firstFailure<T>(
  results: readonly Settled<T>[],
): Extract<Settled<T>, { readonly ok: false }> | undefined {
  return results.find((one) => !one.ok);
}
