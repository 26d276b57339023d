import type { Fault, RuleBook } from '@waymark/contract/declaring';

/** Rules of device declarations, by the `code` that a problem carries. */
export const deviceRules = {
  'device-name':
    'A device has a name of letters, digits, "_" and "-", so that it can stand in paths and tools.',
  'device-taken': 'A device is declared once.',
  'device-range': 'The limits of a camera are within their range.',
  'device-source':
    'The source of a camera is an http or https URL; what is sent to it can be sent, and its secrets are in variables that are set.',
  'sensor-option': 'A sensor has none of the options that are for frames.',
  'hub-range':
    'The limits of a device hub are more than nothing, and a device is stale before it is offline.',
} as const satisfies RuleBook;

/** A rule of these that is broken. */
export type DeviceRuleFault = Fault<keyof typeof deviceRules>;

/** A broken rule in one line. */
export function fault(code: DeviceRuleFault['code'], rule: string, fix: string): DeviceRuleFault {
  return { code, rule, fix };
}
