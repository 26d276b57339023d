import type { Feature } from '@waymark/contract/declaring';
import { createFlows } from './create-flows.ts';
import { type FlowDeclaration, flow } from './flow/flow.ts';
import { flowRules } from './flow/flow-rules.ts';

/** Feature with the declaration call `flow`, its rules, and the plugin that serves flows. */
export const flowsFeature = {
  name: 'flows',
  kinds: [{ method: 'flow', declare: flow, options: 1, title: (name) => `flow "${name}"` }],
  rules: flowRules,
  plugin: (declarations) => createFlows(declarations),
} as const satisfies Feature<FlowDeclaration>;
