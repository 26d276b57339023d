import { adminScope, type ControlRule, holds, scopeRefusal } from '@waymark/contract/principal';

/**
 * Makes the control rule for a table embedded with authentication of its own: `svc:admin` for everything (decision
 * 9.8).
 */
export function requireAdmin(): ControlRule {
  return ({ principal }) =>
    holds(principal, [adminScope]) ? undefined : scopeRefusal(principal, [adminScope]);
}
