import type { ModelRequest, Spend } from '@waymark/contract/models';
import { type Catalog, priceOf } from './catalog/catalog.ts';
import { resolveModel } from './catalog/resolve-model.ts';
import { toSpend } from './to-spend.ts';
import { noUsage } from './wire/usage.ts';

/** Tokens of an answer that nobody heard: about those of a turn that calls a tool. */
const unheardTokens = 256;

/**
 * What a call is counted as whose answer nobody heard: its question, and a short answer, by the first model that the name
 * stands for.
 *
 * @returns undefined for a model that there is not
 */
export function estimateSpend(
  { model, maxTokens }: Pick<ModelRequest, 'model' | 'maxTokens'>,
  inputTokens: number,
  catalog: Catalog,
): Spend | undefined {
  const resolved = resolveModel(model, catalog);
  const target = resolved.ok ? resolved.targets[0] : undefined;
  if (!target) return undefined;
  const estimate = { inputTokens, outputTokens: Math.min(unheardTokens, maxTokens) };
  return toSpend(target, noUsage, estimate, priceOf(target, catalog));
}
