import type { Problem, Route } from '@waymark/contract';
import { type Fault, type RuleBook, toProblems } from '@waymark/contract/declaring';
import type { Settings } from '../options/settings.ts';

/** What holds between the limits of an application and those of its routes. */
export const limitRules = {
  'limit-under-body': 'What one caller may hold has room for the largest body that a route takes.',
} as const satisfies RuleBook;

type LimitFault = Fault<keyof typeof limitRules>;

/** Says which route takes bodies that no caller can ever send: a warning, of the largest one. */
export function checkLimits(
  routes: Iterable<Route>,
  { limits, declaredAt }: Pick<Settings, 'limits' | 'declaredAt'>,
): readonly Problem[] {
  const name = limits.bodyBytes < limits.bodyBytesPerCaller ? 'bodyBytes' : 'bodyBytesPerCaller';
  const [largest] = [...routes].filter(keepsBody).sort((a, b) => b.maxBodyBytes - a.maxBodyBytes);
  if (!largest || largest.maxBodyBytes <= limits[name]) return [];
  const takes = `${largest.socket ? 'messages' : 'bodies'} of ${largest.maxBodyBytes} bytes`;
  const fault: LimitFault = {
    code: 'limit-under-body',
    severity: 'warning',
    rule: `limits.${name} is ${limits[name]}, and route "${largest.name}" takes ${takes}`,
    fix: `write limits: { ${name}: ${largest.maxBodyBytes} }, or give the route a smaller maxBodyBytes`,
  };
  return toProblems('application', declaredAt, [fault]);
}

/** A body of any size has a warning of its own, and one that its engine reads as it comes is not kept. */
function keepsBody({ socket, body, maxBodyBytes }: Route): boolean {
  return Number.isFinite(maxBodyBytes) && (socket || (body !== 'none' && body !== 'source'));
}
