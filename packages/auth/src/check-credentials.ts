import { anonymous, nearest, type Problem } from '@waymark/contract';
import type { ApiKeyDeclaration } from './api-key.ts';

/** The fewest bytes of a secret: 128 bits, when they are random (decision 3.1). */
const minSecretBytes = 16;

const knownOptions = ['env', 'scopes'];
const reservedPrefixes = ['agent:', 'behaviour:', 'flow:', 'watcher:'];

/**
 * Finds everything wrong with the declared credentials, before the server listens. No text shows any part of a secret.
 *
 * @param env reads one environment variable
 */
export function checkCredentials(
  declarations: readonly ApiKeyDeclaration[],
  env: (name: string) => string | undefined,
): readonly Problem[] {
  const ids = new Map<string, ApiKeyDeclaration>();
  const secrets = new Map<string, ApiKeyDeclaration>();
  return declarations.flatMap((declaration) => {
    const secret = env(declaration.options.env) ?? '';
    const problems = [
      ...idProblems(declaration.name, ids.get(declaration.name)),
      ...secretProblems(declaration.options.env, secret, secrets.get(secret)),
      ...optionProblems(declaration),
    ];
    if (!ids.has(declaration.name)) ids.set(declaration.name, declaration);
    if (secret !== '' && !secrets.has(secret)) secrets.set(secret, declaration);
    return problems.map((problem) => ({
      declaration: `apiKey "${declaration.name}"`,
      ...problem,
      at: declaration.declaredAt,
    }));
  });
}

type Found = Omit<Problem, 'declaration' | 'at'>;

/** Rows of memory and sessions belong to ids, so two kinds of identity must never share one. */
function idProblems(id: string, twin: ApiKeyDeclaration | undefined): readonly Found[] {
  if (id === '') return [{ rule: 'the id is empty' }];
  if (id === anonymous().id)
    return [{ rule: `the id "${id}" is that of a caller without credentials`, fix: 'choose another id' }];
  const prefix = reservedPrefixes.find((reserved) => id.startsWith(reserved));
  if (prefix !== undefined)
    return [
      { rule: `ids that begin with "${prefix}" belong to the service itself`, fix: 'choose another id' },
    ];
  return twin ? [{ rule: `the id is taken by the key declared at ${twin.declaredAt}` }] : [];
}

function secretProblems(env: string, secret: string, twin: ApiKeyDeclaration | undefined): readonly Found[] {
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

function optionProblems({ options }: ApiKeyDeclaration): readonly Found[] {
  const { scopes } = options;
  const areWords =
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === 'string' && /^[\x21-\x7e]+$/.test(scope));
  return [
    ...(areWords ? [] : [{ rule: 'scopes are not a list of words without spaces' }]),
    ...Object.keys(options)
      .filter((name) => !knownOptions.includes(name))
      .map((name) => {
        const close = nearest(name, knownOptions);
        return { rule: `unknown option "${name}"`, ...(close !== undefined && { nearest: close }) };
      }),
  ];
}
