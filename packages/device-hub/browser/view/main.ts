import { startPage } from '../shell/start-page.ts';
import { DeviceView, viewProbe } from './device-view.ts';

await startPage({
  purpose: 'view',
  probe: viewProbe,
  run: (page, answer) => new DeviceView(page).watch(answer),
});
