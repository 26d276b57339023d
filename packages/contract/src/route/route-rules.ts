import { optionRules } from '../declaring/check-options.ts';
import { schemaRules } from '../declaring/check-schema.ts';
import { scopeRules } from '../declaring/check-scopes.ts';
import type { RuleBook } from '../declaring/rule-book.ts';
import { inputRules } from './check-input.ts';
import { outputRules } from './check-output.ts';
import { pathRules } from './check-path.ts';
import { retryRules } from './check-retry.ts';
import { routeOptionRules } from './check-route-options.ts';
import { oddityRules } from './check-routes.ts';
import { handlerRules } from './define-route.ts';
import { tableRules } from './route-table.ts';

/** The rules for every route, for the table of them, and for options and scopes wherever they are declared. */
export const routeRules = {
  ...optionRules,
  ...scopeRules,
  ...routeOptionRules,
  ...retryRules,
  ...handlerRules,
  ...pathRules,
  ...inputRules,
  ...outputRules,
  ...schemaRules,
  ...oddityRules,
  ...tableRules,
} as const satisfies RuleBook;
