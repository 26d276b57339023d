import type { IncomingMessage } from 'node:http';
import type { HTTPError } from '@waymark/contract';
import type { Awaitable, Dispatcher, Log, Router } from '@waymark/contract/engine';
import type { SharedLimits, ToProblemPage } from '@waymark/contract/http';
import type { Authenticate, ControlRule, Principal } from '@waymark/contract/principal';
import type { AuditEvent } from '@waymark/contract/stores';
import type { DoorLimits } from '../limits/door-limits.ts';
import type { PolicyOptions } from '../security/policy-options.ts';

/** Options of a door. Times are in milliseconds. */
export interface DoorOptions extends PolicyOptions {
  /** Dispatcher that requests, upgrades and their routes go to. */
  readonly dispatcher: Dispatcher & Router;
  /**
   * Authenticates each request by its credentials. Of the `sessions` that it has, the cookie counts where no other
   * credential is shown, for requests that come from pages of our own.
   */
  readonly authenticate: Authenticate;
  /**
   * Gives the principal that middleware in front has authenticated: `(req) => req.user && toPrincipal(req.user)`. Called
   * before `authenticate`, which is called where it gives undefined; not called for health. An `HTTPError` that it throws
   * is the answer.
   */
  readonly principalOf?: (req: IncomingMessage) => Awaitable<Principal | undefined>;
  /**
   * Milliseconds that `principalOf` and `authenticate` may take together; default: 30,000. A request or upgrade that they
   * do not settle in time is answered 504, and logged.
   */
  readonly authenticateTimeoutMs?: number;
  /**
   * Path at which the table begins, `/api`; default: empty. `listener` and `upgrade` take it off; requests to `middleware`
   * come without it, as express has taken it off. Letter case counts: what express found in other case goes on to `next`.
   */
  readonly mountPath?: string;
  /** Path below which the control plane lies; default: `/_svc`. */
  readonly controlPrefix?: string;
  /**
   * Rule for every path under the control prefix, asked before it is matched; default: all of them are refused (403).
   */
  readonly controlRule?: ControlRule;
  /**
   * Completes a 401 or 403 under the control prefix, such as with headers that tell the client how to authenticate. The
   * path is relative to the prefix; the host is the one that the client named, and one of ours.
   */
  readonly challenge?: (
    refusal: HTTPError,
    at: {
      readonly path: string;
      readonly host: string | undefined;
      /** Principal that is refused; undefined where it is not known. */
      readonly principal: Principal | undefined;
    },
  ) => HTTPError;
  /**
   * Tells which paths outside the control prefix are treated alike: for our hosts only, never passed on. Default: none.
   */
  readonly isOwnPath?: (path: string) => boolean;
  /**
   * Makes the pages that browsers are shown in place of problem documents when they ask for HTML; default: none. Sockets
   * and streams are not asked.
   */
  readonly problemPage?: ToProblemPage;
  /** Makes ids of requests that came without one. */
  readonly newId: () => string;
  /** Log of each request, once after its answer, and of the causes of 500s; default: nothing is logged. */
  readonly log?: Log;
  /**
   * Receiver of the audit event `auth_refused` for each credential answered 401; the failure limit bounds their number.
   */
  readonly emit?: (event: AuditEvent) => void;
  /**
   * Milliseconds that a streamed answer may pause, where the dispatcher sets none; default: 30,000. A stream that pauses
   * longer is cut; its whole length is not limited.
   */
  readonly streamIdleMs?: number;
  /** Milliseconds for which a client may take nothing of its answer before it is cut; default: 60,000. */
  readonly clientIdleMs?: number;
  /** Milliseconds between two comments on a silent event stream, at most half of `streamIdleMs`; default: 15,000. */
  readonly eventKeepAliveMs?: number;
  /**
   * WebSockets and streams without an end that one principal, or one anonymous address, may have open at a time; default:
   * 100.
   */
  readonly maxSocketsPerCaller?: number;
  /** What may be held at a time of the bytes of bodies, and in all of sockets and streams. */
  readonly limits?: DoorLimits;
  /**
   * Milliseconds between two pings on an open WebSocket; default: 30,000. A socket that leaves two unanswered is cut.
   */
  readonly socketPingMs?: number;
  /** Keeps the buckets of rates and failures, where several doors are one to their callers; default: this door does. */
  readonly sharedLimits?: SharedLimits | undefined;
  /**
   * Keeps the buckets of rates alone, where the doors of several machines are one to their callers; while it cannot say, this
   * door limits by itself. Default: `sharedLimits`, or this door does.
   */
  readonly sharedRate?: SharedLimits | undefined;
  /** Told of each answer that `traffic` counts: its status, and milliseconds unless it was a stream. Default: nobody is. */
  readonly onAnswered?: ((status: number, ms: number | undefined) => void) | undefined;
}
