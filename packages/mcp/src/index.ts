export { createMcp, type Mcp } from './create-mcp.ts';
export { mcpLimits } from './limits.ts';
export type { McpAnswer, McpContext, McpOptions } from './mcp.ts';
export { mcpRoute } from './mcp-route.ts';
export { checkTools, toolRules } from './tools/check-tools.ts';
