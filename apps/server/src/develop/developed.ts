import type { Declarations } from '../declaring/declarations.ts';
import type { DevKeys } from './dev-keys.ts';

/** Declarations with what stands in, and what there is to tell of it. */
export interface Developed {
  readonly declarations: Declarations;
  readonly keys?: Pick<DevKeys, 'file' | 'made'>;
  /** Who answers for the models, in a sentence. */
  readonly models?: string;
  /** Ends what stands in. */
  close(): Promise<void>;
}
