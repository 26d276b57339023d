import type { IncomingMessage } from 'node:http';
import type { HTTPError } from '@waymark/contract';
import type { Awaitable, Dispatcher, Log, Router } from '@waymark/contract/engine';
import type { Authenticate, ControlRule, Principal } from '@waymark/contract/principal';
import type { AuditEvent } from '@waymark/contract/stores';
import type { PolicyOptions } from '../security/policy-options.ts';

/** What a door is given. */
export interface DoorOptions extends PolicyOptions {
  readonly dispatcher: Dispatcher & Router;
  readonly authenticate: Authenticate;
  /**
   * Who a request is from, as middleware in front has found out: `(req) => req.user && toPrincipal(req.user)`. Asked
   * first, but not for health; where it knows nobody, `authenticate` is asked. What it throws is answered: an
   * `HTTPError` as it is.
   */
  readonly principalOf?: (req: IncomingMessage) => Awaitable<Principal | undefined>;
  /**
   * For `principalOf` and `authenticate` together to say who a request or upgrade is from, milliseconds; 30 seconds. One
   * they do not settle in time is answered 504, and logged.
   */
  readonly authenticateTimeoutMs?: number;
  /**
   * Where the paths of the table begin: `/api`. Of requests that come to `middleware` express has taken it off; the door
   * does for those that come to `listener`, and for upgrades. Empty.
   */
  readonly mountPath?: string;
  /** `/_svc`. */
  readonly controlPrefix?: string;
  /** Asked for every path under the prefix, before it is matched. Absent: all of them are refused (403). */
  readonly controlRule?: ControlRule;
  /**
   * Adds to a 401 or 403 under the prefix what its client needs to know, best as headers. The path is relative to the
   * prefix, the host as the client named it, and one of ours.
   */
  readonly challenge?: (
    refusal: HTTPError,
    at: {
      readonly path: string;
      readonly host: string | undefined;
      /** Who is refused; absent where that is not known. */
      readonly principal: Principal | undefined;
    },
  ) => HTTPError;
  /** Paths outside the prefix that are as much our own: for our hosts only, and never left to others. None. */
  readonly isOwnPath?: (path: string) => boolean;
  /** Makes ids of requests that came without one. */
  readonly newId: () => string;
  /** Told of each request once, after its answer, and of the causes of the door's own 500s. Nothing is logged without it. */
  readonly log?: Log;
  /** Told of each wrong credential that was answered 401: `auth_refused`. The failure limit bounds how many there are. */
  readonly emit?: (event: AuditEvent) => void;
  /**
   * For the next piece of a streamed answer of which the dispatcher does not say it, milliseconds; 30 seconds. A stream
   * that pauses longer is cut. As a whole it may last for ever, as pictures and events do.
   */
  readonly streamIdleMs?: number;
  /** For a client to take some more of its answer, milliseconds; 60 seconds. One that takes nothing for longer is cut. */
  readonly clientIdleMs?: number;
  /** Between two comments on a silent stream of events, milliseconds; 15 seconds, and at most half of `streamIdleMs`. */
  readonly eventKeepAliveMs?: number;
  /** WebSockets of one principal, or of one anonymous address, that may be open at a time; 100. */
  readonly maxSocketsPerCaller?: number;
  /** Between two pings on an open WebSocket; 30 seconds. One that leaves two of them unanswered is cut. */
  readonly socketPingMs?: number;
}
