/** Has a signal once somebody asks for it: making one costs two controllers and their listeners. */
export interface SignalGiver {
  readonly signal: AbortSignal;
}
