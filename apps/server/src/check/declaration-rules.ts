import { agentRules, behaviourRules, contextRules } from '@waymark/agents';
import { credentialRules } from '@waymark/auth';
import { type RuleBook, routeRules } from '@waymark/contract';
import { staticRules } from '@waymark/core-routes';
import { memoryRules, sqlRules } from '@waymark/data';
import { deviceRules } from '@waymark/device-hub';
import { flowRules } from '@waymark/flows';
import { policyRules } from '@waymark/http';
import { toolRules } from '@waymark/mcp';
import { modelRules } from '@waymark/models';
import { pageRules, proxyRules } from '@waymark/pages';
import { settingRules } from '../options/check-settings.ts';
import { environmentRules } from '../options/environment.ts';
import { applicationRules } from './check-declarations.ts';
import { partRules } from './check-parts.ts';
import { reachRules } from './check-scopes.ts';
import { spendRules } from './check-spend.ts';

/**
 * Every rule that a declaration can break, by its code: the books of the packages that own the declarations. A test
 * fails for a code without a fixture that breaks its rule.
 */
export const declarationRules: RuleBook = {
  ...routeRules,
  ...staticRules,
  ...credentialRules,
  ...policyRules,
  ...toolRules,
  ...modelRules,
  ...sqlRules,
  ...memoryRules,
  ...pageRules,
  ...proxyRules,
  ...deviceRules,
  ...agentRules,
  ...behaviourRules,
  ...contextRules,
  ...flowRules,
  ...spendRules,
  ...settingRules,
  ...environmentRules,
  ...partRules,
  ...reachRules,
  ...applicationRules,
};
