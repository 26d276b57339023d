/** What is wrong with what a declaration sends to another service; it never shows a value, which may be a key. */
export interface HeaderFault {
  readonly rule: string;
  readonly fix: string;
}

/** They say how one connection is used, and this one is ours (RFC 9110, 7.6.1). */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Finds headers that a request to another service cannot carry.
 *
 * @param authorizedBy the option that sends `Authorization`, where there is one
 */
export function checkRequestHeaders(
  headers: object,
  authorizedBy: string | undefined,
): readonly HeaderFault[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      return [{ rule: `"${name}" is no name of a header`, fix: 'write letters, digits and "-"' }];
    if (connectionHeaders.has(lower) || lower.startsWith('proxy-'))
      return [{ rule: `the header ${name} is about the connection`, fix: 'take it out' }];
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return [{ rule: `the header ${name} holds what cannot be sent`, fix: 'write a text' }];
    return lower === 'authorization' && authorizedBy !== undefined
      ? [{ rule: `the header ${name} is also what ${authorizedBy} sends`, fix: 'take one of them out' }]
      : [];
  });
}

/**
 * Finds a variable that holds no secret, by the option that names it.
 *
 * @param isToken it is sent as a bearer token, which has no spaces
 */
export function checkSecretVariable(
  option: string,
  variable: string,
  env: (name: string) => string | undefined,
  isToken: boolean,
): readonly HeaderFault[] {
  if (!/^[A-Za-z_]\w*$/.test(variable))
    return [
      {
        rule: `${option} is not the name of a variable`,
        fix: `write ${option}: '${isToken ? 'DESK_TOKEN' : 'DESK_PASSWORD'}'`,
      },
    ];
  const secret = env(variable) ?? '';
  if (secret === '')
    return [{ rule: `the variable ${variable} is not set`, fix: `set it, or take ${option} out` }];
  return !isToken || /^[\x21-\x7e]+$/.test(secret)
    ? []
    : [
        {
          rule: `the token in ${variable} holds a space or another character that no header can carry`,
          fix: 'set it to the token alone',
        },
      ];
}
