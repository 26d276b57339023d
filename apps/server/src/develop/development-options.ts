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
  /**
   * Starts a model server that answers for providers whose key is not set: Messages at its URL, Chat Completions below `/v1`. It is
   * asked for where an agent or a flow would need one. Default: none, so that calls of such models fail.
   */
  readonly modelServer?: () => Promise<ModelServer>;
}
