export { type AuditLog, createAuditLog } from './audit/audit-log.ts';
export type { CallTrace } from './call/call-trace.ts';
export { createDispatcher, type DispatcherOptions } from './dispatcher.ts';
export { createHost, type HostParts, type StartedPlugins, startPlugins } from './host.ts';
export { dispatcherLimits } from './limits.ts';
export { createIds } from './new-id.ts';
export { requireAdmin } from './require-admin.ts';
export { createRouter } from './router.ts';
export { type StaticRouteOptions, staticRoute, staticRules } from './static-route.ts';
