import { lineWidth, propertyName, quote, withUnderscores } from './layout.ts';
import type { Runnable } from './runnables.ts';
import { toTypeNames } from './signature.ts';

const clients = { agents: 'AgentClient', behaviours: 'BehaviourClient', flows: 'RunClient' } as const;

/** Declares what a client has of one group; nothing where there is none. */
export function toRunMembers(group: Runnable['group'], runnables: readonly Runnable[]): string {
  const client = clients[group];
  const lines = runnables
    .filter((one) => one.group === group)
    .map(({ name, operation }) => {
      const { input, output } = toTypeNames(operation);
      const start = `    readonly ${propertyName(name)}: ${client}<`;
      return fitting(`${start}${input}, ${output}>;`, [
        start,
        `      ${input},`,
        `      ${output}`,
        '    >;',
      ]);
    });
  if (lines.length === 0) return '';
  return `  /** The runs of each of the ${group}, by its name. */\n  readonly ${group}: {\n${lines.join('')}  };\n`;
}

/** Makes the members of one group. */
export function toRunLines(group: Runnable['group'], runnables: readonly Runnable[]): readonly string[] {
  return runnables
    .filter((one) => one.group === group)
    .map(({ name, operation: { path, timeoutMs } }) => {
      const run = [quote(path), withUnderscores(timeoutMs)];
      const [make, made] =
        group === 'behaviours'
          ? ['toBehaviour', [`runs(${run.join(', ')})`]]
          : [group === 'agents' ? 'agent' : 'runs', run];
      const start = `      ${propertyName(name)}: ${make}(`;
      return fitting(`${start}${made.join(', ')}),`, [
        start,
        ...made.map((one) => `        ${one},`),
        '      ),',
      ]);
    });
}

/** One line, or several where it is too long. */
function fitting(line: string, broken: readonly string[]): string {
  return `${line.length <= lineWidth ? line : broken.join('\n')}\n`;
}
