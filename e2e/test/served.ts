import {
  type Application,
  type ApplicationOptions,
  createApplication,
  type RunningApplication,
} from '@waymark/server';
import { onTestFinished } from 'vitest';

/** The secrets of `SHOP_KEY` and `OTHER_KEY`, wherever an application of this file declares them. */
export const secrets = {
  SHOP_KEY: 'shop-secret-of-more-than-16-bytes',
  OTHER_KEY: 'other-secret-of-more-than-16-bytes',
} as const;

/** An application that reads nothing from the machine it is tested on. */
export function application(options: ApplicationOptions = {}): Application {
  return createApplication('shop', { port: 0, ...options, env: { LOG_LEVEL: 'silent', ...secrets } });
}

/** Listens until the test is over. */
export async function serve(app: Application): Promise<RunningApplication> {
  const running = await app.listen();
  onTestFinished(() => void running.close());
  return running;
}
