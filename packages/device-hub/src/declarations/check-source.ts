import { asText, checkRequestHeaders, checkSecretVariable, isOptions } from '@waymark/contract/declaring';
import { isMetadataHost } from '@waymark/contract/http';
import type { CameraOptions, DeviceDeclaration } from './device-declaration.ts';
import { type DeviceRuleFault, fault } from './rules.ts';

const ofSources = [
  'headers',
  'bearerEnv',
  'username',
  'passwordEnv',
] as const satisfies readonly (keyof CameraOptions)[];

/**
 * Finds what is wrong with where a camera is pulled from. No message shows the URL or a header: they may hold secrets.
 * Another type than that of an option is said already.
 */
export function checkSource(device: unknown, options: CameraOptions): readonly DeviceRuleFault[] {
  const { source, headers, bearerEnv, username, passwordEnv } = options;
  if (source === undefined)
    return ofSources
      .filter((name) => options[name] !== undefined)
      .map((name) =>
        fault('device-source', `${name} is set, and there is no source to send it to`, 'take it out'),
      );
  const url = typeof source === 'string' && URL.canParse(source) ? new URL(source) : undefined;
  const ways = [
    ...(url && url.username + url.password !== '' ? ['the source itself'] : []),
    ...(bearerEnv === undefined ? [] : ['bearerEnv']),
    ...(username === undefined ? [] : ['username']),
  ];
  return [
    ...(typeof source === 'string' ? checkUrl(asText(device), url) : []),
    ...(isOptions(headers) ? checkRequestHeaders(headers, ways[0]) : []).map(({ rule, fix }) =>
      fault('device-source', rule, fix),
    ),
    ...(ways.length > 1
      ? [fault('device-source', `${ways.join(' and ')} say who asks`, 'take all but one of them out')]
      : []),
    ...checkLogin(username, passwordEnv),
  ];
}

function checkUrl(device: string, url: URL | undefined): readonly DeviceRuleFault[] {
  if (url?.protocol === 'rtsp:' || url?.protocol === 'rtsps:')
    return [
      fault(
        'device-source',
        'its source is RTSP, which is read beside the camera and pushed from there',
        `take it out, and run: waymark push --device ${device} rtsp://…`,
      ),
    ];
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return [
      fault('device-source', 'its source is no http or https URL', "write 'http://camera.lan/still.jpg'"),
    ];
  if (isMetadataHost(url.hostname))
    return [
      fault(
        'device-source',
        'its source is an address of cloud metadata, which is never asked',
        "write where the camera is: 'http://camera.lan/still.jpg'",
      ),
    ];
  try {
    decodeURIComponent(url.username + url.password);
    return [];
  } catch {
    return [
      fault(
        'device-source',
        'the credentials in its source are not percent-encoded',
        'write username and passwordEnv instead',
      ),
    ];
  }
}

function checkLogin(username: unknown, passwordEnv: unknown): readonly DeviceRuleFault[] {
  if ((username === undefined) !== (passwordEnv === undefined)) {
    const [has, lacks] = username === undefined ? ['passwordEnv', 'username'] : ['username', 'passwordEnv'];
    return [fault('device-source', `${has} is set without ${lacks}`, `write ${lacks}, or take ${has} out`)];
  }
  // What separates it from the password, and what no header can carry.
  if (typeof username !== 'string' || /^[^:\p{Cc}]+$/u.test(username)) return [];
  return [
    fault('device-source', 'username is empty, or holds ":" or a control character', 'write the name alone'),
  ];
}

/** Finds variables that hold no secret, whatever else is wrong with a declaration; what is no name is said already. */
export function checkSecrets(
  { kind, options }: DeviceDeclaration,
  env: (name: string) => string | undefined,
): readonly DeviceRuleFault[] {
  if (kind === 'sensor' || !isOptions(options)) return [];
  const { source, bearerEnv, passwordEnv } = options;
  if (source === undefined) return [];
  return [
    ...(typeof bearerEnv !== 'string' ? [] : checkSecretVariable('bearerEnv', bearerEnv, env, true)),
    ...(typeof passwordEnv !== 'string' ? [] : checkSecretVariable('passwordEnv', passwordEnv, env, false)),
  ].map(({ rule, fix }) => fault('device-source', rule, fix));
}
