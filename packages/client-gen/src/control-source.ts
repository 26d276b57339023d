import { toMethod } from './descriptor.ts';
import { docComment, quote } from './layout.ts';
import type { Operation } from './operations.ts';

/** Writes the type of the control plane. @param signature of one operation, indented */
export function toControlInterface(
  control: readonly Operation[],
  title: string,
  signature: (operation: Operation, indent: string) => string,
): string {
  const members = byPlace(control).map(({ group, operations }) =>
    group === undefined
      ? operations.map((one) => signature(one, '  ') + toStreamType(one, '  ')).join('')
      : `  readonly ${group}: {\n${operations.map((one) => signature(one, '    ') + toStreamType(one, '    ')).join('')}  };\n`,
  );
  return `${docComment(`The control plane of ${title}.`)}export interface ControlClient {\n${members.join('')}}\n`;
}

/** Writes what makes it from the function that makes methods. */
export function toControlFactory(control: readonly Operation[]): string {
  const members = byPlace(control).map(({ group, operations }) =>
    group === undefined
      ? operations.map((one) => toMethod(one, '    ') + toStream(one, '    ')).join('')
      : `    ${group}: {\n${operations.map((one) => toMethod(one, '      ') + toStream(one, '      ')).join('')}    },\n`,
  );
  const call = 'call: ReturnType<typeof connect>';
  const given = control.some(({ feed }) => feed)
    ? `\n  ${call},\n  feed: ReturnType<typeof connectFeed>,\n`
    : call;
  return `/** Makes the control plane of a client. */\nexport function connectControl(${given}): ControlClient {\n  return {\n${members.join('')}  };\n}\n`;
}

const streamDoc =
  'The same as it happens, until it is left. After a broken connection it goes on where it was, also at a service that has started again.';

/** Declares how what happens is read; nothing for an operation that has an end. */
function toStreamType({ feed, inputType }: Operation, indent: string): string {
  if (!feed) return '';
  const doc = docComment(streamDoc, indent);
  return `${doc}${indent}stream(input?: ${inputType}, options?: FeedOptions): AsyncIterableIterator<LiveEvent>;\n`;
}

function toStream({ feed, path, route, inputType }: Operation, indent: string): string {
  if (!feed) return '';
  const query = route.parameters.filter(({ place }) => place === 'query').map(({ name }) => quote(name));
  return `${indent}stream: feed<${inputType}>(${quote(path)}, [${query.join(', ')}]),\n`;
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
