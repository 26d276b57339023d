export { checkTools, toolRules } from './check-tools.ts';
export { createMcp, type Mcp } from './create-mcp.ts';
export type { McpAnswer, McpContext, McpOptions } from './mcp.ts';
export { mcpRoute } from './mcp-route.ts';
