import { hash, type KeyObject } from 'node:crypto';
import { HTTPError } from '@waymark/contract';
import { type Awaitable, type Log, type Partners, partnerFault } from '@waymark/contract/engine';
import type { Outbound } from '@waymark/contract/http';
import type { Authentication } from '@waymark/contract/principal';
import { IssuerKeys } from '../issuer/issuer-keys.ts';
import { readIssuerKeys } from '../issuer/read-issuer-keys.ts';
import { verifyIssued } from '../issuer/verify-issued.ts';
import type { Refuse } from '../refusal.ts';
import { readableId, unclearId } from '../reserved-ids.ts';
import type { Signer, Vouchers } from '../session/vouchers.ts';
import { hasTokenShape } from './has-token-shape.ts';
import { areIssued, type IssuedTokens, type JwtDeclaration, type KeyedTokens } from './jwt.ts';
import { RecentMap } from './recent-map.ts';
import { prefixesOf } from './subject-prefix.ts';
import { readClaims } from './token-claims.ts';
import { toVerificationKey } from './verification-key.ts';
import { type Claims, verifyJwt } from './verify-jwt.ts';

/** The longest token looked at, in characters. Node takes 16 KB of headers altogether. */
export const maxTokenLength = 8 * 1024;

/** Good tokens remembered, by digest. */
const maxRemembered = 1_000;

/** What a token that follows a declaration is judged by. */
interface Judge {
  readonly options: KeyedTokens | IssuedTokens;
  readonly signer: Signer;
  /** Says whether an id is that of an API key, or of the people of another issuer. */
  readonly isTaken: (id: string) => boolean;
}

/** One declaration, ready to verify. */
interface Keyed extends Judge {
  readonly options: KeyedTokens;
  readonly key: KeyObject;
}

/** One declaration of an issuer that publishes its keys. */
interface Issued extends Judge {
  readonly options: IssuedTokens;
  readonly keys: IssuerKeys;
}

/** A token whose signature and claims are good; its times are looked at on each use. */
interface Verified {
  readonly authentication: Authentication;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Says whether the key that verified it is still its issuer's. */
  readonly isCurrent?: () => boolean;
}

/** What the tokens are judged by. */
export interface BearerTokensOptions {
  /** The text in a variable, read once, now. */
  read(env: string): string;
  /** Says whether an id is that of an API key, which no subject may be. */
  isTaken(id: string): boolean;
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a clock that only goes forward. */
  monotonic(): number;
  readonly refuse: Refuse;
  /** Reaches issuers. */
  readonly outbound: Outbound | undefined;
  /** The audience of tokens whose declaration names none. */
  readonly resource: string | undefined;
  readonly log: Log | undefined;
  readonly issuers: Partners;
  /** Told who each good token stands for. */
  readonly vouchers: Vouchers;
}

/**
 * The declared JSON Web Tokens.
 *
 * A good token is remembered by its SHA-256: verified anew each time it costs 12 µs for HS256 and 40 µs for RS256,
 * remembered 1.2 µs and 2 µs (measured on Node 24; the longer the token, the longer the hash). 1,000 are held, and the
 * one not used for longest goes first. What is remembered is that a token is genuine, never that it is in time: `nbf`
 * and `exp` are held against the clock on every use, and a key that its issuer has taken back ends what it verified.
 * Wrong tokens are not remembered: they would drive good ones out, and each is new to whoever tries them.
 */
export class BearerTokens {
  readonly #keyed: readonly Keyed[];
  readonly #issued: readonly Issued[];
  readonly #now: () => number;
  readonly #refuse: Refuse;
  readonly #log: Log | undefined;
  readonly #vouchers: Vouchers;
  readonly #remembered = new RecentMap<Verified>(maxRemembered);

