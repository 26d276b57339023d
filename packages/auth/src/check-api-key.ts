import type { ApiKeyDeclaration } from './api-key.ts';
import { checkNames, checkScopes, type Found } from './check-options.ts';
import { isAnonymous, reservedPrefix } from './reserved-ids.ts';

/** The fewest bytes of a secret: 128 bits, when they are random (decision 3.1). */
const minSecretBytes = 16;

/** Keys declared earlier that share something with this one. */
interface Twins {
  readonly sameId: ApiKeyDeclaration | undefined;
  readonly sameSecret: ApiKeyDeclaration | undefined;
}

/** The rules that one API key breaks. */
export function checkApiKey(
  { name, options }: ApiKeyDeclaration,
  secret: string,
  { sameId, sameSecret }: Twins,
): readonly Found[] {
  return [
    ...checkId(name, sameId),
    ...checkSecret(options.env, secret, sameSecret),
    ...checkScopes(options.scopes),
    ...checkNames(options, ['env', 'scopes']),
  ];
}

function checkId(id: string, twin: ApiKeyDeclaration | undefined): readonly Found[] {
  if (id === '') return [{ rule: 'the id is empty' }];
  const fix = 'choose another id';
  if (isAnonymous(id)) return [{ rule: `the id "${id}" is that of a caller without credentials`, fix }];
  const prefix = reservedPrefix(id);
  if (prefix !== undefined)
    return [{ rule: `ids that begin with "${prefix}" belong to the service itself`, fix }];
  return twin ? [{ rule: `the id is taken by the key declared at ${twin.declaredAt}` }] : [];
}

function checkSecret(env: string, secret: string, twin: ApiKeyDeclaration | undefined): readonly Found[] {
  const fix = `make one with: waymark keygen --env ${env}`;
  if (secret === '') return [{ rule: `the variable ${env} is not set`, fix }];
  const bytes = Buffer.byteLength(secret);
  if (bytes < minSecretBytes)
    return [{ rule: `the secret in ${env} has ${bytes} bytes, ${minSecretBytes} are the least`, fix }];
  // A space could never be matched, or be forged out of two headers: node joins them with ", ".
  if (!/^[\x21-\x7e]+$/.test(secret))
    return [
      { rule: `the secret in ${env} holds a space or another character that no header can carry`, fix },
    ];
  return twin
    ? [{ rule: `the secret in ${env} is also that of the key declared at ${twin.declaredAt}`, fix }]
    : [];
}
