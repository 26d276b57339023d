import type { CameraOptions } from './device-declaration.ts';
import { type DeviceRuleFault, fault } from './rules.ts';

/**
 * What there is of pulled cameras: their options are known, and a camera that sets one does not start. Whoever builds
 * the pull replaces the last rule here, and reads the frame in `Device.newest`.
 */
export function checkSource({ source, headers, bearerEnv }: CameraOptions): readonly DeviceRuleFault[] {
  if (source === undefined) {
    if (headers === undefined && bearerEnv === undefined) return [];
    const option = headers === undefined ? 'bearerEnv' : 'headers';
    return [fault('device-source', `${option} is set, and there is no source to send it to`, 'take it out')];
  }
  // Another type than text is said already. No message shows the URL: it may hold a password.
  if (typeof source !== 'string') return [];
  const url = URL.canParse(source) ? new URL(source) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return [
      fault('device-source', 'its source is no http or https URL', "write 'http://camera.lan/still.jpg'"),
    ];
  return [
    fault(
      'device-source',
      'it has a source, and this version fetches from none',
      'take source out, and post its pictures to the frames route',
    ),
  ];
}
