import type { DevelopmentKey } from '@waymark/console';
import type { Declarations } from '../declaring/declarations.ts';
import type { DevKeys } from './dev-keys.ts';

/** Declarations with what stands in, and what there is to tell of it. */
export interface Developed {
  readonly declarations: Declarations;
  readonly keys?: Pick<DevKeys, 'file' | 'made'>;
  /** A key of `svc:admin` that the file of keys has. */
  readonly adminKey?: DevelopmentKey;
  /** Who answers for the models, in a sentence. */
  readonly models?: string;
  /** Ends what stands in. */
  close(): Promise<void>;
}
