import { DeclarationError } from '@waymark/contract';
import { type Finding, isError, isOptions, toProblems } from '@waymark/contract/declaring';
import type { Host, Plugin } from '@waymark/contract/engine';
import type { WebhookEndpoint } from '@waymark/contract/stores';
import { checkCeiling, checkUses } from './declaration/check-uses.ts';
import { checkWatches, titleOf } from './declaration/check-watch.ts';
import type { WatchDeclaration } from './declaration/watch.ts';
import { toSettings, type WatchSettings } from './declaration/watch-settings.ts';
import { watcherLimits } from './limits.ts';
import { endpointOf } from './run/conclusions.ts';
import { hostOf, watchersListing } from './watchers-listing.ts';
import { Watchers } from './work/watchers.ts';

/** Options of `createWatchers`. */
export interface CreateWatchersOptions {
  /** URL at which the application is reached, for the links to pictures in webhooks; default: links are paths. */
  readonly publicUrl?: string;
}

/**
 * Makes the plugin of declared watchers: it looks at devices on timers, runs agents, and publishes insights.
 *
 * Its host needs a runner and devices. The watchers of one database work in one process at a time.
 */
export function createWatchers(
  declarations: readonly WatchDeclaration[],
  { publicUrl }: CreateWatchersOptions = {},
): Plugin {
  const { sound, problems } = checkWatches(declarations);
  const settings = sound.map(toSettings);
  let running: { readonly host: Host; readonly watchers: Watchers } | undefined;
  return {
    name: 'watchers',
    routes: [watchersListing(() => running)],
    needs: settings.length > 0 ? ['runner', 'devices'] : [],
    check: (boot) => [
      ...problems,
      ...declarations
        .filter(({ options }) => isOptions(options))
        .flatMap((one) => toProblems(titleOf(one), one.declaredAt, checkUses(one, boot))),
      ...settings.flatMap((one) => toProblems(titleOf(one), one.declaredAt, checkCeiling(one))),
    ],
    start(host) {
      const broken = problems.filter(isError);
      if (broken.length > 0) throw new DeclarationError(broken);
      const { runner, devices } = host;
      // What `needs` asks for; without watchers it asks for nothing.
      if (!runner || !devices || settings.length === 0) return;
      for (const { device, name } of settings) devices.nameWatcher(device, name);
      running = { host, watchers: new Watchers(settings, { host, runner, devices, publicUrl }) };
    },
    ready: () => running?.watchers.start(),
    stop: () => running?.watchers.stop(),
    gauges: () => ({ watchers: settings.length }),
    findings: () => settings.map(toFinding),
    limits: () => watcherLimits(settings),
    webhooks: () => settings.flatMap(toEndpoint),
  };
}

/** What a watcher may do by itself, for the security report. */
function toFinding({ name, device, agent, scopes, maxRunsPerHour, webhook }: WatchSettings): Finding {
  const may = scopes.length === 0 ? 'without any scope' : `with ${scopes.join(', ')}`;
  const posts = webhook ? `; what it concludes is posted to ${hostOf(webhook.url)}` : '';
  return {
    severity: 'info',
    text: `watcher "${name}" runs agent "${agent}" on ${device} ${may}, ${maxRunsPerHour} times an hour at most${posts}`,
  };
}

function toEndpoint({ name, webhook }: WatchSettings): readonly WebhookEndpoint[] {
  if (!webhook) return [];
  const { url, secretEnv, bearerEnv } = webhook;
  return [
    {
      ...{ name: endpointOf(name), url },
      ...(secretEnv !== undefined && { secretEnv }),
      ...(bearerEnv !== undefined && { bearerEnv }),
    },
  ];
}
