import type { CredentialDeclaration } from '@waymark/auth';
import type { Finding } from '@waymark/contract/declaring';

/** How the subjects of tokens are named, where a declaration says so, and which issuers know the same people. */
export function subjectFindings(credentials: readonly CredentialDeclaration[]): readonly Finding[] {
  const tokens = credentials.flatMap(({ kind, options }) => (kind === 'jwt' ? [options] : []));
  const prefixes = [...new Set(tokens.map(({ subjectPrefix = '' }) => subjectPrefix))];
  return prefixes.flatMap((prefix): readonly Finding[] => {
    const issuers = new Set(
      tokens.flatMap(({ subjectPrefix = '', issuer, env }) =>
        subjectPrefix === prefix ? [issuer ?? `${env}`] : [],
      ),
    );
    const names = [...issuers].join(' and ');
    const named = prefix === '' ? 'sub' : `"${prefix}" and sub`;
    // Without any issuer they are the secrets of one.
    const several = new Set(
      tokens.filter((one) => (one.subjectPrefix ?? '') === prefix).map((one) => one.issuer),
    );
    if (several.size > 1)
      return [
        {
          severity: 'info',
          text: `the same sub of ${names} is one person, whose id is ${named}`,
          fix: 'give each issuer a subjectPrefix of its own, unless they know the same people',
        },
      ];
    return prefix === ''
      ? []
      : [
          {
            severity: 'info',
            text: `the id of somebody with a token of ${names} is ${named}`,
            fix: 'keep it: with another one they are others, without runs and conversations',
          },
        ];
  });
}
