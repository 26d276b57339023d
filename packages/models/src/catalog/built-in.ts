import type { Aliases } from '../models.ts';
import type { Provider } from './catalog.ts';

/** The aliases there are before anything is declared (decision 6.1). */
export const builtInAliases: Aliases = {
  default: 'claude-opus-5',
  fast: 'claude-haiku-4-5-20251001',
};

/** Bare names that find their provider. */
const bareNames: readonly (readonly [RegExp, string])[] = [
  [/^claude-/, 'anthropic'],
  [/^gpt-/, 'openai'],
  [/^o\d/, 'openai'],
];

/** The provider of a bare name; undefined when it needs a prefix. */
export function providerOfBareName(model: string): string | undefined {
  return bareNames.find(([pattern]) => pattern.test(model))?.[1];
}

/** The version header of kind `anthropic`: the widest compatibility, and `temperature` is legal. */
export const defaultAnthropicVersion = '2023-06-01';

/** The providers there are before anything is declared. */
export function builtInProviders(env: (name: string) => string | undefined): readonly Provider[] {
  return [
    {
      name: 'anthropic',
      kind: 'anthropic',
      baseUrl: 'https://api.anthropic.com',
      apiKeyEnv: 'ANTHROPIC_API_KEY',
      auth: 'x-api-key',
      anthropicVersion: defaultAnthropicVersion,
      builtIn: true,
    },
    {
      name: 'openai',
      kind: 'openai',
      baseUrl: 'https://api.openai.com/v1',
      apiKeyEnv: 'OPENAI_API_KEY',
      auth: 'bearer',
      builtIn: true,
    },
    {
      name: 'ollama',
      kind: 'openai',
      baseUrl: `${ollamaOrigin(env('OLLAMA_HOST'))}/v1`,
      apiKeyEnv: undefined,
      auth: 'bearer',
      builtIn: true,
    },
  ];
}

/**
 * Where Ollama listens. Its variable is read by the server, too, which takes `host`, `host:port`, `:port` and URLs, and
 * addresses that only a server can listen on.
 */
export function ollamaOrigin(host = ''): string {
  const [, scheme = 'http', rest = ''] = /^(?:(https?):\/\/)?(.*?)\/*$/.exec(host.trim()) ?? [];
  const [, address = '', port] = /^(.*?)(?::(\d+))?$/.exec(rest) ?? [];
  const name = address === '' || address === '0.0.0.0' || address === '[::]' ? '127.0.0.1' : address;
  return `${scheme}://${name}:${port ?? (scheme === 'https' ? '443' : '11434')}`;
}
