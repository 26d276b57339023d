import type { Route, RouteTable } from '@waymark/contract';
import { checkScopes, checkWebhook, type Fault, nearestOr } from '@waymark/contract/declaring';
import type { Boot } from '@waymark/contract/engine';
import type { DeviceFacts } from '@waymark/contract/hub';
import { maxInputLength, takesImages } from '../run/run-input.ts';
import type { WatchDeclaration } from './watch.ts';
import { fault, type WatchFault } from './watch-rules.ts';
import { toSettings, type WatchSettings } from './watch-settings.ts';

/**
 * Finds names that stand for nothing, and what a watcher lacks to run its agent, whatever else is wrong with it. What it
 * shows by itself is said already.
 */
export function checkUses(declaration: WatchDeclaration, { table, devices, env }: Boot): readonly Fault[] {
  const settings = toSettings(declaration);
  const declared = devices?.declared ?? [];
  const device = declared.find(({ name }) => name === settings.device);
  const agent = agentOf(table, settings.agent);
  return [
    ...(device || settings.device === ''
      ? []
      : [unknown('watch-device', 'device', settings.device, declared)]),
    ...(agent || settings.agent === '' ? [] : [unknownAgent(settings, table)]),
    ...(agent ? checkAgent(settings, agent, device) : []),
    ...(agent && areScopes(declaration.options.scopes) ? checkStart(settings, agent) : []),
    ...checkUrl(settings, env),
  ];
}

/** Whether a name is that of an agent, tool or not. */
function agentOf(table: RouteTable, name: string): Route | undefined {
  const route = table.get(name);
  return route?.facts.startsRun === 'agent' ? route : undefined;
}

function unknownAgent({ agent }: WatchSettings, table: RouteTable): WatchFault {
  return unknown('watch-agent', 'agent', agent, agentsOf(table));
}

function unknown(
  code: 'watch-device' | 'watch-agent',
  what: 'device' | 'agent',
  name: string,
  known: readonly { readonly name: string }[],
): WatchFault {
  const names = known.map((one) => one.name);
  return { code, rule: `unknown ${what} "${name}"`, ...nearestOr('declare it', name, names) };
}

function areScopes(scopes: unknown): boolean {
  return scopes === undefined || checkScopes(scopes).length === 0;
}

function checkStart({ agent, scopes }: WatchSettings, route: Route): readonly WatchFault[] {
  const missing = route.scopes.filter((scope) => !scopes.includes(scope));
  const list = missing.map((scope) => `"${scope}"`).join(', ');
  if (missing.length === 0) return [];
  return [
    fault(
      'watch-scopes',
      `may not start its agent "${agent}", which needs the scope ${list}`,
      `write scopes: ${JSON.stringify([...scopes, ...missing])
        .replaceAll('"', "'")
        .replaceAll(',', ', ')}`,
    ),
  ];
}

function checkAgent(
  { agent, input }: WatchSettings,
  route: Route,
  device: DeviceFacts | undefined,
): readonly WatchFault[] {
  return [
    ...(device?.kind === 'camera' && !takesImages(route)
      ? [
          fault(
            'watch-images',
            `watches a camera, and its agent "${agent}" takes no images`,
            'take images: false out of the agent, or watch a sensor',
          ),
        ]
      : []),
    ...(input.length > maxInputLength(route)
      ? [
          fault(
            'watch-input',
            `its input is longer than its agent "${agent}" takes`,
            'say the lasting part of it in the system prompt of the agent, or raise maxInputBytes there',
          ),
        ]
      : []),
  ];
}

/** Finds a ceiling that is reached. A picture of a camera is hardly ever the same as the one before. */
export function checkCeiling({ every, maxRunsPerHour, onlyOnChange }: WatchSettings): readonly WatchFault[] {
  const runs = Math.floor(3_600 / every);
  if (runs <= maxRunsPerHour) return [];
  const minutes = Math.floor((maxRunsPerHour * every) / 60);
  const may = onlyOnChange ? 'may take' : 'takes';
  return [
    {
      ...fault(
        'watch-ceiling',
        `every ${every} s ${may} ${runs} runs an hour, and it has ${maxRunsPerHour}: used up after ${minutes === 0 ? 'less than a minute' : `${minutes} min`}`,
        `write every: ${Math.ceil(3_600 / maxRunsPerHour)} or more, or maxRunsPerHour: ${runs}`,
      ),
      severity: 'warning',
    },
  ];
}

function checkUrl({ webhook }: WatchSettings, env: Boot['env']): readonly WatchFault[] {
  if (!webhook) return [];
  const { url, bearerEnv, secretEnv } = webhook;
  const names = { url: 'webhook', secretEnv: 'webhookSecretEnv', bearerEnv: 'webhookBearerEnv' };
  return checkWebhook({ url, bearerEnv, secretEnv }, env, names).map((one) => ({
    code: 'watch-webhook' as const,
    ...one,
  }));
}

/** Agents have one route that runs them, whose name is theirs. */
function agentsOf(table: RouteTable): readonly Route[] {
  return [...table].filter(({ facts }) => facts.startsRun === 'agent');
}
