import type { SimulatorOptions } from '@waymark/model-simulator';
import { RehearsalError } from './rehearsal.ts';

/** A model server on this machine that knows nothing. */
export interface StandIn {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts the simulator. Its package is for development, so it may not be there: who deploys an application does not want it.
 *
 * @throws {RehearsalError} it is not installed; the message has the line that installs it
 */
export async function startStandIn(
  options: Pick<SimulatorOptions, 'script'> = {},
  load = () => import('@waymark/model-simulator'),
): Promise<StandIn> {
  const { startSimulator } = await load().catch(explain);
  return startSimulator({ ...options, anonymous: true });
}

function explain(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new RehearsalError(
    'the simulator is not installed: npm install --save-dev @waymark/model-simulator; or set the key of the model',
  );
}
