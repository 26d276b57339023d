import type { Problem } from '@waymark/contract';
import {
  defaultAgentTimeoutMs,
  defaultMaxBodyValues,
  defaultRequestTimeoutMs,
} from '@waymark/contract/route';
import type { DeviceHubOptions } from '@waymark/device-hub';
import type { ApplicationOptions, LimitOptions, RunOptions, SessionOptions } from './application-options.ts';
import type { LogLevelName } from './environment.ts';

/** Options of the door that have no default here. */
type OptionalWire = 'publicUrl' | 'allowedHosts' | 'trustProxy' | 'failureLimit';

/** Options with every default filled in, and what is odd about where they came from. */
export interface Settings
  extends Required<
    Omit<
      ApplicationOptions,
      | (
          | 'database'
          | 'migrations'
          | 'templates'
          | 'workers'
          | 'limits'
          | 'sessions'
          | 'runs'
          | 'hub'
          | 'env'
          | 'declaredAt'
        )
      | OptionalWire
    >
  > {
  readonly database: string | undefined;
  /** As it is given: what it comes to is asked when it is needed. */
  readonly migrations: string | false | undefined;
  readonly templates: string | undefined;
  readonly workers: number | undefined;
  readonly limits: Required<LimitOptions>;
  readonly sessions: Required<SessionOptions>;
  readonly runs: Required<RunOptions>;
  readonly hub: DeviceHubOptions;
  /** URL of the Redis that the hub is shared over. */
  readonly hubRedis: string | undefined;
  /** What the door is given as it is. */
  readonly wire: Pick<ApplicationOptions, OptionalWire>;
  readonly logLevel: LogLevelName;
  /** The variables that gave a setting its value, where one did. */
  readonly variables: {
    readonly host?: string;
    readonly port?: string;
    readonly database?: string;
    readonly workers?: string;
    readonly hubRedis?: string;
  };
  /** Where the `env` option stands; those of the process stand in no file. */
  readonly variablesAt: string | undefined;
  env(name: string): string | undefined;
  /** Where the application is made; undefined where that is not known. */
  readonly declaredAt: string | undefined;
  readonly problems: readonly Problem[];
}

/** Settings before they are checked. */
export type UncheckedSettings = Omit<Settings, 'problems'>;

/** What an application has that says nothing. */
export const defaultSettings = {
  description: '',
  version: '0.1.0',
  migrate: 'start',
  host: '127.0.0.1',
  port: 8000,
  controlPrefix: '/_svc',
  requestTimeout: defaultRequestTimeoutMs / 1000,
  agentTimeout: defaultAgentTimeoutMs / 1000,
  shutdownTimeout: 25,
  strictQuery: false,
  mcpScopes: ['svc:admin'],
  openapi: 'protected',
  console: true,
  allowUnauthenticated: false,
  maxSocketsPerCaller: 100,
  limits: {
    bodyValues: defaultMaxBodyValues,
    ...{ bodyBytes: 268_435_456, bodyBytesPerCaller: 67_108_864, sockets: 10_000 },
    endedSignIns: 10_000,
  },
  sessions: { capacity: 1_000, perCaller: 100, ttl: 3_600, maxBytes: 16_777_216 },
  runs: {
    ...{ keepDays: 7, keepRuns: 100_000, keepBytesPerCaller: 256 * 1024 * 1024 },
    ...{ lease: 30, maxResumed: 256, giveUpAfter: 3_600 },
  },
} as const;
