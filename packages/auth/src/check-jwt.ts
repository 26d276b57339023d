import { nearest } from '@waymark/contract';
import type { ApiKeyDeclaration } from './api-key.ts';
import { checkNames, type Found } from './check-options.ts';
import { type JwtDeclaration, jwtAlgorithms } from './jwt.ts';
import { toVerificationKey } from './verification-key.ts';

/** Clocks drift by minutes at most (RFC 7519, 4.1.4); more is a mistake, such as milliseconds. */
const maxLeewaySecs = 300;

const knownOptions = ['env', 'algorithm', 'audience', 'issuer', 'leewaySecs'];

/** Other declarations that share something with this one. */
interface Twins {
  /** An API key that is the very secret tokens are signed with. */
  readonly sameKey: ApiKeyDeclaration | undefined;
  /** An earlier declaration that accepts the same tokens. */
  readonly sameRule: JwtDeclaration | undefined;
}

/** The rules that the declaration of one issuer's tokens breaks. */
export function checkJwt({ options }: JwtDeclaration, text: string, twins: Twins): readonly Found[] {
  const { env, audience, issuer } = options;
  return [
    ...checkKey(options, text, twins.sameKey),
    ...checkText('audience', audience),
    ...checkText('issuer', issuer),
    ...checkLeeway(options.leewaySecs),
    ...(twins.sameRule
      ? [{ rule: `${env} is declared in the same way at ${twins.sameRule.declaredAt}` }]
      : []),
    ...checkNames(options, knownOptions),
  ];
}

function checkKey(
  { env, algorithm }: JwtDeclaration['options'],
  text: string,
  sameKey: ApiKeyDeclaration | undefined,
): readonly Found[] {
  if (!jwtAlgorithms.includes(algorithm)) {
    const close = nearest(String(algorithm), jwtAlgorithms);
    const rule = `the algorithm is none of ${jwtAlgorithms.join(', ')}`;
    return [close === undefined ? { rule } : { rule, nearest: close }];
  }
  const key = toVerificationKey(env, text, algorithm);
  if (!key.ok) return [{ rule: key.rule, fix: key.fix }];
  return sameKey
    ? [
        {
          rule: `the secret in ${env} is also that of the key declared at ${sameKey.declaredAt}, which could then sign tokens`,
          fix: `make one with: waymark keygen --env ${env}`,
        },
      ]
    : [];
}

function checkLeeway(secs: unknown): readonly Found[] {
  return typeof secs === 'number' && secs >= 0 && secs <= maxLeewaySecs
    ? []
    : [{ rule: `leewaySecs is not a number from 0 to ${maxLeewaySecs}` }];
}

/** An empty text would mean "not looked at" to the library: the opposite of what was declared. */
function checkText(name: string, value: unknown): readonly Found[] {
  return value === undefined || (typeof value === 'string' && value !== '')
    ? []
    : [{ rule: `${name} is not a text, or an empty one` }];
}
