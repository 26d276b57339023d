import { checkOptions, isOptions, type Shapes } from '../declaring/check-options.ts';
import { checkScopes } from '../declaring/check-scopes.ts';
import { nearestOr } from '../declaring/nearest.ts';
import type { Fault, RuleBook } from '../declaring/rule-book.ts';
import type { Approver, Method } from './route.ts';
import type { RouteFacts } from './route-facts.ts';
import { namePattern } from './route-name.ts';
import type { EngineRouteOptions } from './to-route.ts';

/** What holds for methods, names and options of routes. */
export const routeOptionRules = {
  'unknown-method': 'A route has one of the methods GET, POST, PUT, PATCH, DELETE.',
  'tool-name-form': 'A tool name is 1 to 64 letters, digits, "_" or "-".',
  'socket-tool': 'A route that only answers upgrades is no tool.',
  'option-range': 'Limits are not negative, and times are more than nothing.',
  'deprecated-day': 'A route is deprecated since a day of the calendar.',
  'approver-without-gate': 'A route that says who approves asks for approval.',
} as const satisfies RuleBook;

type RouteOptionFault = Fault<keyof typeof routeOptionRules>;

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Every option a route can be declared with; the record makes the compiler check that none is missing. */
export const routeShapes: Readonly<Record<keyof EngineRouteOptions, Shapes[string]>> = {
  tool: 'boolean',
  toolName: 'text',
  // Looked at below, and by what reads schemas.
  ...{ scopes: 'any', input: 'any', output: 'any' },
  approval: ['never', 'required'],
  approver: 'options',
  ...{ readOnly: 'boolean', idempotent: 'boolean', destructive: 'boolean' },
  ...{ summary: 'text', description: 'text', deprecated: 'text' },
  ...{ maxBodyBytes: 'number', maxBodyValues: 'number', timeoutMs: 'number' },
  strictQuery: 'boolean',
  retry: 'options',
  cors: 'options',
  placement: ['any', 'owner'],
  declaredAt: 'text',
  body: ['none', 'any', 'json', 'bytes', 'source'],
  plane: ['data', 'control'],
  ...{ socket: 'boolean', strict: 'boolean', progress: 'boolean' },
  facts: 'options',
};

const approverShapes: Readonly<Record<keyof Approver, Shapes[string]>> = {
  scope: 'text',
  fourEyes: 'boolean',
  expiresMs: 'number',
};

const factShapes: Readonly<Record<keyof RouteFacts, Shapes[string]>> = {
  ...{ takes: 'options', answers: 'options', reads: 'options', sends: 'options' },
  // Lists and words, which the compiler knows.
  ...{ fails: 'any', failsAs: 'any', client: 'any' },
  ...{
    ...{ atOnce: 'boolean', named: 'boolean', feed: 'boolean' },
    startsRun: ['agent', 'behaviour', 'flow'],
    toolInput: 'options',
  },
  ...{ memory: 'text', device: 'text', describedBy: 'text', opensSessions: 'boolean' },
};

/** Finds what is wrong with the method of a route. */
export function checkMethod(method: string): readonly RouteOptionFault[] {
  if (methods.some((known) => known === method)) return [];
  const rule = `unknown method "${method}"`;
  return [
    { code: 'unknown-method', rule, ...nearestOr(`write one of ${methods.join(', ')}`, method, methods) },
  ];
}

/** Finds what is wrong with the options that every route takes, schemas apart. */
export function checkRouteOptions(options: EngineRouteOptions): readonly Fault[] {
  const { toolName, scopes = [], approver, approval, tool, socket, deprecated, facts } = options;
  return [
    ...checkOptions(options, routeShapes),
    ...(typeof toolName === 'string' ? checkToolName(toolName) : []),
    ...(tool === true && socket === true ? [socketTool] : []),
    ...checkScopes(scopes),
    ...(approver === undefined ? [] : checkApprover(approver, approval)),
    ...(isOptions(facts) ? checkOptions(facts, factShapes, 'facts.') : []),
    ...(typeof deprecated === 'string' && !isDay(deprecated) ? [noDay(deprecated)] : []),
    ...checkLimits(options),
  ];
}

function isDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // `Date` takes the 30th of February for the 2nd of March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

function noDay(text: string): RouteOptionFault {
  return {
    code: 'deprecated-day',
    rule: `deprecated: "${text}" is not a day`,
    fix: 'write the day since when, like "2026-11-20"',
  };
}

const socketTool: RouteOptionFault = {
  code: 'socket-tool',
  rule: 'a route that only answers upgrades cannot be a tool',
  fix: 'leave tool out, or declare a route beside it that answers requests',
};

function checkToolName(name: string): readonly RouteOptionFault[] {
  if (namePattern.test(name)) return [];
  const meant = name
    .trim()
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    .slice(0, 64);
  return [
    {
      code: 'tool-name-form',
      rule: `tool name "${name}" is not 1 to 64 letters, digits, "_" or "-"`,
      fix: /[a-zA-Z0-9]/.test(meant) ? `write "${meant}"` : 'leave it out: names are derived from the path',
    },
  ];
}

function checkApprover(approver: Approver, approval: unknown): readonly Fault[] {
  const shaped = checkOptions(approver, approverShapes, 'approver.');
  if (shaped.length > 0) return shaped.some(({ code }) => code === 'options-form') ? [] : shaped;
  const { scope, expiresMs } = approver;
  return [
    ...(scope === undefined ? [] : checkScopes([scope])),
    ...(expiresMs === undefined || expiresMs > 0
      ? []
      : [tooLittle('approver.expiresMs', 'a positive number of milliseconds')]),
    ...(approval === undefined || approval === 'never' ? [ungated] : []),
  ];
}

/** Whoever names an approver means to gate the route, and it would run at once. */
const ungated: RouteOptionFault = {
  code: 'approver-without-gate',
  rule: 'an approver is named, and nobody is asked: approval is never',
  fix: "write approval: 'required', or take the approver out",
};

function checkLimits({
  maxBodyBytes = 0,
  maxBodyValues = 1,
  timeoutMs = 1,
}: EngineRouteOptions): readonly RouteOptionFault[] {
  return [
    ...(typeof maxBodyBytes !== 'number' || maxBodyBytes >= 0
      ? []
      : [tooLittle('maxBodyBytes', 'a number of bytes')]),
    ...(typeof maxBodyValues !== 'number' || maxBodyValues >= 1
      ? []
      : [tooLittle('maxBodyValues', 'a number of values from 1')]),
    ...(typeof timeoutMs !== 'number' || timeoutMs > 0
      ? []
      : [tooLittle('timeoutMs', 'a positive number of milliseconds')]),
  ];
}

function tooLittle(option: string, words: string): RouteOptionFault {
  return { code: 'option-range', rule: `${option} is not ${words}`, fix: `write ${words}, or leave it out` };
}
