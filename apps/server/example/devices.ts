import type { Application } from '@waymark/server';

/**
 * Two cameras and a sensor. Whoever has the device key may send, readers may look.
 *
 * @param dockUrl where the picture of the second camera is, which is asked for it
 */
export function declareDevices(app: Application, dockUrl: string): void {
  app.camera('lobby', { description: 'The waiting room of the support desk.', maxFps: 10 });
  app.camera('dock', { description: 'The loading dock behind the house.', source: dockUrl, maxFps: 5 });
  app.sensor('thermometer', { description: 'Degrees Celsius and humidity of the waiting room.' });
}
