import {
  checkOptions,
  checkRequestHeaders,
  checkSecretVariable,
  type Fault,
  type Shapes,
  wellShaped,
} from '@waymark/contract/declaring';
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
    ...(headers ? checkRequestHeaders(headers, bearerEnv === undefined ? undefined : 'bearerEnv') : []).map(
      ({ rule, fix }) => fault('upstream-header', rule, fix),
    ),
    ...(bearerEnv === undefined ? [] : checkSecretVariable('bearerEnv', bearerEnv, env, true)).map(
      ({ rule, fix }) => fault('upstream-bearer', rule, fix),
    ),
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
