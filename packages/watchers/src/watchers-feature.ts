import type { Feature } from '@waymark/contract/declaring';
import { createWatchers } from './create-watchers.ts';
import { type WatchDeclaration, watch } from './declaration/watch.ts';
import { watchRules } from './declaration/watch-rules.ts';

/** Feature with the declaration call `watch`, its rules, and the plugin that runs watchers. */
export const watchersFeature = {
  name: 'watchers',
  kinds: [{ method: 'watch', declare: watch, options: 1, title: (name) => `watch "${name}"` }],
  rules: watchRules,
  plugin: (declarations, { publicUrl }) =>
    createWatchers(declarations, publicUrl === undefined ? {} : { publicUrl }),
} as const satisfies Feature<WatchDeclaration, { readonly publicUrl: string | undefined }>;
