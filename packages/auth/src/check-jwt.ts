import { checkOptions, type Fault, type Shapes } from '@waymark/contract';
import type { ApiKeyDeclaration } from './api-key.ts';
import { type CredentialFault, isVariable, noVariableName } from './check-rules.ts';
import { type JwtDeclaration, jwtAlgorithms } from './jwt.ts';
import { toVerificationKey } from './verification-key.ts';

/** Clocks drift by minutes at most (RFC 7519, 4.1.4); more is a mistake, such as milliseconds. */
const maxLeewaySecs = 300;

const shapes: Readonly<Record<keyof JwtDeclaration['options'], Shapes[string]>> = {
  env: 'any',
  algorithm: jwtAlgorithms,
  // Looked at below, in words of their own.
  ...{ audience: 'any', issuer: 'any', leewaySecs: 'any' },
};

/** Other declarations that share something with this one. */
interface Twins {
  /** An API key that is the very secret tokens are signed with. */
  readonly sameKey: ApiKeyDeclaration | undefined;
  /** An earlier declaration that accepts the same tokens. */
  readonly sameRule: JwtDeclaration | undefined;
}

/** The rules that the declaration of one issuer's tokens breaks. */
export function checkJwt({ options }: JwtDeclaration, text: string, twins: Twins): readonly Fault[] {
  const { env, audience, issuer } = options;
  return [
    ...(isVariable(env, text) ? checkKey(options, text, twins.sameKey) : [noVariableName]),
    ...checkText('audience', audience),
    ...checkText('issuer', issuer),
    ...checkLeeway(options.leewaySecs),
    ...(twins.sameRule ? [sameRule(env, twins.sameRule)] : []),
    ...checkOptions(options, shapes),
  ];
}

function checkKey(
  { env, algorithm }: JwtDeclaration['options'],
  text: string,
  sameKey: ApiKeyDeclaration | undefined,
): readonly CredentialFault[] {
  // Without an algorithm nothing can be said of the key.
  if (!jwtAlgorithms.includes(algorithm)) return [];
  const key = toVerificationKey(env, text, algorithm);
  if (!key.ok) return [{ code: text === '' ? 'variable-unset' : 'jwt-key', rule: key.rule, fix: key.fix }];
  return sameKey
    ? [
        {
          code: 'secret-shared',
          rule: `the secret in ${env} is also that of the key declared at ${sameKey.declaredAt}, which could then sign tokens`,
          fix: `make one with: waymark keygen --env ${env}`,
        },
      ]
    : [];
}

function sameRule(env: string, { declaredAt }: JwtDeclaration): CredentialFault {
  const fix = 'take one of the two out';
  return { code: 'jwt-twice', rule: `${env} is declared in the same way at ${declaredAt}`, fix };
}

function checkLeeway(secs: unknown): readonly CredentialFault[] {
  if (typeof secs === 'number' && secs >= 0 && secs <= maxLeewaySecs) return [];
  const rule = `leewaySecs is not a number from 0 to ${maxLeewaySecs}`;
  return [{ code: 'jwt-leeway', rule, fix: 'write seconds: leewaySecs: 30' }];
}

/** An empty text would mean "not looked at" to the library: the opposite of what was declared. */
function checkText(name: string, value: unknown): readonly CredentialFault[] {
  if (value === undefined || (typeof value === 'string' && value !== '')) return [];
  const fix = `write what the tokens say, or leave ${name} out`;
  return [{ code: 'jwt-text', rule: `${name} is not a text, or an empty one`, fix }];
}
