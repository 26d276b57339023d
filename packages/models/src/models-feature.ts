import type { Feature } from '@waymark/contract/declaring';
import { modelRules } from './catalog/rules.ts';
import type { ModelDeclaration } from './model-declaration.ts';
import { models } from './models.ts';
import { pricing } from './pricing.ts';
import { provider } from './provider.ts';

/**
 * Feature with the declaration calls `models`, `provider` and `pricing` and their rules; `createModels` gives client
 * and plugin.
 */
export const modelsFeature = {
  name: 'models',
  kinds: [
    { method: 'models', declare: models, options: 1 },
    { method: 'provider', declare: provider, options: 2, title: (name) => `provider "${name}"` },
    { method: 'pricing', declare: pricing, options: 3, title: (model) => `pricing "${model}"` },
  ],
  rules: modelRules,
} as const satisfies Feature<ModelDeclaration>;
