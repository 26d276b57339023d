import type { Reading } from './readings.ts';

/** As some browsers have it; their types do not. */
interface Battery extends EventTarget {
  readonly level: number;
  readonly charging: boolean;
}
type BatteryNavigator = { readonly getBattery?: () => Promise<Battery> };

/** Whether this browser tells how full the battery is. */
export function knowsBattery(): boolean {
  return 'getBattery' in navigator;
}

/** Tells how full the battery is, now and whenever it changes. @returns ends it */
export async function watchBattery(tell: (reading: Reading) => void): Promise<() => void> {
  const battery = await (navigator as BatteryNavigator).getBattery?.();
  if (!battery) return () => {};
  const read = (): void =>
    tell({ battery_percent: Math.round(battery.level * 100), charging: battery.charging });
  const listening = new AbortController();
  const { signal } = listening;
  for (const event of ['levelchange', 'chargingchange']) battery.addEventListener(event, read, { signal });
  read();
  return () => listening.abort();
}
