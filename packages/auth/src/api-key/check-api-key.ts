import { checkOptions, checkScopes, type Fault } from '@waymark/contract/declaring';
import { type CredentialFault, isVariable, noVariableName } from '../check-rules.ts';
import { isAnonymous, readableId, reservedPrefix, unclearId } from '../reserved-ids.ts';
import type { ApiKeyDeclaration } from './api-key.ts';

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
): readonly Fault[] {
  return [
    ...checkId(name, sameId),
    ...(isVariable(options.env, secret) ? checkSecret(options.env, secret, sameSecret) : [noVariableName]),
    ...checkScopes(options.scopes),
    ...checkOptions(options, { env: 'any', scopes: 'any', bearer: 'boolean' }),
  ];
}

function checkId(id: unknown, twin: ApiKeyDeclaration | undefined): readonly CredentialFault[] {
  if (typeof id !== 'string')
    return [{ code: 'key-id', rule: 'the id is not a text', fix: "write apiKey('READER_KEY', 'reader')" }];
  if (id === '') return [{ code: 'key-id', rule: 'the id is empty', fix: 'write who has the key: reader' }];
  const fix = 'choose another id';
  if (isAnonymous(id))
    return [{ code: 'key-id', rule: `the id "${id}" is that of a caller without credentials`, fix }];
  const prefix = reservedPrefix(id);
  if (prefix !== undefined)
    return [{ code: 'key-id', rule: `ids that begin with "${prefix}" belong to the service itself`, fix }];
  const why = unclearId(id);
  if (why !== undefined)
    return [{ code: 'key-id', rule: `the id ${readableId(id)} ${why}`, fix: clearId(id) }];
  return twin
    ? [{ code: 'key-id-taken', rule: `the id is taken by the key declared at ${twin.declaredAt}`, fix }]
    : [];
}

function clearId(id: string): string {
  const clear = id
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFFD]/gu, '')
    .trim()
    .normalize('NFC');
  return clear === '' ? 'write who has the key: reader' : `write '${clear}'`;
}

function checkSecret(
  env: string,
  secret: string,
  twin: ApiKeyDeclaration | undefined,
): readonly CredentialFault[] {
  const fix = `make one with: waymark keygen --env ${env}`;
  if (secret === '') return [{ code: 'variable-unset', rule: `the variable ${env} is not set`, fix }];
  const bytes = Buffer.byteLength(secret);
  if (bytes < minSecretBytes)
    return [
      {
        code: 'secret-short',
        rule: `the secret in ${env} has ${bytes} bytes, ${minSecretBytes} are the least`,
        fix,
      },
    ];
  // A space could never be matched, or be forged out of two headers: node joins them with ", ".
  if (!/^[\x21-\x7e]+$/.test(secret))
    return [
      {
        code: 'secret-characters',
        rule: `the secret in ${env} holds a space or another character that no header can carry`,
        fix,
      },
    ];
  return twin
    ? [
        {
          code: 'secret-shared',
          rule: `the secret in ${env} is also that of the key declared at ${twin.declaredAt}`,
          fix,
        },
      ]
    : [];
}
