import type { Problem } from '@waymark/contract';
import {
  asText,
  checkOptions,
  checkWebhook,
  type Fault,
  isOptions,
  nearestOr,
  type RuleBook,
  type Shapes,
  toProblems,
} from '@waymark/contract/declaring';
import { type NotifyDeclaration, type NotifyOptions, notifyEvents } from './notify.ts';

/** What holds for `notify`, by code. */
export const notifyRules = {
  'notify-events': 'Somebody is told of one event or more, each of them one that there is.',
  'notify-name': 'The name of a receiver is letters, digits, "-", "_" and ".".',
  'notify-taken': 'A receiver has a name of its own.',
  'notify-endpoint': 'Where messages go can be reached, and what they are signed with is set.',
} as const satisfies RuleBook;

type NotifyFault = Fault<keyof typeof notifyRules>;

const shapes: Readonly<Record<keyof NotifyOptions, Shapes[string]>> = {
  events: 'texts',
  secretEnv: 'text',
  bearerEnv: 'text',
  name: 'text',
  declaredAt: 'text',
};

/** Finds what is wrong with a `notify`. No message shows its URL. */
export function checkNotify(
  declaration: NotifyDeclaration,
  before: readonly NotifyDeclaration[],
  env: (name: string) => string | undefined,
): readonly Problem[] {
  const { name, options, declaredAt } = declaration;
  const { url, given } = options;
  const twin = before.find((one) => one.name === name);
  const { secretEnv, bearerEnv } = isOptions(given) ? given : {};
  const endpoint = { url: typeof url === 'string' ? url : '', secretEnv, bearerEnv };
  const names = { url: 'its URL', secretEnv: 'secretEnv', bearerEnv: 'bearerEnv' };
  const faults: readonly Fault[] = [
    ...checkOptions(given, shapes),
    ...(isOptions(given) ? checkEvents(given.events) : []),
    ...checkName(name, twin),
    ...checkWebhook(endpoint, env, names).map((fault) => ({ code: 'notify-endpoint', ...fault })),
  ];
  return toProblems(titleOf(declaration), declaredAt, faults);
}

/** How messages call it. */
function titleOf({ name }: Pick<NotifyDeclaration, 'name'>): string {
  return name === '' ? 'notify' : `notify "${asText(name)}"`;
}

function checkEvents(events: unknown): readonly NotifyFault[] {
  if (events === undefined || (Array.isArray(events) && events.length === 0))
    return [
      {
        code: 'notify-events',
        rule: 'it tells of no event',
        fix: `write events: ['${notifyEvents[0]}']; there are ${notifyEvents.join(', ')}`,
      },
    ];
  if (!Array.isArray(events)) return [];
  const known: readonly string[] = notifyEvents;
  return events
    .filter((event): event is string => typeof event === 'string' && !known.includes(event))
    .map((event) => ({
      code: 'notify-events',
      rule: `unknown event "${event}"`,
      ...nearestOr(`there are ${known.join(', ')}`, event, known),
    }));
}

function checkName(name: unknown, twin: NotifyDeclaration | undefined): readonly NotifyFault[] {
  // Without a URL there is no name either, and that is said already.
  if (name === '') return [];
  if (typeof name === 'string' && !/^[\w.:[\]-]+$/.test(name))
    return [
      {
        code: 'notify-name',
        rule: 'its name has other characters than letters, digits, "-", "_" and "."',
        fix: "write name: 'desk'",
      },
    ];
  if (!twin) return [];
  return [
    {
      code: 'notify-taken',
      rule: `its name is that of the one at ${twin.declaredAt}`,
      fix: 'give one of them another: name',
    },
  ];
}
