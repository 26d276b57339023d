import type { ModelClient, Plugin } from '@waymark/contract';
import { createOutbound } from '@waymark/http';
import { createModels, type Models } from '@waymark/models';
import type { Declarations } from '../declaring/declarations.ts';
import type { Lifecycle } from './lifecycle.ts';

/** The models of an application. */
export interface ComposedModels {
  readonly client: ModelClient;
  readonly plugin: Plugin;
  readonly describe: Models['describe'];
  readonly missingKeys: Models['missingKeys'];
}

/** Between two pieces of an answer: models think in silence for longer than other services may. */
const idleTimeoutMs = 120_000;

/** Puts the declared models behind an outbound client of their own, which ends with their plugin. */
export function composeModels({ declared, settings }: Declarations, lifecycle: Lifecycle): ComposedModels {
  const outbound = createOutbound({ idleTimeoutMs });
  const { client, plugin, describe, missingKeys } = createModels(declared.models, {
    outbound,
    env: settings.env,
    log: (...line) => lifecycle.log?.(...line),
  });
  return { client, describe, missingKeys, plugin: { ...plugin, stop: () => outbound.close() } };
}
