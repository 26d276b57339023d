import { type ApiKeyDeclaration, apiKey } from '@waymark/auth';

/** An environment that holds these variables and no others. */
export function environment(
  variables: Readonly<Record<string, string>>,
): (name: string) => string | undefined {
  const known = new Map(Object.entries(variables));
  return (name) => known.get(name);
}

/** The two keys that most tests use, with secrets long enough. */
export const operatorSecret = 'operator-secret-0123456789';
export const readerSecret = 'reader-secret-0123456789ab';

export const env = environment({ OPERATOR_KEY: operatorSecret, READER_KEY: readerSecret });

export const keys: readonly ApiKeyDeclaration[] = [
  apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'tickets:read'] }),
  apiKey('READER_KEY', 'reader', { scopes: ['tickets:read'] }),
];
