import { createHash, randomBytes } from 'node:crypto';
import type { Challenge } from './challenges.ts';

/** Who asks. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** What is answered for. */
export interface DigestRequest {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
}

const hashes: ReadonlyMap<string, string> = new Map([
  ['md5', 'md5'],
  ['sha-256', 'sha256'],
  ['sha-512-256', 'sha512-256'],
]);

/** What no header may hold: it could not be sent back. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const unsendable = /[\0-\x08\n-\x1f\x7f\u0100-\uffff]/;

/** Says whether a challenge is one that `DigestLogin` can answer. */
export function isKnownDigest({ scheme, parameters }: Challenge): boolean {
  const { qop, nonce, algorithm = 'MD5' } = parameters;
  if (scheme !== 'digest' || nonce === undefined) return false;
  if (qop !== undefined && !offersAuth(qop)) return false;
  if (Object.values(parameters).some((value) => unsendable.test(value))) return false;
  return hashOf(algorithm) !== undefined;
}

function hashOf(algorithm: string): string | undefined {
  return hashes.get(algorithm.toLowerCase().replace(/-sess$/, ''));
}

function offersAuth(qop: string): boolean {
  return qop.split(',').some((one) => one.trim().toLowerCase() === 'auth');
}

/** Answers one digest challenge, request after request, without ever sending the password (RFC 7616). */
export class DigestLogin {
  readonly #login: Login;
  readonly #parameters: Challenge['parameters'];
  readonly #hash: string;
  readonly #cnonce = randomBytes(16).toString('hex');
  /** Requests that were made with this nonce. */
  #count = 0;

  /** @param challenge one that `isKnownDigest` */
  constructor({ username, password }: Login, { parameters }: Challenge) {
    this.#login = { username: toOctets(username), password: toOctets(password) };
    this.#parameters = parameters;
    const { algorithm = 'MD5' } = parameters;
    this.#hash = hashOf(algorithm) ?? 'md5';
  }

  /** Makes the value of `Authorization`. */
  authorization({ method, target }: DigestRequest): string {
    const { username, password } = this.#login;
    const { realm = '', nonce = '', qop, opaque, algorithm } = this.#parameters;
    const isSession = algorithm?.toLowerCase().endsWith('-sess') ?? false;
    const count = (++this.#count).toString(16).padStart(8, '0');
    const secret = this.#digest(`${username}:${realm}:${password}`);
    const first = isSession ? this.#digest(`${secret}:${nonce}:${this.#cnonce}`) : secret;
    const second = this.#digest(`${method}:${target}`);
    // Without `qop` it is the form of RFC 2069, which old cameras speak.
    const between = qop === undefined ? nonce : `${nonce}:${count}:${this.#cnonce}:auth`;
    const members = [
      `username=${quoted(username)}`,
      `realm=${quoted(realm)}`,
      `nonce=${quoted(nonce)}`,
      `uri=${quoted(target)}`,
      ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
      `response="${this.#digest(`${first}:${between}:${second}`)}"`,
      ...(qop === undefined ? [] : ['qop=auth', `nc=${count}`]),
      ...(qop === undefined && !isSession ? [] : [`cnonce="${this.#cnonce}"`]),
      ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ];
    return `Digest ${members.join(', ')}`;
  }

  #digest(text: string): string {
    return createHash(this.#hash).update(text, 'latin1').digest('hex');
  }
}

/** UTF-8 with a character for each byte, as headers are read and written: the realm is hashed as it was sent. */
function toOctets(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
