import type { DeviceHubOptions } from '@waymark/device-hub';
import type { FailureLimitOptions } from '@waymark/http';
import type { DevelopmentOptions } from '../develop/development-options.ts';
import type { Post } from '../workers/post.ts';

/** Options of an application (spec: Application options). Every one has a default; times are in seconds. */
export interface ApplicationOptions {
  /** Purpose of the application, which MCP clients show to their models; default: empty. */
  readonly description?: string;
  /** Version in health, in the OpenAPI document and to MCP clients; default: `0.1.0`. */
  readonly version?: string;
  /**
   * URL of the database: `sqlite://<path>`, `file:<path>`, `:memory:`, `libsql://<host>` or `https://<host>`. A path is relative
   * to the working directory. The variable `WAYMARK_DATABASE_URL` wins over it. Default: the variable `DATABASE_URL` where it holds such a URL, else none.
   */
  readonly database?: string;
  /**
   * Folder of numbered migrations, relative to the file that makes the application; `false` for none. Default: `migrations`
   * beside that file, where it holds SQL files.
   */
  readonly migrations?: string | false;
  /**
   * Who applies them: `start`, before a server looks at its tables, or `command`, which is `waymark migrate`; a server then
   * refuses to start before that was done. Default: `start`.
   */
  readonly migrate?: 'start' | 'command';
  /** Directory of page templates, relative to the working directory; default: none. */
  readonly templates?: string;
  /** Address to bind; `--host`, `WAYMARK_HOST` and a usable `HOST` win over it. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Port to listen on, 0 to 65535, where 0 takes a free one; `--port` and `PORT` win over it. Default: 8000. */
  readonly port?: number;
  /**
   * Processes that `waymark start` runs, 1 or more: one owns devices, runs and writes, all answer the rest. `--workers` and
   * `WAYMARK_WORKERS` win over it. `waymark dev`, and a program that calls `listen` itself, are one process, which says so.
   * Default: one for each CPU that 256 MiB of memory are there for, or 1 where what is declared keeps its state in the process:
   * a database in memory, or none behind agents, flows, watchers, `notify` or handlers that change something.
   */
  readonly workers?: number;
  /** Path below which the control plane lies; default: `/_svc`. */
  readonly controlPrefix?: string;
  /** Seconds that a request may take where its route says nothing else, above 0 and at most 2,147,483; default: 30. */
  readonly requestTimeout?: number;
  /** Seconds that a request to an agent, behaviour or flow may take, above 0 and at most 2,147,483; default: 600. */
  readonly agentTimeout?: number;
  /** Seconds to drain on shutdown, above 0 and at most 2,147,483; what is left then is cut. Default: 25. */
  readonly shutdownTimeout?: number;
  /** Refuses undeclared query parameters on routes that do not set `strictQuery` themselves; default: false. */
  readonly strictQuery?: boolean;
  /** Scopes that a caller needs for `/mcp` and `/tools` under the control prefix; default: `['svc:admin']`. */
  readonly mcpScopes?: readonly string[];
  /**
   * Who reads the OpenAPI document, and so sees anything on its page: `public` is anybody, `protected` whoever holds
   * `svc:admin`. Without authentication it is this machine, whatever stands here. Default: `protected`.
   */
  readonly openapi?: 'public' | 'protected';
  /**
   * Serves the operator console at `console` under the control prefix: static files, which show nothing without a
   * credential; default: true.
   */
  readonly console?: boolean;
  /** Allows an address other than loopback to be bound without any authentication; default: false. */
  readonly allowUnauthenticated?: boolean;
  /**
   * URL of the service from outside, `https://support.example.com`: its origin and host count as the service's own.
   * Default: none.
   */
  readonly publicUrl?: string;
  /**
   * Further host names under which the control plane answers, besides loopback, the bound address and `publicUrl`;
   * default: none.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Proxies whose `X-Forwarded-*` headers are believed: their number, or their addresses and networks; default: none.
   */
  readonly trustProxy?: number | readonly string[];
  /** Limit of failures (401, 404) of one client address; default: 20 a second, 200 at once. */
  readonly failureLimit?: FailureLimitOptions;
  /**
   * WebSockets and streams without an end that one principal, or one anonymous address, may have open, 1 or more; one more
   * is 429. Default: 100.
   */
  readonly maxSocketsPerCaller?: number;
  /** Limits of what callers hold at a time. */
  readonly limits?: LimitOptions;
  /** Limits of the conversations with agents that are kept. */
  readonly sessions?: SessionOptions;
  /** Limits of the runs that are kept, and when a run of a process that is gone is taken up. */
  readonly runs?: RunOptions;
  /** Options of the device hub: its backend, its limits, and when a device counts as silent. */
  readonly hub?: HubOptions;
  /** Environment variables to read; default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps `createApplication`
   * passes its caller's.
   */
  readonly declaredAt?: string;
}

