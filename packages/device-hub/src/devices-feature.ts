import type { Feature } from '@waymark/contract/declaring';
import { camera, type DeviceDeclaration, sensor } from './declarations/device-declaration.ts';
import { deviceRules } from './declarations/rules.ts';
import { deviceHub } from './device-hub.ts';
import type { DeviceHubOptions } from './hub-options.ts';

/** Feature with the declaration calls `camera` and `sensor`, their rules, and the hub that serves them. */
export const devicesFeature = {
  name: 'devices',
  kinds: [
    { method: 'camera', declare: camera, options: 1, title: (name) => `camera "${name}"` },
    { method: 'sensor', declare: sensor, options: 1, title: (name) => `sensor "${name}"` },
  ],
  rules: deviceRules,
  plugin: (declarations, { hub }) => deviceHub(declarations, hub),
} as const satisfies Feature<DeviceDeclaration, { readonly hub: DeviceHubOptions }>;
