import { callSite, type Declaration } from '@waymark/contract/declaring';

/** What an API key can be declared with. */
export interface ApiKeyOptions {
  /** What the key may do; nothing. */
  readonly scopes?: readonly string[];
  /**
   * Whether the key is also taken as `Authorization: Bearer`; false. For clients that can send nothing else, such as
   * hosted MCP clients: what sends one header for everything may log it, or hand it on.
   */
  readonly bearer?: boolean;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** One declared API key; `name` is the id of its principal. It never holds the secret, only the variable that does. */
export type ApiKeyDeclaration = Declaration<
  'apiKey',
  { readonly env: string; readonly scopes: readonly string[]; readonly bearer?: boolean }
>;

/**
 * Declares an API key: whoever sends the secret in `x-api-key` is the principal `id`. With `bearer: true` it may come as
 * `Authorization: Bearer` instead; never as both.
 *
 * @param env the variable that holds the secret, read when the server starts
 */
export function apiKey(env: string, id: string, options: ApiKeyOptions = {}): ApiKeyDeclaration {
  // Options nobody knows are kept: `checkCredentials` names them.
  const { declaredAt = callSite(apiKey), scopes = [], ...unknown } = options;
  return { kind: 'apiKey', name: id, options: { ...unknown, env, scopes }, declaredAt };
}
