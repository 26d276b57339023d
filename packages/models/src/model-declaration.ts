import type { ModelsDeclaration } from './models.ts';
import type { PricingDeclaration } from './pricing.ts';
import type { ProviderDeclaration } from './provider.ts';

/** Declaration of aliases, a provider or a price: what `createModels` takes. */
export type ModelDeclaration = ModelsDeclaration | ProviderDeclaration | PricingDeclaration;
