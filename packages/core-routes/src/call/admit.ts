import { HTTPError } from '@waymark/contract';
import type { Call, Guard } from '@waymark/contract/engine';
import { type ControlRule, holds, scopeRefusal } from '@waymark/contract/principal';
import { approvalRequired, refusalOverMcp } from '@waymark/contract/tools';

/** What decides whether a call may go on to its input. */
export interface Admittance {
  readonly guards: readonly Guard[];
  /** Absent: every control route is refused, so that embedding a table never opens it by accident (decision 9.8). */
  readonly controlRule: ControlRule | undefined;
}

/**
 * The first half of the one order: guards → control rule → scopes → refusal over MCP. Nothing about the input is
 * looked at, so a protected route says nothing about it.
 *
 * @returns the refusal
 */
export function admit(call: Call, { guards, controlRule }: Admittance): HTTPError | undefined {
  const { route, input, principal, via, clientAddress } = call;
  for (const guard of guards) {
    const refusal = guard(call);
    if (refusal) return refusal;
  }
  if (route.plane === 'control') {
    if (!controlRule)
      return new HTTPError(403, 'the control plane has no guard: give the dispatcher a `controlRule`');
    const headers = input.by === 'request' ? input.headers : undefined;
    const refusal = controlRule({ path: route.path, principal, clientAddress, headers });
    if (refusal) return refusal;
  }
  if (!holds(principal, route.scopes)) return scopeRefusal(principal, route.scopes);
  if (via === 'mcp' && route.approval === 'required')
    return new HTTPError(403, refusalOverMcp(route.name), { code: approvalRequired });
  return undefined;
}
