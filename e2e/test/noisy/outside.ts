// What the desk needs of the world, as a process of its own: models that follow scripts, and a billing service.
import { startSimulator } from '@waymark/model-simulator';
import { startBilling } from '../../../apps/server/example/billing.ts';

const simulator = await startSimulator({ anonymous: true, maxRequests: 1 });
const billing = await startBilling();
console.log(`models ${simulator.url} billing ${billing.url}`);
// Billing keeps no process.
setInterval(() => {}, 60_000);
