import type { Host } from '@waymark/contract/engine';

/** A model server that was started, such as the simulator. */
export interface ModelServer {
  readonly url: string;
  close(): Promise<void>;
}

/** What stands in, while somebody develops, for what a machine of theirs may lack. */
export interface DevelopmentOptions {
  /**
   * File of the keys that are declared, and whose variables are not set; it is made, and added to, where only this machine can
   * connect. Default: none, so that such keys keep the server from starting.
   */
  readonly keysFile?: string;
  /** Makes keys for this process alone instead, and tells them, of variables that are set as well. */
  readonly onKeys?: (keys: readonly KeyInUse[]) => void;
  /**
   * Starts a model server that answers for providers whose key is not set: Messages at its URL, Chat Completions below `/v1`. It is
   * asked for where an agent or a flow would need one. Default: none, so that calls of such models fail.
   */
  readonly modelServer?: () => Promise<ModelServer>;
  /**
   * Whether the model server answers for providers that have their key, too, also where an added plugin would ask one; where it
   * cannot be started the application does not start. Default: false.
   */
  readonly everyModel?: boolean;
  /** Keeps state in place of the database that is declared, unless `WAYMARK_DATABASE_URL` says where; default: none. */
  readonly database?: string | undefined;
  /** Clock of devices, watchers, deliveries, tokens and plugins; default: that of the machine. */
  readonly clock?: Pick<Host, 'now' | 'monotonic' | 'after'>;
}

/** A key that a server takes. */
export interface KeyInUse {
  /** Id of its principal. */
  readonly id: string;
  readonly variable: string;
  readonly key: string;
}
