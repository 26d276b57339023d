import { startPage } from '../shell/start-page.ts';
import { ConnectPage } from './connect-page.ts';
import { Encoder } from './sending/encoder.ts';

const encoder = new Encoder(new URL('./connect-worker.js', import.meta.url).href);

void startPage({
  purpose: 'connect',
  // What the socket asks, too, when it is refused. Without a body it is no reading.
  probe: { method: 'POST', path: 'telemetry' },
  run: (page) => new Promise((resolve) => new ConnectPage(page, encoder, resolve)),
});
