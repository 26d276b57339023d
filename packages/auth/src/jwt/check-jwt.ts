import { checkOptions, type Fault, type Shapes } from '@waymark/contract/declaring';
import type { ApiKeyDeclaration } from '../api-key/api-key.ts';
import { type CredentialFault, isVariable, noVariableName } from '../check-rules.ts';
import { isIssuerUrl } from '../issuer/issuer-url.ts';
import {
  areIssued,
  type IssuedTokens,
  issuerAlgorithms,
  type JwtDeclaration,
  jwtAlgorithms,
  type KeyedTokens,
} from './jwt.ts';
import { checkSubjectPrefix, otherPeople } from './subject-prefix.ts';
import { toVerificationKey } from './verification-key.ts';

/** Clocks drift by minutes at most (RFC 7519, 4.1.4); more is a mistake, such as milliseconds. */
const maxLeewaySecs = 300;

/** Looked at below, in words of their own. */
const looked = { audience: 'any', issuer: 'any', leewaySecs: 'any', subjectPrefix: 'any' } as const;
const keyedShapes: Readonly<Record<keyof KeyedTokens, Shapes[string]>> = {
  ...{ env: 'any', algorithm: jwtAlgorithms },
  ...looked,
};
const issuedShapes: Readonly<Record<Exclude<keyof IssuedTokens, 'env'>, Shapes[string]>> = {
  algorithm: 'any',
  ...looked,
};

/** Other declarations that share something with this one. */
interface Twins {
  /** An API key that is the very secret tokens are signed with. */
  readonly sameKey: ApiKeyDeclaration | undefined;
  /** An earlier declaration that accepts the same tokens. */
  readonly sameRule: JwtDeclaration | undefined;
  /** An earlier declaration of another issuer, whose subjects this one's would be. */
  readonly sameSubjects: JwtDeclaration | undefined;
  /** The audience where none is named. */
  readonly resource: string | undefined;
}

/** The rules that the declaration of one issuer's tokens breaks. */
export function checkJwt({ options }: JwtDeclaration, text: string, twins: Twins): readonly Fault[] {
  const { audience, leewaySecs } = options;
  const issued = areIssued(options);
  return [
    ...(issued ? checkIssued(options, twins.resource) : checkVariable(options, text, twins.sameKey)),
    ...checkText('audience', audience),
    ...(issued ? [] : checkText('issuer', options.issuer)),
    ...checkLeeway(leewaySecs),
    ...checkSubjectPrefix(options.subjectPrefix),
    ...(twins.sameSubjects ? [otherPeople(twins.sameSubjects)] : []),
    ...(twins.sameRule ? [sameRule(issued ? 'the issuer' : options.env, twins.sameRule)] : []),
    ...checkOptions(options, issued ? issuedShapes : keyedShapes),
  ];
}

function checkVariable(
  options: KeyedTokens,
  text: string,
  sameKey: ApiKeyDeclaration | undefined,
): readonly CredentialFault[] {
  return isVariable(options.env, text) ? checkKey(options, text, sameKey) : [noVariableName];
}

function checkIssued(
  { issuer, audience, algorithm }: IssuedTokens,
  resource: string | undefined,
): readonly CredentialFault[] {
  return [
    ...(isIssuerUrl(issuer) ? [] : [noIssuerUrl]),
    ...(audience === undefined && resource === undefined ? [noAudience] : []),
    ...(algorithm === undefined || issuerAlgorithms.includes(algorithm) ? [] : [noIssuerAlgorithm]),
  ];
}

const noIssuerUrl: CredentialFault = {
  code: 'jwt-issuer',
  rule: 'the issuer is no https URL without query, fragment and password, nor an http one of this machine',
  fix: "write it as its tokens do: issuer: 'https://login.example.com'",
};

/** Else a token that somebody gave to another service would be good here. */
const noAudience: CredentialFault = {
  code: 'jwt-audience',
  rule: 'nothing says whom its tokens are for',
  fix: 'set publicUrl, and they are for the MCP endpoint there, or name an audience',
};

const noIssuerAlgorithm: CredentialFault = {
  code: 'jwt-algorithm',
  rule: `tokens of an issuer that publishes its keys are signed with ${issuerAlgorithms.join(', ')}`,
  fix: 'name one of these or none, or name the variable that holds the secret: jwt("JWT_SECRET", …)',
};

function checkKey(
  { env, algorithm }: KeyedTokens,
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

function sameRule(what: string, { declaredAt }: JwtDeclaration): CredentialFault {
  const fix = 'take one of the two out';
  return { code: 'jwt-twice', rule: `${what} is declared in the same way at ${declaredAt}`, fix };
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