/** Options of the device hub, and where it shares its devices with other instances. */
export interface HubOptions extends Omit<DeviceHubOptions, 'declaredAt'> {
  /**
   * URL of a Redis or Valkey through which all instances of the service share their devices:
   * `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. It needs the package `@waymark/redis`. The
   * variable `WAYMARK_HUB_REDIS` wins over it. Default: none, devices are in the memory of one process.
   */
  readonly redis?: string;
}

/** Limits of what callers hold at a time. Numbers are whole, from 1. */
export interface LimitOptions {
  /**
   * Values of a JSON body, each item and member of it, where its route does not set `maxBodyValues`; more are 413 before
   * they are parsed. Default: 100,000.
   */
  readonly bodyValues?: number;
  /**
   * Bytes of bodies that the requests of all callers hold until they are answered, and their WebSockets of messages that
   * are not whole; one more is 503, or closes its socket with 1013. Default: 268,435,456 (256 MiB).
   */
  readonly bodyBytes?: number;
  /** The same for one principal, or one anonymous address. Default: 67,108,864 (64 MiB). */
  readonly bodyBytesPerCaller?: number;
  /** WebSockets and streams without an end that all callers have open; one more is 503. Default: 10,000. */
  readonly sockets?: number;
  /**
   * Sessions of browsers that were ended before their time and are remembered until then; beyond that whoever ended most has
   * to sign in again everywhere. Default: 10,000.
   */
  readonly endedSignIns?: number;
}

/** Limits of the conversations with agents that are kept (decision 6.9). */
export interface SessionOptions {
  /** Conversations, 1 or more, of all callers together; a new one beyond that is 429. Default: 1,000. */
  readonly capacity?: number;
  /**
   * Conversations of one caller, 1 or more; the one that the caller has not used for longest goes first. Default: 100, or
   * `capacity` if that is less.
   */
  readonly perCaller?: number;
  /** Seconds that a conversation is kept after its last turn, above 0 and at most 2,147,483; default: 3,600. */
  readonly ttl?: number;
  /**
   * Bytes of what was said in one conversation, pictures among it, 1 or more; a turn that is not `reset` is 409 from then
   * on, since each turn reads and sends all of it. Default: 16,777,216 (16 MiB).
   */
  readonly maxBytes?: number;
}

/** Limits of the runs that are kept, and when another process continues them (`runs` 4 and 14). */
export interface RunOptions {
  /** Days that a run is kept after its end, above 0; default: 7. */
  readonly keepDays?: number;
  /** Ended runs that are kept, 1 or more; the oldest go first. Default: 100,000. */
  readonly keepRuns?: number;
  /**
   * Bytes that the runs of one caller may hold, 1 or more: the oldest that have ended go first, and while there is no room a
   * new run is 429. Default: 268,435,456 (256 MiB).
   */
  readonly keepBytesPerCaller?: number;
  /**
   * Seconds after which a silent process loses its runs to another one, 3 to 900; default: 30. It matters for a remote
   * database, where nobody can see that the process is gone.
   */
  readonly lease?: number;
  /** Runs resumed at the same time, after a restart or a decision, 1 or more; default: 256. */
  readonly maxResumed?: number;
  /**
   * Seconds, from the first failure on, for which a model whose provider is out of reach is asked again while the run
   * waits, 0 or more; 0 fails at once. Default: 3,600.
   */
  readonly giveUpAfter?: number;
}

/** Options that a command line may set; it wins over the environment, which wins over the options (decision 2.13). */
export interface Flags extends Pick<ApplicationOptions, 'host' | 'port' | 'shutdownTimeout'> {
  /** What `waymark start` runs; default: as the application says. */
  readonly workers?: number;
  /** What this process is among the several of a server; default: it is alone. */
  readonly post?: Post;
  /** What stands in for what a machine of development lacks; default: nothing. */
  readonly development?: DevelopmentOptions;
}
