import type { Api, Operation, Scheme } from '../model/api.ts';

/** Three parts, of which the first is JSON in base64url. */
const tokenShape = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

/** How a key is shown to the service: a token where it looks like one, and tokens are taken. */
function schemeOf({ schemes }: Pick<Api, 'schemes'>, key: string): Scheme {
  if (!schemes.includes('apiKey') && schemes.includes('bearer')) return 'bearer';
  return tokenShape.test(key) && (schemes.length === 0 || schemes.includes('bearer')) ? 'bearer' : 'apiKey';
}

/** The header that a key goes in. */
export function credentialHeader(api: Pick<Api, 'schemes'>, key: string): readonly [string, string] {
  return schemeOf(api, key) === 'bearer' ? ['authorization', `Bearer ${key}`] : ['x-api-key', key];
}

/** What stands for a key in a snippet, which is never the key itself; undefined where a call needs none. */
export function placeholderOf(api: Api, { access }: Operation, key: string | undefined): Scheme | undefined {
  if (api.schemes.length === 0 || (access.open && key === undefined)) return undefined;
  return schemeOf(api, key ?? '');
}
