import { createRouteTable, type Reply, type Route, type RouteTable, type Values } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { anonymous, type Principal } from '@waymark/contract/principal';
import { type ControlPlaneOptions, controlPlane } from '@waymark/control-plane';

/** Options of a service. */
export const options: ControlPlaneOptions = {
  name: 'desk',
  version: '1.2.3',
  draining: () => false,
  gauges: () => ({}),
  document: () => ({ openapi: '3.1.0' }),
};

/** A frozen table with the control plane behind the given routes. */
export function tableOf(routes: readonly Route[], overrides: Partial<ControlPlaneOptions> = {}): RouteTable {
  return createRouteTable([...routes, ...controlPlane({ ...options, ...overrides }).routes]).freeze();
}

/** Asks a control route what it answers, the way a dispatcher would after all checks. */
export async function ask(
  table: RouteTable,
  name: string,
  { principal = anonymous(), input = {} }: { principal?: Principal; input?: Values } = {},
): Promise<unknown> {
  const route = table.get(name);
  // The engines of this package read these four members of their context and no other.
  const context = { table, principal, input, route } as unknown as EngineContext;
  return await route?.engine.answer?.(context);
}

/** The same, for a route that answers with a reply. */
export async function askReply(...given: Parameters<typeof ask>): Promise<Reply> {
  return (await ask(...given)) as Reply;
}
