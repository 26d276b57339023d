import { el, setShown, setText } from '../../shell/dom.ts';
import { check } from '../form-parts.ts';
import { knowsBattery } from './battery.ts';
import { knowsOrientation } from './orientation.ts';
import type { Telemetry, TelemetrySource } from './telemetry.ts';

/** What of the machine may be told; nothing until somebody ticks it. Browsers that know none of it show nothing. */
export function telemetryChoices(telemetry: Telemetry): HTMLElement {
  const refused = el('p', { class: 'hint', role: 'status' });
  const choices = [
    ...(knowsBattery() ? [choice('battery', 'How full the battery is', telemetry, refused)] : []),
    ...(knowsOrientation() ? [choice('orientation', 'How the device is held', telemetry, refused)] : []),
  ];
  const element = el(
    'fieldset',
    { class: 'choices' },
    el('legend', {}, 'Also tell the hub'),
    ...choices,
    refused,
  );
  setShown(element, choices.length > 0);
  return element;
}

function choice(
  source: TelemetrySource,
  label: string,
  telemetry: Telemetry,
  refused: HTMLElement,
): HTMLElement {
  const allow = async (): Promise<void> => {
    if (await telemetry.allow(source)) return;
    input.checked = false;
    setText(refused, 'The browser does not let this page know.');
  };
  const { element, input } = check(label, () => {
    setText(refused, '');
    if (input.checked) void allow();
    else telemetry.forbid(source);
  });
  return element;
}
