import { connectDevice, type SensorClient } from '@waymark/client-gen/runtime';
import { clientTrouble } from '../shell/client-trouble.ts';
import { type Page, startPage } from '../shell/start-page.ts';
import type { Trouble } from '../shell/trouble.ts';

const states = {
  online: ['live', 'Live'],
  stale: ['stale', 'Silent'],
  offline: ['offline', 'Offline'],
} as const;

/** Shows how the device is until the server will have no more of it. */
async function run({ device, credentials, header }: Page): Promise<Trouble> {
  const client = connectDevice({ baseUrl: device.url, ...credentials.forClient() })<SensorClient>('');
  const events = client.stream({
    onState: (state) => {
      if (state !== 'open') header.show('connecting', 'Connecting');
    },
  });
  try {
    for await (const event of events) {
      if (event.type === 'hello') {
        header.describe(event.device.description);
        header.offerLink(event.device.kind === 'camera');
      }
      if (event.type === 'hello' || event.type === 'status') {
        const [state, text] = states[event.status];
        header.show(state, text);
      }
    }
    return 'failed';
  } catch (error) {
    return clientTrouble(error, credentials);
  }
}

await startPage({ purpose: 'view', probe: { method: 'GET', path: 'telemetry' }, run });
