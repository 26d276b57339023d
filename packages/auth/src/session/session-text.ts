import { createHmac, timingSafeEqual } from 'node:crypto';

/** The longest value of a cookie that is given out or looked at; browsers keep 4,096 bytes with its name. */
export const maxSessionLength = 3_800;

/** What a session says of itself. Short names: it is sent with every request. */
export interface SessionClaims {
  /** Random, 128 bits. */
  readonly id: string;
  readonly subject: string;
  /** Of tokens; those of a key are read where it is declared. */
  readonly scopes?: readonly string[];
  /** Epoch milliseconds. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  /** Of the keys of an issuer, which had verified the token. */
  readonly generation?: number;
}

/** Writes a session as the value of a cookie: version, mark of the signer, claims, and their HMAC under its key. */
export function writeSession(mark: string, claims: SessionClaims, key: Uint8Array): string {
  const { id, subject, scopes, issuedAtMs, expiresAtMs, generation } = claims;
  const json = JSON.stringify([id, subject, issuedAtMs, expiresAtMs, scopes ?? null, generation ?? null]);
  const signed = `v1.${mark}.${Buffer.from(json).toString('base64url')}`;
  return `${signed}.${macOf(signed, key)}`;
}

/**
 * Reads a session that one of the signers has written; undefined for anything else. Nothing is parsed before its HMAC is
 * known to be right, and of two texts that decode alike only the one that was written is taken.
 *
 * @param keyOf gives the key of a mark
 */
export function readSession(
  value: string,
  keyOf: (mark: string) => Uint8Array | undefined,
): { readonly mark: string; readonly claims: SessionClaims } | undefined {
  if (value.length > maxSessionLength) return undefined;
  const [, signed = '', mark = '', payload = '', mac = ''] = form.exec(value) ?? [];
  const key = mark === '' ? undefined : keyOf(mark);
  if (!key || !isEqual(mac, macOf(signed, key))) return undefined;
  // Nobody without the key can have written it.
  const [id, subject, issuedAtMs, expiresAtMs, scopes, generation] = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  ) as Written;
  return {
    mark,
    claims: {
      ...{ id, subject, issuedAtMs, expiresAtMs },
      ...(scopes && { scopes }),
      ...(generation !== null && { generation }),
    },
  };
}

const form = /^(v1\.([\w-]{1,40})\.([\w-]+))\.([\w-]{43})$/;

type Written = readonly [string, string, number, number, readonly string[] | null, number | null];

function macOf(text: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
