import { checkOptions, type Fault, type Shapes, wellShaped } from '@waymark/contract/declaring';
import { fault, type ProxyRuleFault } from './proxy-rules.ts';
import type { UpstreamDeclaration, UpstreamOptions } from './upstream.ts';

const upstreamShapes: Readonly<Record<keyof UpstreamOptions, Shapes[string]>> = {
  headers: 'options',
  bearerEnv: 'text',
  timeoutMs: 'number',
  declaredAt: 'text',
};

/** Finds what is wrong with the declaration of an upstream. @param twin the one of that name declared before it */
export function checkUpstream(
  { name, options }: UpstreamDeclaration,
  twin: UpstreamDeclaration | undefined,
  env: (name: string) => string | undefined,
): readonly Fault[] {
  const { baseUrl, given } = options;
  const { headers, bearerEnv, timeoutMs } = wellShaped(given, upstreamShapes);
  return [
    ...checkName(name, twin),
    ...checkUrl(baseUrl),
    ...checkOptions(given, upstreamShapes),
    ...(headers ? checkHeaders(headers, bearerEnv !== undefined) : []),
    ...(bearerEnv === undefined ? [] : checkBearer(bearerEnv, env)),
    ...(timeoutMs === undefined || isTimeout(timeoutMs) ? [] : [outOfRange]),
  ];
}

function checkName(name: unknown, twin: UpstreamDeclaration | undefined): readonly ProxyRuleFault[] {
  if (typeof name !== 'string' || name === '')
    return [fault('upstream-name', 'it has no name', "write upstream('desk', 'https://desk.example.com')")];
  if (!twin) return [];
  return [
    fault('upstream-taken', `it is declared at ${twin.declaredAt} already`, 'give one of them another name'),
  ];
}

/** The messages do not show what they are about: it may be a key. */
function checkUrl(text: unknown): readonly ProxyRuleFault[] {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return [fault('upstream-url', 'its base URL is no http or https URL', "write 'https://host/path'")];
  if (url.username !== '' || url.password !== '')
    return [fault('upstream-credentials', 'its base URL has credentials', 'name a variable with bearerEnv')];
  return url.hash === '' ? [] : [fault('upstream-url', 'its base URL has a fragment', 'take it out')];
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

function checkHeaders(headers: object, hasBearer: boolean): readonly ProxyRuleFault[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      return [fault('upstream-header', `"${name}" is no name of a header`, 'write letters, digits and "-"')];
    if (connectionHeaders.has(lower) || lower.startsWith('proxy-'))
      return [fault('upstream-header', `the header ${name} is about the connection`, 'take it out')];
    // The message does not show the value: it may be a key.
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return [fault('upstream-header', `the header ${name} holds what cannot be sent`, 'write a text')];
    return lower === 'authorization' && hasBearer
      ? [fault('upstream-header', `the header ${name} is also what bearerEnv sends`, 'take one of them out')]
      : [];
  });
}

function checkBearer(
  bearerEnv: string,
  env: (name: string) => string | undefined,
): readonly ProxyRuleFault[] {
  if (!/^[A-Za-z_]\w*$/.test(bearerEnv))
    return [
      fault('upstream-bearer', 'bearerEnv is not the name of a variable', "write bearerEnv: 'DESK_TOKEN'"),
    ];
  const token = env(bearerEnv) ?? '';
  if (token === '')
    return [
      fault('upstream-bearer', `the variable ${bearerEnv} is not set`, 'set it, or take bearerEnv out'),
    ];
  return /^[\x21-\x7e]+$/.test(token)
    ? []
    : [
        fault(
          'upstream-bearer',
          `the token in ${bearerEnv} holds a space or another character that no header can carry`,
          'set it to the token alone',
        ),
      ];
}

/** The longest time that a timer of the platform can wait. */
const longestMs = 2 ** 31 - 1;

const outOfRange = fault(
  'upstream-timeout',
  'timeoutMs is not from 1 to 2147483647',
  'write milliseconds, or leave it out',
);

/** The options that can be used; the check says what is wrong with the others. */
export function upstreamOptions(given: UpstreamOptions): UpstreamOptions {
  const { timeoutMs, ...others } = wellShaped(given, upstreamShapes);
  return { ...others, ...(timeoutMs !== undefined && isTimeout(timeoutMs) && { timeoutMs }) };
}

function isTimeout(ms: number): boolean {
  return ms >= 1 && ms <= longestMs;
}
