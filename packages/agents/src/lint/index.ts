import { noClockOutsideCtx } from './no-clock-outside-ctx.ts';

/** A plugin for ESLint and oxlint: what the compiler cannot say of the code of behaviours. */
const plugin = {
  meta: { name: 'waymark' },
  rules: { 'no-clock-outside-ctx': noClockOutsideCtx },
};

// biome-ignore lint/style/noDefaultExport: linters take the default export of a plugin
export default plugin;
