import type { Plugin } from '@waymark/contract/engine';
import type { Outbound } from '@waymark/contract/http';
import type { ModelClient } from '@waymark/contract/models';
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

/** Puts the declared models behind the outbound client of the application. */
export function composeModels(
  { declared, settings }: Declarations,
  outbound: Outbound,
  lifecycle: Lifecycle,
): ComposedModels {
  const { client, plugin, describe, missingKeys } = createModels(declared.models, {
    outbound,
    env: settings.env,
    log: (...line) => lifecycle.log?.(...line),
  });
  return { client, describe, missingKeys, plugin };
}
