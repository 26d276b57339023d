import type { ModelsDeclaration } from './models.ts';
import type { PricingDeclaration } from './pricing.ts';
import type { ProviderDeclaration } from './provider.ts';

/** Anything that can be declared about models. */
export type ModelDeclaration = ModelsDeclaration | ProviderDeclaration | PricingDeclaration;
