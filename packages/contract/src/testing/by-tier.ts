/**
 * The budget of the tier that runs: of drawn cases, of deaths that are tried, of steps between two of them.
 *
 * @param budgets `quick` in `npm test`, where everybody waits; `slow` in CI, whose slow and end-to-end tests run
 *   with `TEST_TIER=slow`; `drill` where the whole search has time (`npm run drills -- properties`), as `slow` without it
 */
export function byTier(budgets: {
  readonly quick: number;
  readonly slow: number;
  readonly drill?: number;
}): number {
  const tier = process.env['TEST_TIER'];
  if (tier === 'drill') return budgets.drill ?? budgets.slow;
  return tier === 'slow' ? budgets.slow : budgets.quick;
}
