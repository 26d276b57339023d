export { controlPlane } from './control-plane.ts';
export type { ControlPlaneOptions, TrafficFacts } from './control-plane-options.ts';
export { type ControlRuleOptions, controlRule } from './control-rule.ts';
export { type ProblemPagesOptions, problemPages } from './face/problem-page.ts';
export {
  type McpAuthorization,
  type McpAuthorizationOptions,
  mcpAuthorization,
} from './mcp-authorization.ts';
export type { ModelsFacts } from './models.ts';
export type {
  AuthenticationFacts,
  SecurityFacts,
  SecurityHeadersFacts,
} from './security/facts.ts';
export { type SecurityReport, toSecurityReport } from './security/report.ts';
