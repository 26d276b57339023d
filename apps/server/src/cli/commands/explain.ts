import { type Explanation, explanationOf, readExplanations } from '../explain/explanation.ts';
import { formatTable } from '../output/format-table.ts';
import { UsageError } from '../output/usage-error.ts';
import { command, jsonOption } from './command.ts';

/** `waymark explain`: what a rule asks, a program that breaks it, and how to mend that. It needs no application and no network. */
export const explain = command(
  {
    meta: { name: 'explain', description: 'Say what the code of a problem means, and how to mend it' },
    args: {
      code: {
        type: 'positional',
        required: false,
        description: 'Code of the problem, such as unknown-tool; several are explained one after another',
      },
      list: { type: 'boolean', description: 'List every code with its rule', default: false },
      ...jsonOption,
    },
    run({ args }) {
      const all = readExplanations();
      const codes = args._;
      if (args.list && codes.length > 0) throw new UsageError('--list goes without a code');
      if (!args.list && codes.length === 0)
        throw new UsageError('which code? waymark explain --list has all of them');
      const wanted = args.list ? all : codes.map((code) => explanationOf(code, all));
      if (args.json) console.log(JSON.stringify({ rules: wanted }, null, 2));
      else console.log(args.list ? toList(wanted) : wanted.map(toPage).join('\n\n'));
    },
  },
  { examples: ['explain unknown-tool', 'explain --list'], takesMore: true },
);

function toList(rules: readonly Explanation[]): string {
  return formatTable(
    ['CODE', 'ABOUT', 'RULE'],
    rules.map(({ code, about, rule }) => [code, about, rule]),
  );
}

function toPage({ code, about, severity, rule, example, files = {}, report, fix }: Explanation): string {
  const outcome = severity === 'error' ? 'the server does not start' : 'a warning; the server starts';
  return [
    `${code}  (${about}; ${outcome})`,
    `  ${rule}`,
    'This breaks it:',
    indent(example),
    ...Object.entries(files).flatMap(([path, text]) => [`With ${path}:`, indent(text)]),
    'What is reported:',
    indent(report),
    ...(fix === undefined ? [] : ['To mend it here:', indent(fix)]),
  ].join('\n\n');
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^(?=.)/gm, '    ');
}
