import { es256 } from '../corpora/sign.ts';
import { picture } from '../hub-pictures.ts';
import type { Asked, Said } from './failing-origin.ts';
import type { LineFacts } from './lines.ts';

/** What an upstream has, one in one piece and one that is streamed. */
export const things = { small: 'x'.repeat(2_000), large: 'y'.repeat(400_000) } as const;

/** What a model says. */
export const spoken = 'Hello.';

/** How each kind of origin answers when all is well. */
export const answers: Readonly<Record<LineFacts['kind'], (asked: Asked, url: string) => Said>> = {
  issuer: ({ path }, url) =>
    path === '/keys'
      ? { body: JSON.stringify({ keys: [es256.jwk] }) }
      : { body: JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }) },
  upstream: ({ method, path, body }) => ({
    ...{ type: 'text/plain' },
    body: method === 'POST' ? body : path === '/large' ? things.large : things.small,
  }),
  model: () => ({
    body: JSON.stringify({
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5' },
      content: [{ type: 'text', text: spoken }],
      ...{ stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } },
    }),
  }),
  webhook: () => ({ body: '' }),
  camera: () => ({ type: 'image/png', body: picture(20_000) }),
};
