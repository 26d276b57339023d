/** The reference application for `waymark start`: what `npm start` runs in one process. */
import { createExample } from '../../../apps/server/example/application.ts';
import { startBilling } from '../../../apps/server/example/billing.ts';
import { chooseModels } from '../../../apps/server/example/choose-models.ts';
import { startDockCamera } from '../../../apps/server/example/dock-camera.ts';

const billing = await startBilling();
const dock = await startDockCamera();
export const application = createExample(
  { database: `sqlite://${process.env['DATABASE']}` },
  { billingUrl: billing.url, dockUrl: dock.url },
);
await chooseModels(application, process.env);
