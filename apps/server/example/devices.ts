import type { Application } from '@waymark/server';

/** A camera and a sensor in the hall of the desk. Whoever has the device key may send, readers may look. */
export function declareDevices(app: Application): void {
  app.camera('lobby', { description: 'The waiting room of the support desk.', maxFps: 10 });
  app.sensor('thermometer', { description: 'Degrees Celsius and humidity of the waiting room.' });
}
