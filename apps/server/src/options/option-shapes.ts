import type { Shape } from '@waymark/contract/declaring';
import type { FailureLimitOptions } from '@waymark/http';
import type { ApplicationOptions, LimitOptions, RunOptions, SessionOptions } from './application-options.ts';

/** What each option of an application holds. */
export const optionShapes: Readonly<Record<keyof ApplicationOptions, Shape>> = {
  description: 'text',
  version: 'text',
  database: 'text',
  // A folder, or false.
  migrations: 'any',
  migrate: ['start', 'command'],
  templates: 'text',
  host: 'text',
  port: 'number',
  workers: 'number',
  controlPrefix: 'text',
  requestTimeout: 'number',
  agentTimeout: 'number',
  shutdownTimeout: 'number',
  strictQuery: 'boolean',
  mcpScopes: 'texts',
  openapi: 'text',
  console: 'boolean',
  allowUnauthenticated: 'boolean',
  publicUrl: 'text',
  allowedHosts: 'texts',
  // The door says what is wrong with it.
  trustProxy: 'any',
  // It has options of its own.
  failureLimit: 'any',
  maxSocketsPerCaller: 'number',
  limits: 'any',
  sessions: 'any',
  runs: 'any',
  hub: 'options',
  env: 'options',
  declaredAt: 'text',
};

/** The same for `limits`. */
export const limitShapes: Readonly<Record<keyof LimitOptions, Shape>> = {
  bodyValues: 'number',
  bodyBytes: 'number',
  bodyBytesPerCaller: 'number',
  sockets: 'number',
  endedSignIns: 'number',
};

/** The same for `sessions`. */
export const sessionShapes: Readonly<Record<keyof SessionOptions, Shape>> = {
  capacity: 'number',
  perCaller: 'number',
  ttl: 'number',
  maxBytes: 'number',
};

/** The same for `runs`. */
export const runShapes: Readonly<Record<keyof RunOptions, Shape>> = {
  ...{ keepDays: 'number', keepRuns: 'number', lease: 'number', maxResumed: 'number' },
  ...{ giveUpAfter: 'number', keepBytesPerCaller: 'number' },
};

/** The same for `failureLimit`. */
export const failureLimitShapes: Readonly<Record<keyof FailureLimitOptions, Shape>> = {
  perSecond: 'number',
  burst: 'number',
};
