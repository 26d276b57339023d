/** Three parts, of which the first is JSON in base64url. */
const tokenShape = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

/**
 * The key of whoever is signed in, where the service has no sessions: in memory, as long as the page is. It is never
 * stored and stands in no address.
 */
export class Credentials {
  #key: string | undefined;

  set(key: string | undefined): void {
    this.#key = key;
  }

  headers(): Readonly<Record<string, string>> {
    const key = this.#key;
    if (key === undefined) return {};
    return tokenShape.test(key) ? { authorization: `Bearer ${key}` } : { 'x-api-key': key };
  }
}
