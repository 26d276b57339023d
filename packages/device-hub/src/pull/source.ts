import type { CameraOptions } from '../declarations/device-declaration.ts';
import type { Login } from './digest.ts';

/** Where the pictures of a pulled camera are, and how one gets in. */
export interface SourceSettings {
  /** Without the credentials that may have stood in it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bearerEnv: string | undefined;
  /** From the URL. */
  readonly login: Login | undefined;
  readonly username: string | undefined;
  readonly passwordEnv: string | undefined;
}

/** Takes the options of a pulled camera apart; undefined without a source. @param options sound ones */
export function toSource({
  source,
  headers = {},
  bearerEnv,
  username,
  passwordEnv,
}: CameraOptions): SourceSettings | undefined {
  if (source === undefined) return undefined;
  const url = new URL(source);
  const login =
    url.username === '' && url.password === ''
      ? undefined
      : { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  url.username = '';
  url.password = '';
  url.hash = '';
  return { url: url.href, headers, bearerEnv, login, username, passwordEnv };
}

/** What is sent, and who asks, with the secrets in it. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly login: Login | undefined;
}

/** Looks the secrets up that a source names. */
export function readCredentials(
  { headers, bearerEnv, login, username, passwordEnv }: SourceSettings,
  env: (name: string) => string | undefined,
): Credentials {
  const bearer = bearerEnv === undefined ? {} : { authorization: `Bearer ${env(bearerEnv) ?? ''}` };
  const password = passwordEnv === undefined ? '' : (env(passwordEnv) ?? '');
  return {
    headers: { ...headers, ...bearer },
    login: username === undefined ? login : { username, password },
  };
}
