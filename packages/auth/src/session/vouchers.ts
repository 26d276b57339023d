import { hash, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Principal } from '@waymark/contract/principal';
import type { ApiKeyDeclaration } from '../api-key/api-key.ts';
import type { JwtDeclaration } from '../jwt/jwt.ts';
import type { SessionClaims } from './session-text.ts';

/** One declared credential as a signer of sessions. */
export interface Signer {
  /** Short name of the declaration, the same in each process. */
  readonly mark: string;
  readonly key: Uint8Array;
  /** Whether its sessions carry scopes: those of a key are the ones that it has today. */
  readonly carriesScopes: boolean;
  /** The principal that claims stand for now, if any. */
  principalOf(claims: SessionClaims): Principal | undefined;
}

/** What a principal was told by. */
export interface Voucher {
  readonly signer: Signer;
  readonly generation?: number;
  /** When a token says that it ends, epoch milliseconds: its principal is let in until the leeway of clocks is over, too. */
  readonly expiresAtMs?: number;
}

/**
 * The signers of all declared credentials, and which of them vouches for which principal.
 *
 * Keys of signers are derived from the credentials' own secrets: sessions are the same on every process, survive a
 * restart, and end when the secret is another one or the declaration is gone. Where a credential has no secret of ours,
 * since its tokens are verified with a public key, the key is random, and sessions end with the process.
 */
export class Vouchers {
  readonly #application: string;
  readonly #signers = new Map<string, Signer>();
  // By the object: nobody can make one that is found here.
  readonly #of = new WeakMap<Principal, Voucher>();

  /** @param application what a session was opened at; two of them may know the same key */
  constructor(application: string) {
    this.#application = application;
  }

  signer(mark: string): Signer | undefined {
    return this.#signers.get(mark);
  }

  of(principal: Principal): Voucher | undefined {
    return this.#of.get(principal);
  }

  vouch(principal: Principal, voucher: Voucher): void {
    this.#of.set(principal, voucher);
  }

  /** @param principal the one that the key stands for, of which each reading makes the same one again */
  addKey({ name, options: { env } }: ApiKeyDeclaration, secret: string, principal: Principal): void {
    const mark = toMark(['apiKey', name, env]);
    const signer: Signer = {
      mark,
      key: this.#derive(Buffer.from(secret), mark),
      carriesScopes: false,
      principalOf: ({ subject }) => (subject === name ? principal : undefined),
    };
    this.#signers.set(mark, signer);
    this.vouch(principal, { signer });
  }

  /**
   * @param secret undefined where tokens are verified with what is public
   * @param isTaken says whether an id belongs to an API key, or to the people of another issuer
   * @param isCurrent says whether what keys of a generation have verified is good still
   */
  addTokens(
    { options }: JwtDeclaration,
    secret: KeyObject | undefined,
    {
      isTaken,
      isCurrent,
    }: {
      readonly isTaken: (id: string) => boolean;
      readonly isCurrent?: (generation: number) => boolean;
    },
  ): Signer {
    const { env, algorithm, audience, issuer, subjectPrefix = '' } = options;
    // With another prefix its people are others.
    const mark = toMark(['jwt', env, algorithm, audience, issuer, ...(subjectPrefix ? [subjectPrefix] : [])]);
    const signer: Signer = {
      mark,
      key: secret ? this.#derive(secret, mark) : randomBytes(32),
      carriesScopes: true,
      principalOf: ({ subject, scopes = [], generation }) =>
        isTaken(subject) || (generation !== undefined && isCurrent?.(generation) === false)
          ? undefined
          : {
              ...{ id: subject, rootId: subject, authenticated: true, scopes },
              ...(issuer !== undefined && { issuer }),
            },
    };
    this.#signers.set(mark, signer);
    return signer;
  }

  /** HKDF (RFC 5869): whoever learns the key of sessions does not know the secret, nor could it sign a token. */
  #derive(secret: Uint8Array | KeyObject, mark: string): Uint8Array {
    const info = `${mark} ${this.#application}`;
    return new Uint8Array(hkdfSync('sha256', secret, 'waymark session v1', info, 32));
  }
}

/** What a declaration accepts, in as few characters as will do: it chooses a key, and proves nothing. */
function toMark(parts: readonly (string | undefined)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 16);
}
