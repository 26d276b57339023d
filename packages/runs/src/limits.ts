import type { LimitInForce } from '@waymark/contract/declaring';
import { maxStoredLevels } from './journal/stored-form.ts';
import { maxRunDepth } from './leg/child-run.ts';
import { maxKeyLength } from './roots/to-root.ts';

/** Limits of runs, for the security report. */
export const runLimits: readonly LimitInForce[] = [
  { name: 'run_depth', value: maxRunDepth, unit: 'runs', note: 'one inside another' },
  { name: 'run_value_depth', value: maxStoredLevels, unit: 'levels', note: 'of input, steps and result' },
  { name: 'idempotency_key', value: maxKeyLength, unit: 'characters' },
];
