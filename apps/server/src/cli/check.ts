import { DeclarationError, type Finding } from '@waymark/contract';
import { command, fileArgument, jsonOption } from './command.ts';
import { loadApplication } from './load-application.ts';
import { exitCodes } from './print-failure.ts';

/** `waymark check`: everything wrong or doubtful, all at once, without starting anything. */
export const check = command(
  {
    meta: { name: 'check', description: 'Report wrong declarations and warnings without serving' },
    args: {
      ...fileArgument,
      strict: { type: 'boolean', description: 'End with 1 when there are warnings', default: false },
      ...jsonOption,
    },
    async run({ args }) {
      const findings = await inspect(args.file);
      const errors = findings.filter(({ severity }) => severity === 'error').length;
      const warnings = findings.length - errors;
      if (args.json) console.log(JSON.stringify({ findings }, null, 2));
      else
        console.log(
          [...findings.map(toLine), `${count(errors, 'problem')}, ${count(warnings, 'warning')}`].join('\n'),
        );
      if (errors > 0) return exitCodes.configuration;
      return args.strict && warnings > 0 ? exitCodes.failure : 0;
    },
  },
  { examples: ['check', 'check src/application.ts --strict --json'] },
);

async function inspect(file: string | undefined): Promise<readonly Finding[]> {
  try {
    return (await loadApplication(file)).findings();
  } catch (error) {
    // Thrown while the file was read: what is below that line nobody knows yet.
    if (error instanceof DeclarationError) return error.findings;
    throw error;
  }
}

function toLine({ severity, text, fix, at }: Finding): string {
  const place = at === undefined ? '' : `${at.file}:${at.line}  `;
  return `${place}${severity === 'error' ? 'problem' : severity}: ${text}${fix === undefined ? '' : `\n    fix: ${fix}`}`;
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`;
}
