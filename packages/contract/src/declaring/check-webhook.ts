import { isMetadataHost } from '../http/metadata-hosts.ts';
import type { WebhookEndpoint } from '../stores/delivery.ts';
import { checkSecretVariable, type HeaderFault } from './check-request-headers.ts';

/** What is wrong with where webhooks go; it shows neither URL nor secret. A warning does not keep a server from starting. */
export interface WebhookFault extends HeaderFault {
  readonly severity?: 'warning';
}

/** What the options of an endpoint are called where it is declared. */
export interface WebhookOptionNames {
  readonly url: string;
  readonly secretEnv: string;
  readonly bearerEnv: string;
}

/**
 * Finds what is wrong with where webhooks go and with what they are signed with. Options of another type than theirs are
 * passed over: `checkOptions` names those.
 *
 * @param names of the options, for the messages
 */
export function checkWebhook(
  endpoint: { readonly [Option in keyof Omit<WebhookEndpoint, 'name'>]?: unknown },
  env: (name: string) => string | undefined,
  names: WebhookOptionNames = { url: 'url', secretEnv: 'secretEnv', bearerEnv: 'bearerEnv' },
): readonly WebhookFault[] {
  const { url, secretEnv, bearerEnv } = endpoint;
  return [
    ...(typeof url === 'string' ? checkUrl(url, names) : []),
    ...(typeof secretEnv === 'string' ? checkSecrets(secretEnv, names.secretEnv, env) : []),
    ...(typeof bearerEnv === 'string' ? checkSecretVariable(names.bearerEnv, bearerEnv, env, true) : []),
    ...(secretEnv === undefined ? [unsigned(names.secretEnv)] : []),
  ];
}

/** The signing secrets in the text of a variable, newest first: they stand between spaces or commas. */
export function splitSecrets(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((secret) => secret !== '');
}

function checkUrl(text: string, names: WebhookOptionNames): readonly WebhookFault[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return [{ rule: `${names.url} is no http or https URL`, fix: "write 'https://host/path'" }];
  if (url.username !== '' || url.password !== '')
    return [
      {
        rule: `${names.url} has credentials in it`,
        fix: `take them out, and name a variable with a token by ${names.bearerEnv}`,
      },
    ];
  if (isMetadataHost(url.hostname))
    return [
      { rule: `${names.url} is an address of cloud metadata`, fix: 'write where your receiver listens' },
    ];
  if (url.protocol === 'https:' || isPrivate(url.hostname)) return [];
  return [
    {
      severity: 'warning',
      rule: `${names.url} is not encrypted, and leads to the public internet`,
      fix: 'write https',
    },
  ];
}

/** Of all that the specification of Standard Webhooks allows; a key of another length is one that was cut or mistyped. */
const secretBytes = { least: 24, most: 64 } as const;

function checkSecrets(
  variable: string,
  option: string,
  env: (name: string) => string | undefined,
): readonly WebhookFault[] {
  if (!/^[A-Za-z_]\w*$/.test(variable))
    return [{ rule: `${option} is not the name of a variable`, fix: `write ${option}: 'WEBHOOK_SECRET'` }];
  const unset = checkSecretVariable(option, variable, env, false);
  if (unset.length > 0) return unset;
  const secrets = splitSecrets(env(variable) ?? '');
  if (secrets.length > 0 && secrets.every(isSecret)) return [];
  const { least, most } = secretBytes;
  return [
    {
      rule: `${variable} holds what is no signing secret: whsec_ and the base64 of ${least} to ${most} bytes`,
      fix: 'make one with: echo "whsec_$(openssl rand -base64 32)"',
    },
  ];
}

function isSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (base64 === undefined || base64.length % 4 !== 0) return false;
  const bytes = atob(base64).length;
  return bytes >= secretBytes.least && bytes <= secretBytes.most;
}

function unsigned(option: string): WebhookFault {
  return {
    severity: 'warning',
    rule: 'its messages are not signed, so its receiver cannot tell them from those of others',
    fix: `name a variable with a secret by ${option}`,
  };
}

/** Networks of a house or a company, and names that only those have. */
const privateHosts =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|\[(?:::1\]|f[cd]|fe[89ab]))|^[^.:[\]]+$|\.(?:local|lan|home|internal|intranet|localhost|test|home\.arpa)\.?$/;

function isPrivate(host: string): boolean {
  return privateHosts.test(host);
}
