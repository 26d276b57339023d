export { createFlows } from './create-flows.ts';
export { type FlowDeclaration, type FlowOptions, type FlowStep, flow } from './flow/flow.ts';
export { flowRules } from './flow/flow-rules.ts';
export { flowsFeature } from './flows-feature.ts';
