/** Where a service is reached, and whose keys may be shown to it. */
export interface ConsoleLinkOptions {
  readonly url: string;
  readonly controlPrefix: string;
  /** Secrets that are tried, one after the other: the first that may use the console opens it. */
  readonly keys: readonly string[];
}

/** Keys that are tried. */
const mostTried = 8;

/**
 * Asks a service of this machine for a link that opens its console signed in: once, within a minute, and only here.
 *
 * @returns the console without anybody signed in where no key may, and undefined where there is no console
 */
export async function consoleLink({
  url,
  controlPrefix,
  keys,
}: ConsoleLinkOptions): Promise<string | undefined> {
  const address = `${url}${controlPrefix}/console`;
  try {
    if (!(await fetch(address, { method: 'HEAD' })).ok) return undefined;
    for (const key of keys.slice(0, mostTried)) {
      const response = await fetch(`${url}${controlPrefix}/session/code`, {
        method: 'POST',
        headers: { 'x-api-key': key },
      });
      const { code } = (await response.json()) as { readonly code?: unknown };
      if (response.ok && typeof code === 'string') return `${address}#code=${code}`;
    }
    return address;
  } catch {
    // What cannot be asked is not worth a word on the first screen.
    return undefined;
  }
}
