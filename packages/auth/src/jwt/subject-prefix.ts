import type { CredentialFault } from '../check-rules.ts';
import { reservedPrefix } from '../reserved-ids.ts';
import type { JwtDeclaration } from './jwt.ts';

/** The longest prefix of subjects, in characters: it stands in every line that names its people. */
const maxPrefixLength = 32;

/** Visible ASCII whose end can be told from a name: `partnerada` would be one of the names without a prefix. */
const form = /^([!-~]*[!-/:-@[-`{-~])?$/;

/** The rule that a prefix breaks. */
export function checkSubjectPrefix(prefix: unknown): readonly CredentialFault[] {
  if (prefix === undefined) return [];
  const fix = "write subjectPrefix: 'partner:'";
  const broken = (rule: string): readonly CredentialFault[] => [{ code: 'jwt-subject-prefix', rule, fix }];
  if (typeof prefix !== 'string' || prefix.length > maxPrefixLength || !form.test(prefix))
    return broken(
      `subjectPrefix is no text of up to ${maxPrefixLength} visible ASCII characters, the last of them no letter or digit`,
    );
  const reserved = reservedPrefix(prefix);
  return reserved === undefined
    ? []
    : broken(`subjectPrefix begins with "${reserved}", as ids of the service do`);
}

/**
 * Whether two declarations make one person of the subjects of two issuers, and nobody has said that they are the same.
 * `sub` is unique within an issuer alone (OpenID Connect Core, 2); without one nothing is known of who that is.
 */
export function mixesPeople({ options: one }: JwtDeclaration, { options: other }: JwtDeclaration): boolean {
  if (one.issuer === other.issuer) return false;
  if ((one.subjectPrefix ?? '') !== (other.subjectPrefix ?? '')) return false;
  return one.subjectPrefix === undefined || other.subjectPrefix === undefined;
}

/** The fault of the later one. */
export function otherPeople({ declaredAt }: JwtDeclaration): CredentialFault {
  return {
    code: 'jwt-same-subjects',
    rule: `its issuer is not the one declared at ${declaredAt}, and the same sub of both would be one person`,
    fix: "give one of the two a prefix: subjectPrefix: 'partner:'; or, where they know the same people, both the same one, which may be ''",
  };
}

/**
 * Makes the function that says whose an id is: that of the longest declared prefix in front of it. A subject without a prefix
 * that begins with somebody's would be theirs otherwise.
 */
export function prefixesOf(declarations: readonly JwtDeclaration[]): (id: string) => string {
  const longestFirst = declarations
    .map(({ options: { subjectPrefix = '' } }) => subjectPrefix)
    .sort((a, b) => b.length - a.length);
  return (id) => longestFirst.find((prefix) => id.startsWith(prefix)) ?? '';
}
