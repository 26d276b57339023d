import type { DeviceHubOptions } from '@waymark/device-hub';
import type { FailureLimitOptions } from '@waymark/http';

/** The options of an application (spec: Application options; times in seconds). Everything has a default. */
export interface ApplicationOptions {
  /** What the application is for; an MCP client shows it to its model. Empty. */
  readonly description?: string;
  /** `0.1.0`. Shown in health, the OpenAPI document and to MCP clients. */
  readonly version?: string;
  /** `sqlite://<path>` and its relatives; none. */
  readonly database?: string;
  /** Directory of page templates; none. */
  readonly templates?: string;
  /** `127.0.0.1`. */
  readonly host?: string;
  /** 8000; 0 takes a free one. */
  readonly port?: number;
  /** Worker processes; the number of CPUs. One process serves until several are supported, and the startup report says so. */
  readonly workers?: number;
  /** `/_svc`. */
  readonly controlPrefix?: string;
  /** 30 seconds. */
  readonly requestTimeout?: number;
  /** 600 seconds: agent, behaviour and flow routes. */
  readonly agentTimeout?: number;
  /** 25 seconds. */
  readonly shutdownTimeout?: number;
  /** Refuse undeclared query names on every route that does not say; false. */
  readonly strictQuery?: boolean;
  /** Scopes that reach `/mcp` and `/tools` under the control prefix; `['svc:admin']`. */
  readonly mcpScopes?: readonly string[];
  /** Bind an address other than loopback without any authentication; false. */
  readonly allowUnauthenticated?: boolean;
  /** Where the service is reached from outside: `https://support.example.com`. Its origin and host are the service's own. */
  readonly publicUrl?: string;
  /** Host names, besides the loopback ones, the bound one and `publicUrl`'s, under which the control plane answers. */
  readonly allowedHosts?: readonly string[];
  /** Whose `X-Forwarded-*` headers are believed: that many proxies, or those with these addresses; nobody's. */
  readonly trustProxy?: number | readonly string[];
  /** How often one client address may fail (401, 404): 20 a second, 200 at once. */
  readonly failureLimit?: FailureLimitOptions;
  /** WebSockets that one principal, or one anonymous address, may have open; 100. One more is 429. */
  readonly maxSocketsPerCaller?: number;
  /** How many conversations with agents are kept, and for how long. */
  readonly sessions?: SessionOptions;
  /** How long runs are kept that have ended, and how soon those of a process that is gone are taken up. */
  readonly runs?: RunOptions;
  /** How the device hub works: its backend, its limits, when a device counts as silent. */
  readonly hub?: Omit<DeviceHubOptions, 'declaredAt'>;
  /** Where variables are read from; `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `file:line` for messages. Found by itself; a function that wraps `createApplication` passes its caller's. */
  readonly declaredAt?: string;
}

/** What is kept of conversations with agents (decision 6.9). */
export interface SessionOptions {
  /** Conversations; the one that was not used for longest goes first. 1,000. */
  readonly capacity?: number;
  /** Seconds after its last turn; 3,600. */
  readonly ttl?: number;
}

/** What is kept of runs, and when another process goes on with them (`runs` 4 and 14). */
export interface RunOptions {
  /** Days after a run has ended; 7. */
  readonly keepDays?: number;
  /** Runs that have ended; the oldest go first. 100,000. */
  readonly keepRuns?: number;
  /**
   * Seconds that a run stays with a process that says nothing, where nobody can find out that it is gone: on a database
   * elsewhere. 30, and 900 at most.
   */
  readonly lease?: number;
  /** Runs taken up again at once, after a restart or a decision; 256. */
  readonly maxResumed?: number;
  /**
   * Seconds for which a model is asked again whose provider is out of reach, from its first failure on; the run waits
   * meanwhile. 3,600; 0 fails at once.
   */
  readonly giveUpAfter?: number;
}

/** What a command line may set; it wins over the environment, which wins over the options (decision 2.13). */
export type Flags = Pick<ApplicationOptions, 'host' | 'port' | 'shutdownTimeout'>;
