import type { Values } from '@waymark/contract';

/** Where validated input goes. */
export interface Bound {
  /** As it was sent, coerced and with the defaults of JSON Schemas: JSON, so that it can be stored and bound again. */
  given: Values;
  /** What the engine is given: the same, unless a library made something else of it. */
  input: Values;
}
