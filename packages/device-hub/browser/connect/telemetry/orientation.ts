import type { Reading } from './readings.ts';

type Asking = { readonly requestPermission?: () => Promise<'granted' | 'denied'> };

/** Whether this browser may tell how it is held; without a sensor it stays silent. */
export function knowsOrientation(): boolean {
  return 'DeviceOrientationEvent' in globalThis;
}

/** Asks the person where the browser wants that: on iOS, and only while a click is being handled. */
export async function mayWatchOrientation(): Promise<boolean> {
  const { requestPermission } = DeviceOrientationEvent as Asking;
  if (!requestPermission) return true;
  return (await requestPermission.call(DeviceOrientationEvent)) === 'granted';
}

/** Tells how the machine is held, in degrees. @returns ends it */
export function watchOrientation(tell: (reading: Reading) => void): () => void {
  const read = ({ alpha, beta, gamma }: DeviceOrientationEvent): void => {
    // A machine without the sensor sends one event of nothing.
    if (alpha === null || beta === null || gamma === null) return;
    tell({ alpha: toTenth(alpha), beta: toTenth(beta), gamma: toTenth(gamma) });
  };
  addEventListener('deviceorientation', read);
  return () => removeEventListener('deviceorientation', read);
}

function toTenth(degrees: number): number {
  return Math.round(degrees * 10) / 10;
}
