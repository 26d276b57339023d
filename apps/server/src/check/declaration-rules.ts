import type { Feature, RuleBook } from '@waymark/contract/declaring';
import { toolRules } from '@waymark/mcp';
import { features } from '../declaring/features.ts';
import { settingRules } from '../options/check-settings.ts';
import { environmentRules } from '../options/environment.ts';
import { applicationRules } from './check-declarations.ts';
import { limitRules } from './check-limits.ts';
import { partRules } from './check-parts.ts';
import { reachRules } from './check-scopes.ts';
import { spendRules } from './check-spend.ts';

/**
 * Every rule that a declaration can break, by its code: the books of the features, and of the application. A test fails
 * for a code without a fixture that breaks its rule.
 */
export const declarationRules: RuleBook = Object.fromEntries([
  ...features.flatMap(({ rules = {} }: Feature) => Object.entries(rules)),
  ...[
    toolRules,
    spendRules,
    settingRules,
    environmentRules,
    partRules,
    reachRules,
    limitRules,
    applicationRules,
  ].flatMap((rules) => Object.entries(rules)),
]);
