import type { Problem } from '@waymark/contract';
import {
  asText,
  checkOptions,
  checkScopes,
  type Fault,
  isOptions,
  type Shapes,
  toProblems,
} from '@waymark/contract/declaring';
import { checkSource } from './check-source.ts';
import type { CameraOptions, DeviceDeclaration, DeviceOptions } from './device-declaration.ts';
import { type DeviceRuleFault, fault } from './rules.ts';

/** Declarations, sorted by whether they can be served. */
export interface CheckedDevices {
  /** Those with nothing wrong. */
  readonly sound: readonly DeviceDeclaration[];
  readonly problems: readonly Problem[];
}

const deviceShapes: Readonly<Record<keyof Omit<DeviceOptions, 'declaredAt'>, Shapes[string]>> = {
  description: 'text',
  // Looked at below.
  ...{ ingestScopes: 'any', readScopes: 'any' },
  tool: 'boolean',
};

const frameShapes: Readonly<Record<keyof Omit<CameraOptions, keyof DeviceOptions>, Shapes[string]>> = {
  source: 'text',
  headers: 'options',
  ...{ bearerEnv: 'text', username: 'text', passwordEnv: 'text' },
  ...{ keep: 'number', maxFps: 'number', maxFrameBytes: 'number' },
};

/** Finds everything wrong with declarations of devices. No message holds the value of an option that may be secret. */
export function checkDevices(declarations: readonly DeviceDeclaration[]): CheckedDevices {
  const sound: DeviceDeclaration[] = [];
  const problems: Problem[] = [];
  declarations.forEach((declaration, i) => {
    const { kind, name, options, declaredAt } = declaration;
    const twin = declarations.slice(0, i).find((one) => one.name === name);
    const faults = [
      ...checkName(name, twin),
      ...(kind === 'sensor' ? checkSensor(options) : checkCamera(name, options)),
      ...checkBothScopes(options),
    ];
    if (faults.length === 0) sound.push(declaration);
    problems.push(...toProblems(titleOf(declaration), declaredAt, faults));
  });
  return { sound, problems };
}

/** How a device is named in messages. */
export function titleOf({ kind, name }: Pick<DeviceDeclaration, 'kind' | 'name'>): string {
  return `${kind} "${asText(name)}"`;
}

/** With `_telemetry` behind it the name of a tool has 64 characters at most. */
const deviceName = /^[A-Za-z][A-Za-z0-9_-]{0,53}$/;

function checkName(name: unknown, twin: DeviceDeclaration | undefined): readonly DeviceRuleFault[] {
  if (typeof name !== 'string' || !deviceName.test(name))
    return [
      fault(
        'device-name',
        'its name cannot stand in a path and in tools',
        'write a letter, then up to 53 letters, digits, "_" or "-"',
      ),
    ];
  if (!twin) return [];
  return [fault('device-taken', `it is declared at ${twin.declaredAt} already`, 'choose another name')];
}

function checkCamera(name: unknown, options: DeviceDeclaration['options']): readonly Fault[] {
  const faults = checkOptions(options, { ...deviceShapes, ...frameShapes });
  if (!isOptions(options)) return faults;
  const { keep, maxFps, maxFrameBytes, ...others }: CameraOptions = options;
  return [
    ...faults,
    ...checkRange('keep', keep, (n) => Number.isInteger(n) && n >= 1 && n <= 1_000, '1 to 1,000 frames'),
    ...checkRange('maxFps', maxFps, (n) => n > 0 && n <= 1_000, 'more than 0, at most 1,000 frames a second'),
    ...checkRange(
      'maxFrameBytes',
      maxFrameBytes,
      (n) => Number.isInteger(n) && n >= 1 && n <= 67_108_864,
      '1 to 67,108,864 bytes (64 MB)',
    ),
    ...checkSource(name, others),
  ];
}

/** Another type than a number is said already. */
function checkRange(
  option: string,
  value: unknown,
  isWithin: (value: number) => boolean,
  range: string,
): readonly DeviceRuleFault[] {
  if (typeof value !== 'number' || isWithin(value)) return [];
  return [fault('device-range', `${option} is not ${range}`, `write ${range}, or leave it out`)];
}

function checkSensor(options: DeviceDeclaration['options']): readonly Fault[] {
  if (!isOptions(options)) return checkOptions(options, deviceShapes);
  const entries = Object.entries(options);
  const ofCameras = entries.filter(([name]) => Object.hasOwn(frameShapes, name));
  const others = entries.filter(([name]) => !Object.hasOwn(frameShapes, name));
  return [
    ...ofCameras.map(([name]) =>
      fault('sensor-option', `${name} is for cameras`, 'take it out, or declare a camera'),
    ),
    ...checkOptions(Object.fromEntries(others), deviceShapes),
  ];
}

function checkBothScopes(options: DeviceDeclaration['options']): readonly Fault[] {
  if (!isOptions(options)) return [];
  const { ingestScopes = [], readScopes = [] } = options;
  const named = (option: string, scopes: unknown): readonly Fault[] =>
    checkScopes(scopes).map((one) => ({ ...one, rule: one.rule.replace(/^scopes/, option) }));
  return [...named('ingestScopes', ingestScopes), ...named('readScopes', readScopes)];
}
