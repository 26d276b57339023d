import { noClockOutsideCtx } from './no-clock-outside-ctx.ts';

/**
 * Plugin for ESLint and oxlint with the rule `no-clock-outside-ctx`: behaviours take time and randomness from `ctx`.
 */
const plugin = {
  meta: { name: 'waymark' },
  rules: { 'no-clock-outside-ctx': noClockOutsideCtx },
};

// biome-ignore lint/style/noDefaultExport: linters take the default export of a plugin
export default plugin;
