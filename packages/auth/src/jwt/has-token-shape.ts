import type { KeyObject } from 'node:crypto';

/** Three parts in base64url, none of them empty. */
const form = /^[\w-]+\.[\w-]+\.([\w-]+)$/;

/** Of a MAC, by the name of its algorithm. */
const macBits: Readonly<Record<string, number>> = { HS256: 256, HS384: 384, HS512: 512 };

/**
 * Whether a token could have been signed with the key: its form, and the length of its signature. Asked before the
 * signature is verified, which for RSA costs 40 µs each time: wrong tokens are looked at as often as they come, since no
 * right one is refused for their sake (decision 2.1).
 */
export function hasTokenShape(token: string, algorithm: string, key: KeyObject): boolean {
  const signature = form.exec(token)?.[1];
  const bits = macBits[algorithm] ?? key.asymmetricKeyDetails?.modulusLength;
  // Keys of other kinds have signatures whose length their verification looks at first.
  return bits === undefined
    ? signature !== undefined
    : signature?.length === Math.ceil((Math.ceil(bits / 8) * 4) / 3);
}
