import type { Problem } from '@waymark/contract';
import { asText, checkOptions, isOptions, type Shapes, toProblems } from '@waymark/contract/declaring';
import type { ModelDeclaration } from '../model-declaration.ts';
import type { ModelsDeclaration } from '../models.ts';
import type { PricingDeclaration } from '../pricing.ts';
import { type Catalog, targetName } from './catalog.ts';
import { checkProvider } from './check-provider.ts';
import { createCatalog } from './create-catalog.ts';
import { resolveModel } from './resolve-model.ts';
import { fault, type ModelRuleFault } from './rules.ts';

/** Finds everything wrong with declarations of models. */
export function checkModels(
  declarations: readonly ModelDeclaration[],
  env: (name: string) => string | undefined,
): readonly Problem[] {
  const catalog = createCatalog(declarations, env);
  return declarations.flatMap((declaration, i) => checkOne(declaration, declarations.slice(0, i), catalog));
}

function checkOne(
  declaration: ModelDeclaration,
  earlier: readonly ModelDeclaration[],
  catalog: Catalog,
): readonly Problem[] {
  switch (declaration.kind) {
    case 'models':
      return checkAliases(declaration, earlier, catalog);
    case 'provider':
      return checkProvider(declaration, earlier);
    case 'pricing':
      return checkPricing(declaration, earlier, catalog);
  }
}

function checkAliases(
  { options, declaredAt }: ModelsDeclaration,
  earlier: readonly ModelDeclaration[],
  catalog: Catalog,
): readonly Problem[] {
  const { aliases, ...others } = options;
  const unknown = toProblems('models', declaredAt, checkOptions(others, {}));
  if (!isOptions(aliases)) {
    const fix = "write models({ fast: 'claude-haiku-4-5-20251001' })";
    return [
      ...unknown,
      ...toProblems('models', declaredAt, [
        { code: 'alias-form', rule: 'the aliases are not an object', fix },
      ]),
    ];
  }
  return [
    ...unknown,
    ...Object.entries(aliases).flatMap(([alias, target]) => {
      const twin = earlier.find(
        (one) => one.kind === 'models' && Object.hasOwn(one.options.aliases ?? {}, alias),
      );
      const faults = checkAlias(alias, target, twin, catalog);
      return toProblems(`model alias "${alias}"`, declaredAt, faults);
    }),
  ];
}

function checkAlias(
  alias: string,
  target: unknown,
  twin: ModelDeclaration | undefined,
  catalog: Catalog,
): readonly ModelRuleFault[] {
  const names = [target].flat();
  if (names.length === 0 || !names.every((name) => typeof name === 'string'))
    return [
      { code: 'alias-form', rule: 'it stands for no name', fix: `write ${alias}: '<provider>/<model>'` },
    ];
  if (alias === '' || alias.includes('/'))
    return [{ code: 'alias-name', rule: 'its name is empty or has a slash', fix: 'write a word' }];
  if (twin)
    return [
      {
        code: 'alias-taken',
        rule: `it is declared at ${twin.declaredAt} already`,
        fix: 'take one of them out',
      },
    ];
  const resolved = resolveModel(alias, catalog);
  return resolved.ok ? [] : [resolved.fault];
}

/** Of a million tokens; with it the cost of a call is always a whole number that can be told from the next. */
const maxPrice = 1_000_000;

const prices = ['inputPerMtok', 'outputPerMtok', 'cacheReadPerMtok', 'cacheWritePerMtok'] as const;

function checkPricing(
  { name, options, declaredAt }: PricingDeclaration,
  earlier: readonly ModelDeclaration[],
  catalog: Catalog,
): readonly Problem[] {
  const shapes: Shapes = Object.fromEntries(prices.map((price) => [price, 'any']));
  const wrong = prices.filter((price) => !isAmount(options[price]));
  const key = typeof name === 'string' ? keyOf(name, catalog) : undefined;
  const twin =
    key !== undefined &&
    earlier.find(
      (one) => one.kind === 'pricing' && typeof one.name === 'string' && keyOf(one.name, catalog) === key,
    );
  return toProblems(`pricing "${asText(name)}"`, declaredAt, [
    ...checkOptions(options, shapes),
    ...wrong.map((price) =>
      fault('price-amount', `${price} is no amount`, 'write USD for a million tokens, 0 to 1,000,000'),
    ),
    ...checkPriced(name, catalog),
    ...(twin
      ? [fault('price-taken', `${key} has a price at ${twin.declaredAt} already`, 'take one out')]
      : []),
  ]);
}

function isAmount(price: unknown): boolean {
  return typeof price === 'number' && price >= 0 && price <= maxPrice;
}

/** A bare name that leads nowhere is fine, it is priced on every provider; a prefix that is none is a mistake. */
function checkPriced(name: unknown, catalog: Catalog): readonly ModelRuleFault[] {
  if (typeof name !== 'string' || name === '')
    return [fault('unknown-model', 'it names no model', "write pricing('claude-opus-5', 5, 25)")];
  const resolved = resolveModel(name, catalog);
  return resolved.ok || catalog.aliases.has(name) || !name.includes('/') ? [] : [resolved.fault];
}

function keyOf(name: string, catalog: Catalog): string {
  const resolved = resolveModel(name, catalog);
  const [first] = resolved.ok ? resolved.targets : [];
  return first ? targetName(first) : name;
}
