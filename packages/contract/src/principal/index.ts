export type { Authenticate, Authentication, Credentials } from './authenticate.ts';
export { adminScope, type ControlAccess, type ControlRule } from './control-rule.ts';
export { anonymous, holds, narrow, type Principal, scopeRefusal } from './principal.ts';
