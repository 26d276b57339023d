/**
 * The budget of the tier that runs: of drawn cases, of deaths that are tried, of steps between two of them.
 *
 * @param budgets `quick` in `npm test`, where everybody waits; `slow` in CI, which runs a `*.property.test.ts` once more
 *   with `TEST_TIER=slow`
 */
export function byTier(budgets: { readonly quick: number; readonly slow: number }): number {
  return process.env['TEST_TIER'] === 'slow' ? budgets.slow : budgets.quick;
}
