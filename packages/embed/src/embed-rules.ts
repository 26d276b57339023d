import type { Problem, RouteTable } from '@waymark/contract';
import { checkOptions, type Fault, type RuleBook, toProblems } from '@waymark/contract/declaring';
import type { Plugin } from '@waymark/contract/engine';
import { checkRoutes } from '@waymark/contract/route';
import { checkMountPath, checkPolicies } from '@waymark/http';
import { type EmbedOptions, optionShapes } from './embed-options.ts';

/** Rules of what is embedded, by the `code` that a problem carries. */
export const embedRules = {
  'embed-part': 'What is embedded are lists of routes and of plugins.',
  'embed-function': 'What is called for each request is a function.',
  'embed-time': 'The time to close is a number of milliseconds.',
  'plugin-twice': 'Two plugins never have the same name.',
  'plugin-need': 'What a plugin needs is there.',
  'nobody-known': 'Routes that need scopes have somebody who can have them.',
} as const satisfies RuleBook;

type EmbedFault = Fault<keyof typeof embedRules>;

/** What keeps a table from being made at all: options of JavaScript that have another form than theirs. */
export function checkForm(options: EmbedOptions): readonly Problem[] {
  const misshapen = checkOptions(options, optionShapes);
  if (misshapen.some(({ code }) => code === 'options-form')) return toProblems('embed', undefined, misshapen);
  const { shutdownTimeoutMs = 0 } = options;
  return toProblems('embed', undefined, [
    ...misshapen,
    ...checkParts('routes', options.routes, isRoute),
    ...checkParts('plugins', options.plugins, isPlugin),
    ...functions.filter((name) => !isFunction(options[name])).map(noFunction),
    ...(Number.isFinite(shutdownTimeoutMs) && shutdownTimeoutMs >= 0 ? [] : [noTime]),
  ]);
}

/** Everything else that is wrong with what is embedded, and what is odd about it. */
export function checkEmbedded(options: EmbedOptions, table: RouteTable): readonly Problem[] {
  const { plugins = [], models, devices, mountPath = '' } = options;
  const { env = (name) => process.env[name] } = options;
  const boot = { table, env, ...(models && { models }), ...(devices && { devices }) };
  return [
    ...table.problems,
    ...checkPolicies(options),
    ...checkMountPath(mountPath),
    ...plugins.flatMap((plugin) => checkPlugin(plugin, options)),
    ...plugins.flatMap((plugin) => plugin.check?.(boot) ?? []),
    ...checkRoutes(table),
    ...checkCallers(options, table),
  ];
}

const functions = [
  ...(['authenticate', 'principalOf', 'controlRule', 'challenge', 'isOwnPath'] as const),
  'problemPage' as const,
  ...(['log', 'emit', 'env', 'newId', 'now', 'monotonic'] as const),
];

function isFunction(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}

function noFunction(name: string): EmbedFault {
  return { code: 'embed-function', rule: `${name} is not a function` };
}

const noTime: EmbedFault = {
  code: 'embed-time',
  rule: 'shutdownTimeoutMs is not a number from 0',
  fix: 'write milliseconds: 25_000',
};

function checkParts(
  name: 'routes' | 'plugins',
  parts: unknown,
  fits: (part: unknown) => boolean,
): readonly EmbedFault[] {
  const one = name === 'routes' ? 'what defineRoute gives' : '{ name, routes }';
  const fix = `write ${name}: […], each of it ${one}`;
  if (parts === undefined || (Array.isArray(parts) && parts.every(fits))) return [];
  if (!Array.isArray(parts)) return [{ code: 'embed-part', rule: `${name} is not a list`, fix }];
  if (parts.some(Array.isArray))
    return [{ code: 'embed-part', rule: `a list stands in ${name}`, fix: `spread it: ${name}: [...parts]` }];
  if (parts.some((part) => part instanceof Promise))
    return [{ code: 'embed-part', rule: `a promise stands in ${name}`, fix: 'await it' }];
  const other = name === 'routes' ? isPlugin : isRoute;
  if (parts.some(other)) {
    const [is, where] = name === 'routes' ? ['a plugin', 'plugins'] : ['a route', 'routes'];
    return [{ code: 'embed-part', rule: `${is} stands in ${name}`, fix: `write it in ${where}` }];
  }
  return [{ code: 'embed-part', rule: `something in ${name} is none`, fix }];
}

function isPlugin(part: unknown): boolean {
  return isObject(part) && typeof part['name'] === 'string' && Array.isArray(part['routes']);
}

function isRoute(part: unknown): boolean {
  return isObject(part) && isObject(part['engine']) && Array.isArray(part['problems']);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Where each thing that a plugin may need comes from; an outbound client there always is. */
const sources: Readonly<Record<string, string>> = {
  runner: 'give `runner`: createRunner() of @waymark/runs makes one',
  models: 'give `models`: the client of createModels() of @waymark/models',
  database: 'give `database`: openDatabase() of @waymark/data makes one',
  devices: 'give `devices`: a member of what deviceHub() of @waymark/device-hub returns',
};

function checkPlugin(plugin: Plugin, options: EmbedOptions): readonly Problem[] {
  const { plugins = [] } = options;
  const { name, needs = [] } = plugin;
  const missing = needs.filter((need) => need !== 'outbound' && options[need] === undefined);
  const faults: readonly EmbedFault[] = [
    ...(plugins.find((other) => other.name === name) === plugin ? [] : [takenName]),
    ...missing.map(
      (need): EmbedFault => ({
        code: 'plugin-need',
        rule: `needs ${need}`,
        ...(sources[need] !== undefined && { fix: sources[need] }),
      }),
    ),
  ];
  return toProblems(`plugin "${name}"`, undefined, faults);
}

const takenName: EmbedFault = {
  code: 'plugin-twice',
  rule: 'another plugin has this name',
  fix: 'take one of the two out, or give it another name',
};

/** Without anybody to ask all are anonymous: safe, and rarely meant where routes need scopes. */
function checkCallers(
  { authenticate, principalOf }: EmbedOptions,
  table: RouteTable,
): readonly (Problem & { readonly severity?: 'warning' })[] {
  if (authenticate || principalOf) return [];
  const closed = [...table].filter(({ scopes }) => scopes.length > 0).length;
  if (closed === 0) return [];
  const fault: EmbedFault = {
    code: 'nobody-known',
    severity: 'warning',
    rule: `nobody can be authenticated, so that ${closed} routes which need scopes refuse everybody`,
    fix: 'give principalOf or authenticate',
  };
  return toProblems('embed', undefined, [fault]);
}
