import { adminScope, type ControlRule, holds, scopeRefusal } from '@waymark/contract/principal';

/** The control rule for those who embed a table with their own authentication: `svc:admin` for everything (decision 9.8). */
export function requireAdmin(): ControlRule {
  return ({ principal }) =>
    holds(principal, [adminScope]) ? undefined : scopeRefusal(principal, [adminScope]);
}
