import type { BodySource } from '@waymark/contract/engine';

/** The body of a request as the door hands it on, and takes back what nobody read. */
export interface RequestBody extends BodySource {
  /** Whether there was no room for it: what still comes is not waited for. */
  readonly refused: boolean;
  /** Ends whatever reading is under way; what still comes is dropped. */
  abandon(): void;
  /** Gives back what it holds of the bytes in flight: its request is over. */
  release(): void;
}

/** Whose body it is. */
export interface BodyOwner {
  readonly callerKey: string;
}