  constructor(declarations: readonly JwtDeclaration[], options: BearerTokensOptions) {
    const { read, now, refuse, log, vouchers } = options;
    const prefixOf = prefixesOf(declarations);
    const takenFrom =
      ({ subjectPrefix = '' }: KeyedTokens | IssuedTokens) =>
      (id: string): boolean =>
        options.isTaken(id) || prefixOf(id) !== subjectPrefix;
    this.#issued = declarations.flatMap((declaration) => {
      const { options: declared } = declaration;
      if (!areIssued(declared)) return [];
      return [toIssued(declaration, declared, { ...options, isTaken: takenFrom(declared) })];
    });
    this.#keyed = declarations.flatMap((declaration) => {
      const { options } = declaration;
      if (areIssued(options)) return [];
      const verification = toVerificationKey(options.env, read(options.env), options.algorithm);
      // Only good ones come here: `createAuthenticate` has thrown otherwise.
      if (!verification.ok) return [];
      const { key } = verification;
      const secret = key.type === 'secret' ? key : undefined;
      const isTaken = takenFrom(options);
      return [{ options, key, isTaken, signer: vouchers.addTokens(declaration, secret, { isTaken }) }];
    });
    this.#vouchers = vouchers;
    this.#now = now;
    this.#refuse = refuse;
    this.#log = log;
  }

  /**
   * The principal of a token, or the refusal: that it has ended, when nothing else is wrong with it. A token that only the
   * keys of an issuer can judge takes a promise; it is neither good nor wrong as long as they cannot be read (503).
   */
  authenticate(token: string): Awaitable<Authentication> {
    if (token.length > maxTokenLength) return this.#refuse();
    const digest = hash('sha256', token, 'base64');
    const nowMs = this.#now();
    const known = this.#remembered.get(digest);
    if (known && isInTime(known, nowMs) && known.isCurrent?.() !== false) return known.authentication;

    let ended = false;
    for (const keyed of this.#keyed) {
      const { options, key } = keyed;
      const claims = hasTokenShape(token, options.algorithm, key) && verifyJwt(token, key, options);
      const verified = claims ? this.#judge(claims, keyed) : undefined;
      if (!verified) continue;
      if (isInTime(verified, nowMs)) return this.#remember(digest, verified);
      ended ||= nowMs >= verified.untilMs;
    }
    return this.#issued.length === 0 ? this.#refuseWrong(ended) : this.#askIssuers(token, digest, ended);
  }

  async #askIssuers(token: string, digest: string, endedSoFar: boolean): Promise<Authentication> {
    let ended = endedSoFar;
    let unreadable = false;
    for (const issued of this.#issued) {
      const { options, keys } = issued;
      // Only the one that it says it is from has to be waited for.
      const judged = await verifyIssued(token, keys, options);
      unreadable ||= judged.verdict === 'unreadable';
      if (judged.verdict !== 'good') continue;
      const { claims, generation } = judged;
      const verified = this.#judge(claims, issued, generation);
      if (!verified) continue;
      const nowMs = this.#now();
      if (isInTime(verified, nowMs))
        return this.#remember(digest, { ...verified, isCurrent: () => keys.isCurrent(generation) });
      ended ||= nowMs >= verified.untilMs;
    }
    return unreadable ? { ok: false, error: unavailable() } : this.#refuseWrong(ended);
  }

  #remember(digest: string, verified: Verified): Authentication {
    this.#remembered.set(digest, verified);
    return verified.authentication;
  }

  #refuseWrong(ended: boolean): Authentication {
    return this.#refuse(ended ? 'the token has expired' : undefined);
  }

  #judge(claims: Claims, { options, isTaken, signer }: Judge, generation?: number): Verified | undefined {
    const read = readClaims(claims, isTaken, options);
    if (!read) {
      this.#explain(claims);
      return undefined;
    }
    const { principal, notBeforeMs, expiresAtMs } = read;
    const leewayMs = options.leewaySecs * 1000;
    this.#vouchers.vouch(principal, { signer, expiresAtMs, ...(generation !== undefined && { generation }) });
    return {
      authentication: { ok: true, principal },
      fromMs: notBeforeMs - leewayMs,
      untilMs: expiresAtMs + leewayMs,
    };
  }

  /** Of a genuine token only its issuer can mend it, who is not told by a 401. */
  #explain({ sub }: Claims): void {
    const why = typeof sub === 'string' ? unclearId(sub) : undefined;
    if (typeof sub !== 'string' || why === undefined) return;
    const subject = readableId(sub.slice(0, 100));
    this.#log?.('warn', 'the subject of a token cannot be told from another', { subject, why });
  }
}

function toIssued(
  declaration: JwtDeclaration,
  declared: IssuedTokens,
  { outbound, resource, monotonic, log, isTaken, vouchers, issuers }: BearerTokensOptions,
): Issued {
  const { issuer, audience = resource } = declared;
  // Its host stands in the metadata of the MCP endpoint, which are for everybody, too.
  const partner = issuers.of(new URL(issuer).host);
  const keys = new IssuerKeys({
    read: async () => {
      if (!outbound) throw new TypeError('createAuthenticate needs an outbound client to read keys with');
      const read = await readIssuerKeys(outbound, issuer, partner);
      partner.answered();
      return read;
    },
    monotonic,
    onFailure(error) {
      partner.failed(partnerFault(error, 'publishes no keys that can be read'));
      log?.('warn', 'the keys of an issuer could not be read', { issuer, error });
    },
  });
  return {
    options: { ...declared, ...(audience !== undefined && { audience }) },
    keys,
    isTaken,
    signer: vouchers.addTokens(declaration, undefined, {
      isTaken,
      isCurrent: (generation) => keys.isCurrent(generation),
    }),
  };
}

/** Neither 401, which has clients throw a good token away, nor for long. */
function unavailable(): HTTPError {
  return new HTTPError(503, 'the issuer of the token cannot be asked for its keys now', {
    headers: { 'retry-after': '5' },
  });
}

/** The first moment counts, the last does not (RFC 7519, 4.1.4 and 4.1.5). */
function isInTime({ fromMs, untilMs }: Verified, nowMs: number): boolean {
  return nowMs >= fromMs && nowMs < untilMs;
}
