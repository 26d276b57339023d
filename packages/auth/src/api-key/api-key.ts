import { callSite, type Declaration } from '@waymark/contract/declaring';

/** Options of an API key. */
export interface ApiKeyOptions {
  /** Scopes of the key; default: none. */
  readonly scopes?: readonly string[];
  /**
   * Takes the key as `Authorization: Bearer` too; default: false. For clients that can send nothing else, such as hosted
   * MCP clients: other programs may log that header or pass it on.
   */
  readonly bearer?: boolean;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/**
 * Declaration of an API key, as `apiKey` returns it: `name` is the id of its principal, `env` the variable with the
 * secret.
 */
export type ApiKeyDeclaration = Declaration<
  'apiKey',
  { readonly env: string; readonly scopes: readonly string[]; readonly bearer?: boolean }
>;

/**
 * Declares an API key: a request with the secret in `x-api-key` is from the principal `id`. With `bearer: true` it may be
 * in `Authorization: Bearer` instead, never in both.
 *
 * @param env name of the environment variable with the secret, read when the server starts
 * @param id id of the principal, different for each key
 */
export function apiKey(env: string, id: string, options: ApiKeyOptions = {}): ApiKeyDeclaration {
  // Options nobody knows are kept: `checkCredentials` names them.
  const { declaredAt = callSite(apiKey), scopes = [], ...unknown } = options;
  return { kind: 'apiKey', name: id, options: { ...unknown, env, scopes }, declaredAt };
}
