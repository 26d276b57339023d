import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SimulatorOptions } from '../options.ts';
import type { PromptCache } from '../reply/prompt-cache.ts';
import type { WireFormat } from '../wire-format.ts';
import type { Attempts } from './attempts.ts';
import type { OpenEntry, RequestLog } from './request-log.ts';

/** What a simulator remembers. */
export interface State {
  readonly options: SimulatorOptions;
  readonly log: RequestLog;
  readonly attempts: Attempts;
  readonly cache: PromptCache;
  /** A new request id. */
  newId(): string;
}

/** One request on its way to an answer. */
export interface Exchange {
  readonly state: State;
  readonly format: WireFormat;
  readonly entry: OpenEntry;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}
