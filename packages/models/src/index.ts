export { modelRules } from './catalog/rules.ts';
export { type CreateModelsOptions, createModels, type Models } from './create-models.ts';
export type { ModelsDescription } from './describe-models.ts';
export type { ModelDeclaration } from './model-declaration.ts';
export { type Aliases, type ModelsDeclaration, type ModelsOptions, models } from './models.ts';
export { modelsFeature } from './models-feature.ts';
export { type Price, type PricingDeclaration, type PricingOptions, pricing } from './pricing.ts';
export { type ProviderDeclaration, type ProviderKind, type ProviderOptions, provider } from './provider.ts';
export { type Post, type PostAnswer, type PostOptions, TransportError } from './transport/post.ts';
