export type { Authenticate } from './authenticate.ts';
export { adminScope, type ControlAccess, type ControlRule } from './control-rule.ts';
export type { Authentication, Credentials } from './credentials.ts';
export type { EndedSessionPage, EndedSessionStore } from './ended-session-store.ts';
export { anonymous, holds, narrow, type Principal, scopeRefusal } from './principal.ts';
export type { BrowserSide, EndedSession, OpenedSession, SessionHolder, Sessions } from './sessions.ts';
