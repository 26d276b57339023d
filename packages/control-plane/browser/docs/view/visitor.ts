import type { Caller } from '../call/problem.ts';
import type { Api } from '../model/api.ts';
import { credentialHeader } from '../snippets/credential.ts';

/**
 * Who looks at the page. A key is kept in memory alone: it is gone with the page, and stands in no address, no storage and no
 * snippet.
 */
export class Visitor {
  /** Changes with each key, for whoever shows something of it. */
  readonly changed = new EventTarget();
  #key: string | undefined;
  #cameInWithout = false;

  get key(): string | undefined {
    return this.#key;
  }

  set key(key: string | undefined) {
    this.#key = key;
    this.changed.dispatchEvent(new Event('change'));
  }

  /** Notes that the document was given to somebody without a key. */
  cameInWithoutKey(): void {
    this.#cameInWithout = true;
  }

  /** The header of the key, for one call. @throws {TypeError} a key that no header can hold */
  credential(api: Pick<Api, 'schemes'>): readonly [string, string] | undefined {
    return this.#key === undefined ? undefined : credentialHeader(api, this.#key);
  }

  /** Who makes a call: the document tells whether it was given to anybody or to somebody who is signed in. */
  caller({ schemes, operations }: Api): Caller {
    if (this.#key !== undefined) return 'key';
    if (!this.#cameInWithout) return 'nobody';
    const document = [...operations.values()].find(({ path }) => path.endsWith('/openapi.json'));
    return schemes.length > 0 && (document?.access.open ?? true) ? 'nobody' : 'session';
  }
}
