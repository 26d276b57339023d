import { toMethod } from './descriptor.ts';
import { docComment } from './layout.ts';
import type { Operation } from './operations.ts';

/** Writes the type of the control plane. @param signature of one operation, indented */
export function toControlInterface(
  control: readonly Operation[],
  title: string,
  signature: (operation: Operation, indent: string) => string,
): string {
  const members = byPlace(control).map(({ group, operations }) =>
    group === undefined
      ? operations.map((one) => signature(one, '  ')).join('')
      : `  readonly ${group}: {\n${operations.map((one) => signature(one, '    ')).join('')}  };\n`,
  );
  return `${docComment(`The control plane of ${title}.`)}export interface ControlClient {\n${members.join('')}}\n`;
}

/** Writes what makes it from the function that makes methods. */
export function toControlFactory(control: readonly Operation[]): string {
  const members = byPlace(control).map(({ group, operations }) =>
    group === undefined
      ? operations.map((one) => toMethod(one, '    ')).join('')
      : `    ${group}: {\n${operations.map((one) => toMethod(one, '      ')).join('')}    },\n`,
  );
  return `/** Makes the control plane of a client. */\nexport function connectControl(call: ReturnType<typeof connect>): ControlClient {\n  return {\n${members.join('')}  };\n}\n`;
}

interface Place {
  readonly group: string | undefined;
  readonly operations: readonly Operation[];
}

/** In the order of the table; a group stands where its first operation does. */
function byPlace(control: readonly Operation[]): readonly Place[] {
  const groups = new Map<string | Operation, Operation[]>();
  for (const operation of control) {
    const key = operation.group ?? operation;
    groups.set(key, [...(groups.get(key) ?? []), operation]);
  }
  return [...groups.values()].map((operations) => ({ group: operations[0]?.group, operations }));
}
