import type { Fault, RuleBook } from '@waymark/contract/declaring';

/** Rules of credential declarations, by the `code` that a problem carries. */
export const credentialRules = {
  'variable-name': 'A secret is named by the variable that holds it.',
  'variable-unset': 'The variable of a secret is set.',
  'secret-short': 'A secret is long enough that nobody guesses it.',
  'secret-characters': 'A secret can be sent in a header.',
  'secret-shared': 'No secret belongs to two declarations.',
  'key-id': 'A key has an id of its own, which the service does not use itself.',
  'key-id-taken': 'Two keys never have the same id.',
  'jwt-key': 'A variable holds the kind of key that its algorithm verifies with.',
  'jwt-leeway': 'Clocks are allowed to be minutes apart at most.',
  'jwt-text': 'An audience or issuer is a text that is not empty.',
  'jwt-issuer': 'An issuer that publishes its keys is an https URL, or one of this machine.',
  'jwt-audience': 'Tokens of an issuer that publishes its keys are for somebody.',
  'jwt-algorithm':
    'Tokens of an issuer that publishes its keys are signed with one of these, never with a secret.',
  'jwt-subject-prefix':
    'A prefix of subjects can be read, ends visibly, and makes no id that the service uses itself.',
  'jwt-same-subjects': 'A subject is one person only within one issuer.',
  'jwt-twice': 'Tokens are declared in the same way once.',
} as const satisfies RuleBook;

/** A broken rule of a credential. */
export type CredentialFault = Fault<keyof typeof credentialRules>;

/**
 * Whether a variable is named: one that is set, or whose name is one. Anything else may well be the secret itself, and
 * is shown nowhere.
 */
export function isVariable(name: unknown, value: string): name is string {
  return typeof name === 'string' && (value !== '' || /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name));
}

/** The fault of anything else where a variable is named. */
export const noVariableName: CredentialFault = {
  code: 'variable-name',
  rule: 'the first argument is not the name of a variable',
  fix: 'put the secret into a variable and name that: READER_KEY',
};
