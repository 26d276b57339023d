import type { CameraOptions } from '@waymark/device-hub';
import type { ApplicationOptions, RunningApplication } from '@waymark/server';
import type { Browser } from 'playwright-core';
import { type OpenedPage, type OpenOptions, openDevicePage } from './device-pages.ts';
import { application, secrets } from './served.ts';

/** Keys of the application: for everything, and for looking on. */
export const keys = { operator: secrets.SHOP_KEY, viewer: secrets.OTHER_KEY } as const;

/** What a stage serves. */
export interface StageOptions extends ApplicationOptions {
  /** Of the camera `door`; `null` when there is none. */
  readonly door?: CameraOptions | null;
  /** Whether the key for everything is still one; it is. */
  readonly knowsOperator?: boolean;
}

/** Serves an application with a camera `door` and a sensor `thermo`. */
export async function openStage({
  door = {},
  knowsOperator = true,
  ...options
}: StageOptions = {}): Promise<RunningApplication> {
  const app = application(options);
  if (knowsOperator)
    app.apiKey('SHOP_KEY', 'operator', { scopes: ['devices:ingest', 'devices:read', 'svc:admin'] });
  app.apiKey('OTHER_KEY', 'viewer', { scopes: ['devices:read'] });
  if (door) app.camera('door', door);
  app.sensor('thermo');
  return app.listen();
}

/** A Chromium with a camera of its own, which shows a clock, a pie and corners of different greens. */
export const fakeCamera = ['--use-fake-device-for-media-stream=fps=15', '--use-fake-ui-for-media-stream'];

/** The page `connect` of a camera. */
export interface ConnectTab extends OpenedPage {
  /** Frames that the hub has taken, as the page says. */
  taken(): Promise<number>;
  /** One of its figures. */
  figure(name: string): Promise<number>;
  badge(): Promise<string>;
  sentence(): Promise<string>;
  /** @param size of its pictures; small ones, which are less work and sent all the same */
  start(size?: string): Promise<void>;
  stop(): Promise<void>;
}

/** Opens it. @param options `key`: without one the page asks */
export async function openConnect(
  browser: Browser,
  url: string,
  options: OpenOptions = {},
): Promise<ConnectTab> {
  const { page, faults } = await openDevicePage(browser, `${url}/devices/door/connect`, options);
  return {
    page,
    faults,
    taken: async () => {
      const text = await page.locator('.taken').textContent();
      return Number(/taken (\d+)/.exec(text ?? '')?.[1] ?? 0);
    },
    figure: async (name) => {
      const row = page.locator('.figures dl div', { hasText: name });
      return Number.parseFloat((await row.locator('dd').textContent()) ?? '');
    },
    badge: async () => (await page.locator('.badge').textContent()) ?? '',
    sentence: async () => (await page.locator('.sentence').textContent()) ?? '',
    start: async (size = '640x480') => {
      await page.getByLabel('Size').selectOption(size);
      await page.getByRole('button', { name: 'Start' }).click();
    },
    stop: () => page.getByRole('button', { name: 'Stop' }).click(),
  };
}

/** The row of a device in the listing of the hub. */
export async function listed(url: string, name = 'door'): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${url}/_svc/devices`, { headers: { 'x-api-key': keys.operator } });
  const { devices } = (await response.json()) as { readonly devices: readonly Record<string, unknown>[] };
  return devices.find((device) => device['name'] === name) ?? {};
}
