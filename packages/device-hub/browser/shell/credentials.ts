const stored = 'waymark-key';

/** Three parts, of which the first is JSON in base64url. */
const tokenShape = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

/**
 * The key of whoever looks at a page: none at first, since an application may let anybody in. It is kept as long as the tab
 * is, and stands in no address but in that of the upgrade of a socket, where browsers have no other place.
 */
export class Credentials {
  #key: string | undefined;

  constructor() {
    this.#key = takeFromAddress() ?? readStored();
    if (this.#key !== undefined) this.#store();
  }

  get key(): string | undefined {
    return this.#key;
  }

  set(key: string): void {
    this.#key = key;
    this.#store();
  }

  /** As the options of a client. */
  forClient(): { readonly token?: string; readonly apiKey?: string } {
    const key = this.#key;
    if (key === undefined) return {};
    return tokenShape.test(key) ? { token: key } : { apiKey: key };
  }

  /** As the headers of a request. */
  forRequest(): Readonly<Record<string, string>> {
    const { token, apiKey } = this.forClient();
    if (token !== undefined) return { authorization: `Bearer ${token}` };
    return apiKey === undefined ? {} : { 'x-api-key': apiKey };
  }

  /** Whether it is a token whose time is over, by the clock of this machine. */
  isExpired(): boolean {
    const { token } = this.forClient();
    if (token === undefined) return false;
    const { exp } = readClaims(token);
    return typeof exp === 'number' && exp * 1000 < Date.now();
  }

  #store(): void {
    try {
      sessionStorage.setItem(stored, this.#key ?? '');
    } catch {
      // Without a store, as in some private windows, it is asked for again with the next page.
    }
  }
}

/** `#key=…`, which a bookmark or a picture of it may bring: fragments are sent to nobody, and it leaves the address at once. */
function takeFromAddress(): string | undefined {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')?.trim();
  if (key === undefined) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return key === '' ? undefined : key;
}

function readStored(): string | undefined {
  try {
    return sessionStorage.getItem(stored) || undefined;
  } catch {
    return undefined;
  }
}

function readClaims(token: string): Readonly<Record<string, unknown>> {
  try {
    const part = token.split('.')[1] ?? '';
    const claims: unknown = JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof claims === 'object' && claims !== null ? { ...claims } : {};
  } catch {
    return {};
  }
}
