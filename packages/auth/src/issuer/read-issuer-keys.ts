import { json } from 'node:stream/consumers';
import { HTTPError } from '@waymark/contract';
import { type Partner, partnerFault } from '@waymark/contract/engine';
import type { Outbound } from '@waymark/contract/http';
import type { JWK } from 'jose';
import { keysReach, metadataUrls } from './issuer-url.ts';

/** For metadata and keys together: somebody is waiting. */
const deadlineMs = 10_000;
/** To the first byte, and between two pieces. */
const patienceMs = 5_000;
const maxMetadataBytes = 64 * 1024;
const maxKeysBytes = 256 * 1024;
/** The largest issuers publish about ten. */
const maxKeys = 100;

/**
 * Reads the keys that an issuer publishes: its metadata, then its JSON Web Key Set. Metadata that name another issuer
 * are none of its own (RFC 8414, 3.3).
 *
 * @param partner told of what did not answer, though another place did
 * @throws whatever went wrong, with the reasons for each place that was looked at
 */
export async function readIssuerKeys(
  outbound: Outbound,
  issuer: string,
  partner: Pick<Partner, 'failed'>,
): Promise<readonly JWK[]> {
  const signal = AbortSignal.timeout(deadlineMs);
  const uri = await findKeysUri(outbound, issuer, { signal, partner });
  const allow = keysReach(issuer, uri);
  if (allow === undefined) throw new Error('the address of its keys is neither beside it nor https');
  const set = await readJson(outbound, { url: uri, allow, signal, maxBytes: maxKeysBytes });
  const { keys } = Object(set) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('what it publishes is no JSON Web Key Set');
  if (keys.length > maxKeys) throw new Error(`it publishes more than ${maxKeys} keys`);
  return keys.filter(isPublished);
}

async function findKeysUri(
  outbound: Outbound,
  issuer: string,
  { signal, partner }: { readonly signal: AbortSignal; readonly partner: Pick<Partner, 'failed'> },
): Promise<string> {
  const reasons: unknown[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      // One after the other: most issuers answer at the first or second place.
      const found = await readJson(outbound, { url, allow: 'declared', signal, maxBytes: maxMetadataBytes });
      const { issuer: named, jwks_uri: uri } = Object(found) as Readonly<Record<string, unknown>>;
      if (named === issuer && typeof uri === 'string') return uri;
      reasons.push(new Error(named === issuer ? 'it names no keys' : `it is of the issuer ${String(named)}`));
    } catch (error) {
      if (error instanceof HTTPError) partner.failed(partnerFault(error));
      reasons.push(error);
    }
  }
  throw new AggregateError(reasons, 'its metadata were not found');
}

interface Document {
  readonly url: string;
  readonly allow: 'declared' | 'public';
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

async function readJson(outbound: Outbound, document: Document): Promise<unknown> {
  const { status, body } = await outbound.request({
    ...document,
    method: 'GET',
    headers: { accept: 'application/json' },
    timeoutMs: patienceMs,
    idleTimeoutMs: patienceMs,
  });
  if (status === 200) return json(body);
  // What an error page says is of no use to anybody here.
  await body.cancel();
  throw new Error(`it answered ${status}`);
}

/** A public key. One that is published with its private part, or is a shared secret, anybody could sign with. */
function isPublished(key: unknown): key is JWK {
  return typeof key === 'object' && key !== null && !('d' in key) && !('k' in key);
}
