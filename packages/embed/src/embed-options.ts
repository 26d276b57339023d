import type { Route } from '@waymark/contract';
import type { Shapes } from '@waymark/contract/declaring';
import type { Plugin } from '@waymark/contract/engine';
import type { Authenticate } from '@waymark/contract/principal';
import type { RouteTableOptions } from '@waymark/contract/route';
import type { DispatcherOptions, HostParts } from '@waymark/core-routes';
import type { DoorOptions } from '@waymark/http';

/**
 * Options of `embed`: its own, and those of the table, the dispatcher, the host and the door that it makes. Times are in
 * milliseconds.
 */
export interface EmbedOptions
  extends Omit<
      DoorOptions,
      'dispatcher' | 'authenticate' | 'newId' | 'sharedLimits' | 'sharedRate' | 'onAnswered'
    >,
    Pick<DispatcherOptions, 'guards' | 'strictQuery'>,
    Pick<
      HostParts,
      | 'stores'
      | 'outbound'
      | 'runner'
      | 'models'
      | 'database'
      | 'devices'
      | 'env'
      | 'newId'
      | 'now'
      | 'monotonic'
    >,
    RouteTableOptions {
  /** Routes, in front of those of the plugins; default: none. */
  readonly routes?: readonly Route[];
  /** Plugins, such as what `deviceHub` returns, in the order in which they start; default: none. */
  readonly plugins?: readonly Plugin[];
  /**
   * Authenticates each request by its credentials, where `principalOf` gives nobody. Default: everybody is anonymous and
   * has no scopes, whatever they send.
   */
  readonly authenticate?: Authenticate;
  /** Milliseconds that `close` gives to what is under way; then it is cut. Default: 25,000. */
  readonly shutdownTimeoutMs?: number;
}

/** Each option and its form, for programs without types. A new option of what `embed` makes is a row here, or does not compile. */
export const optionShapes: Readonly<Record<keyof Required<EmbedOptions>, Shapes[string]>> = {
  routes: 'any',
  plugins: 'any',
  authenticate: 'any',
  principalOf: 'any',
  authenticateTimeoutMs: 'number',
  mountPath: 'text',
  controlPrefix: 'text',
  controlRule: 'any',
  challenge: 'any',
  isOwnPath: 'any',
  problemPage: 'any',
  log: 'any',
  emit: 'any',
  newId: 'any',
  now: 'any',
  monotonic: 'any',
  guards: 'any',
  strictQuery: 'boolean',
  requestTimeoutMs: 'number',
  agentTimeoutMs: 'number',
  maxBodyValues: 'number',
  stores: 'options',
  outbound: 'options',
  runner: 'options',
  models: 'options',
  database: 'options',
  devices: 'options',
  env: 'any',
  securityHeaders: 'options',
  cors: 'options',
  rateLimit: 'options',
  failureLimit: 'options',
  trustProxy: 'any',
  publicUrl: 'text',
  allowedHosts: 'texts',
  hostGuard: ['control', 'everywhere'],
  streamIdleMs: 'number',
  clientIdleMs: 'number',
  eventKeepAliveMs: 'number',
  maxSocketsPerCaller: 'number',
  limits: 'options',
  socketPingMs: 'number',
  shutdownTimeoutMs: 'number',
};
